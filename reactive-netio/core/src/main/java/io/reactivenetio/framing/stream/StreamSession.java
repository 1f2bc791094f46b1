// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.framing.stream;

import io.reactivenetio.api.Right;
import io.reactivenetio.api.SlowPolicy;
import io.reactivenetio.api.TaggedMessage;
import io.reactivenetio.api.Tags;
import io.reactivenetio.connection.Connection;
import io.reactivenetio.connection.FrameListener;
import io.reactivenetio.connection.TaggedSession;
import io.reactivenetio.receive.Inbound;
import io.reactivenetio.receive.ReassemblyBudget;
import io.reactivenetio.send.MessageFields;
import io.reactivenetio.transport.SendCompletion;
import io.reactivenetio.transport.backend.ReceivedBuffer;
import io.reactivenetio.transport.backend.SendKind;
import io.reactivenetio.transport.exceptions.NetioException;
import io.reactivenetio.wire.Agreement;
import io.reactivenetio.wire.CreditWindow;
import io.reactivenetio.wire.FrameReader;
import io.reactivenetio.wire.Handshake;
import io.reactivenetio.wire.ProtocolException;
import io.reactivenetio.wire.Reassembly;
import java.nio.ByteBuffer;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;

/**
 * The session of STREAM framing: the streams of one connection in both directions. {@link FrameDispatch} reads the peer's pages,
 * {@link PageScheduler} writes this side's, and {@link SessionEnd} ends the connection. On the loop, unless said otherwise.
 */
public final class StreamSession implements TaggedSession {
    private final Connection connection;
    private final Prefetch prefetch;
    private final int largestMessage;
    private final Agreement agreement;
    private final long serveNanos;
    private final Reassembly reassembly;
    private final ReassemblyBudget.Share memory;
    private final SpareBuffer spare;
    private final FragmentCopies copies;
    private final CreditReturns held;
    private final PageScheduler pages;
    private final SessionEnd end;
    private final PingTracker pings;
    private final KeepAlive keepAlive;
    private final InStreams ins;
    private final OutStreams outs;
    private final FrameDispatch dispatch;

    StreamSession(Connection connection, Agreement agreement, Prefetch prefetch, long serveNanos) {
        this.connection = connection;
        this.prefetch = prefetch;
        this.serveNanos = serveNanos;
        Handshake own = agreement.own();
        Handshake peer = agreement.peer();
        CreditWindow credits = agreement.credits();
        largestMessage = peer.maxMessage();
        this.agreement = agreement;
        memory = connection.resources().reassembly().share(this::exceeded, this::withhold,
                (long) Reassembly.GROWTH * own.dataPages() * own.pageSize());
        spare = new SpareBuffer(memory, connection.resources().kept());
        copies = new FragmentCopies(connection.resources().kept());
        reassembly = new Reassembly(own.maxMessage(), own.reassemblyBudget(), spare);
        held = new CreditReturns(own.dataPages() + own.controlPages(), this::pagesReleased);
        connection.leaseCopiesWhile(() -> held.kept() >= own.dataPages()); // messages that came ahead may have the others
        pages = new PageScheduler(connection, agreement, credits, held, this::pageLost);
        end = new SessionEnd(connection, pages);
        pings = new PingTracker(pages, connection.loop());
        FrameReader frame = new FrameReader(agreement.checksums());
        ins = new InStreams(new ReceiveContext(connection, pages, held, own.dataPages(), end, new MessageView(frame), spare),
                reassembly, end, peer.maxStreams(), prefetch);
        outs = new OutStreams(new SendContext(connection, largestMessage, pages, pings, new RoomAtPeer(peer.reassemblyBudget()),
                copies, end, serveNanos, agreement.runs(), new ConnectionTurns(connection.loop())), own.maxStreams());
        dispatch = new FrameDispatch(frame, credits, held, ins, outs, pings, end);
        keepAlive = new KeepAlive(connection.loop(), own.keepAliveMillis(), peer.keepAliveMillis(), pages,
                () -> connection.backend().arrivedInPart(connection.endpoint()), pings::ping, end::fail);
    }

    // ---- any thread

    @Override
    public Inbound inbound() {
        return ins.first();
    }

    @Override
    public int largestMessage() {
        return largestMessage;
    }

    @Override
    public void describe(ByteBuffer buffer, FrameListener frames) throws ProtocolException {
        FrameText.describe(buffer, agreement.checksums(), frames);
    }

    @Override
    public Mono<Void> send(Publisher<? extends ByteBuffer> messages, SendCompletion level) {
        return outs.first().send(messages, level);
    }

    @Override
    public Mono<Void> sendTagged(Publisher<TaggedMessage> messages, SendCompletion level) {
        return outs.first().send(messages, level, MessageFields.TAGGED);
    }

    @Override
    public Mono<Void> completeOutbound() {
        return outs.first().complete();
    }

    /** Fails the stream that is sent on the connection itself, and tells the peer why. Any thread. */
    public Mono<Void> failOutbound(Throwable reason) {
        return outs.first().fail(reason);
    }

    /** The prefetch of the connection itself, and of streams that set none. Any thread. */
    public Prefetch prefetch() {
        return prefetch;
    }

    /**
     * The messages of a new stream of this tag. It is opened when they are subscribed to; {@code listener} is told of it. Any
     * thread.
     */
    public Inbound inbound(long tag, Prefetch ahead, SubscriptionListener listener) {
        return inbound(Right.SEND, tag, ahead, listener);
    }

    /** The messages of a new stream of this tag, which the peer needs a right to send that is not SEND. Any thread. */
    public Inbound inbound(Right needed, long tag, Prefetch ahead, SubscriptionListener listener) {
        return ins.inbound(needed, Tags.of(tag), null, ahead, listener);
    }

    /**
     * The messages of a new stream of these tags. {@code policy} is
     * what the subscriber wishes, or null. Any thread.
     */
    public Inbound inbound(Tags tags, @Nullable SlowPolicy policy, Prefetch ahead, SubscriptionListener listener) {
        return ins.inbound(Right.SEND, tags, policy, ahead, listener);
    }

    /**
     * Has {@code service} asked first, from now on, when the peer subscribes. Tags that it does not serve are for sends with that
     * tag that have begun already, and else refused. On the loop.
     */
    public void serve(TagService service) {
        outs.serve(service);
    }

    /**
     * Has {@code service} serve one tag only, from now on. The peer may have subscribed to it already. On the loop.
     *
     * @throws IllegalStateException if the tag has such a service already
     */
    public void serve(long tag, TagService service) {
        outs.serve(tag, service);
    }

    /** Ends the service of one tag. Its open streams go on. On the loop. */
    public void unserve(long tag, TagService service) {
        outs.unserve(tag, service);
    }

    /**
     * Ends a service that no subscription of the peer has reached. A subscription that is on its way is completed. On the loop.
     */
    public void unserveUnknown(long tag, TagService service) {
        outs.unserveUnknown(tag, service);
    }

    /** Whether requests may have headers, in both directions. Any thread. */
    public boolean requestHeaders() {
        return agreement.requestHeaders();
    }

    /** How long a subscription of the peer may wait to be served; {@link Long#MAX_VALUE} is for ever. Any thread. */
    public long serveNanos() {
        return serveNanos;
    }

    public Mono<Void> send(long tag, Publisher<? extends ByteBuffer> messages, SendCompletion level) {
        return outs.send(tag, messages, level, MessageFields.plain(tag));
    }

    public Mono<Void> sendTagged(long tag, Publisher<TaggedMessage> messages, SendCompletion level) {
        return outs.send(tag, messages, level, MessageFields.TAGGED);
    }

    public Mono<Void> completeOutbound(long tag) {
        return outs.complete(tag);
    }

    /** Called on any thread when a page's buffer was given back. */
    private void pagesReleased() {
        if (connection.loop().inEventLoop()) {
            pages.schedule();
            return;
        }
        try {
            connection.loop().execute(pages::schedule);
        } catch (RejectedExecutionException terminated) {
            // the peer needs no credits any more
        }
    }

    /**
     * Prepares for a shutdown of this side. It closes the connection at once if the peer receives only streams that have no end
     * of their own, and sends on none, so that the peer can go elsewhere. Streams that this side only would receive, such as
     * the requests of a responder that was never asked, do not count. On the loop.
     */
    public void shutDownSoon() {
        if (outs.areEndless() && !ins.areInUse() && !ins.first().hasSubscriber()) {
            shutDown(() -> { });
        }
    }

    /**
     * Closes the connection, tells the peer that this side shuts down and how many published messages that cuts off, and runs
     * {@code then}. On the loop.
     */
    public void shutDown(Runnable then) {
        if (!end.isDecided()) {
            outs.cut();
        }
        end.shutDown(then);
    }

    /**
     * Gives the connection up, because it has most of the memory that all connections of this loop may use, and others need some.
     */
    private void exceeded(String why) {
        end.exceeded(why);
        ins.forEach(InStream::discardPartial);
    }

    /** Lets the peer wait with its data, or no longer. */
    private void withhold(boolean wait) {
        held.withhold(wait);
    }

    private void pageLost(Throwable why) {
        end.pageLost(why);
    }

    // ---- for tests

    PageScheduler pages() {
        return pages;
    }

    /** How many pages of the peer are here. */
    int heldPages() {
        return held.kept();
    }

    /** The size of messages that have begun to arrive and not ended, in bytes. */
    long unfinishedBytes() {
        return reassembly.reserved();
    }

    /** The memory allocated for them, in bytes. */
    long unfinishedMemory() {
        return memory.held();
    }

    /** How many wait for an answer of the peer, or waited until they were cancelled. */
    int awaitedAnswers() {
        return pings.waiting();
    }

    /** How many tags somebody sends to here, or the peer is subscribed to. Any thread. */
    int ports() {
        return outs.ports();
    }

    // ---- what the backend says

    @Override
    public void onData(ReceivedBuffer buffer) {
        if (end.isDecided()) {
            return;
        }
        keepAlive.heard();
        held.received();
        try {
            dispatch.read(buffer);
        } catch (ProtocolException e) {
            end.breakOff(e);
        }
        pages.schedule();
    }

    @Override
    public void onSendCompleted(SendKind kind, long key) {
        pages.onSendCompleted(); // the page has left; only a PONG says that it has arrived
    }

    @Override
    public void onResourcesAvailable() {
        pages.onResourcesAvailable();
    }

    @Override
    public void resume() {
        ins.forEach(stream -> stream.inbound().drain());
    }

    @Override
    public void discard() {
        ins.forEach(stream -> stream.inbound().discard());
    }

    @Override
    public void onClosed(@Nullable NetioException cause, String what, boolean byUs) {
        NetioException reason = reason(cause);
        String why = end.closed(what);
        keepAlive.close();
        pages.close();
        outs.close(why, reason);
        ins.close(reason, why);
        spare.close();
        copies.close();
        end.failWaiting(reason, why);
    }

    @Override
    public @Nullable NetioException reason(@Nullable NetioException cause) {
        return end.reason(cause);
    }
}
