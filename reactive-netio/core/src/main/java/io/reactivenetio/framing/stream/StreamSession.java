// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.framing.stream;

import io.reactivenetio.connection.Connection;
import io.reactivenetio.connection.Session;
import io.reactivenetio.lease.TaggedBuffer;
import io.reactivenetio.receive.Inbound;
import io.reactivenetio.receive.ReassemblyBudget;
import io.reactivenetio.send.MessageFields;
import io.reactivenetio.send.SliceState;
import io.reactivenetio.transport.CompletionLevel;
import io.reactivenetio.transport.ReceivedBuffer;
import io.reactivenetio.transport.SendKind;
import io.reactivenetio.transport.exceptions.NetioAbortedException;
import io.reactivenetio.transport.exceptions.NetioException;
import io.reactivenetio.transport.exceptions.NetioProtocolException;
import io.reactivenetio.transport.exceptions.NetioStreamException;
import io.reactivenetio.transport.exceptions.NotSupportedException;
import io.reactivenetio.wire.Agreement;
import io.reactivenetio.wire.CreditWindow;
import io.reactivenetio.wire.FrameReader;
import io.reactivenetio.wire.FrameType;
import io.reactivenetio.wire.Handshake;
import io.reactivenetio.wire.ProtocolException;
import io.reactivenetio.wire.Reassembly;
import io.reactivenetio.wire.SlowPolicy;
import io.reactivenetio.wire.TagPattern;
import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;

/**
 * The streams of one connection: reads the peer's pages and gives each frame to whom it is for. What breaks the rules ends the
 * connection, and every stream on it. On the loop, unless said otherwise.
 */
public final class StreamSession implements Session {
    private static final Logger LOG = LoggerFactory.getLogger(StreamSession.class);
    /** The ERROR of a connection whose peer broke the rules. */
    private static final int BROKEN_RULES = 6;
    private static final int SHUT_DOWN = 7;

    private final Connection connection;
    private final Handshake peer;
    private final CreditWindow credits;
    private final FrameReader reader;
    private final Reassembly reassembly;
    private final ReassemblyBudget.Share memory;
    private final CreditReturns held;
    private final Prefetch prefetch;
    private final int dataPages;
    private final PageScheduler pages;
    private final PingTracker confirmations;
    private final KeepAlive keepAlive;
    private final MessageView view;
    private @Nullable Page spare;
    private final InStreams ins;
    private final OutStreams outs;
    private final InStream received;
    private final Set<MonoSink<Void>> completing = Collections.synchronizedSet(new LinkedHashSet<>());
    private @Nullable NetioException failure;
    private @Nullable String gone;

    StreamSession(Connection connection, Agreement agreement, Prefetch prefetch) {
        this.connection = connection;
        this.prefetch = prefetch;
        this.peer = agreement.peer();
        Handshake own = agreement.own();
        dataPages = own.dataPages();
        credits = agreement.credits();
        reader = new FrameReader(agreement.checksums());
        RoomAtPeer roomAtPeer = new RoomAtPeer(peer.reassemblyBudget());
        memory = connection.context().reassembly().share(this::exceeded);
        SpareBuffer spare = new SpareBuffer(memory);
        view = new MessageView(this, reader, spare);
        reassembly = new Reassembly(own.maxMessage(), own.reassemblyBudget(), spare);
        held = new CreditReturns(own.dataPages() + own.controlPages(), this::pagesReleased);
        pages = new PageScheduler(connection, agreement, credits, held, this::pageLost);
        confirmations = new PingTracker(pages, connection.loop());
        ins = new InStreams(peer.maxStreams());
        outs = new OutStreams(this, new SendContext(connection, peer.maxMessage(), pages, confirmations, roomAtPeer),
                own.maxStreams());
        received = new InStream(this, null, SlowPolicy.PUBLISHER, prefetch, SubscriptionListener.NONE);
        received.open(0, reassembly.of(0));
        ins.openFirst(received);
        keepAlive = new KeepAlive(connection.loop(), own.keepAliveMillis(), peer.keepAliveMillis(), pages, confirmations::ping,
                this::fail);
    }

    // ---- any thread

    Connection connection() {
        return connection;
    }

    Handshake peer() {
        return peer;
    }

    MessageView view() {
        return view;
    }

    @Override
    public Inbound inbound() {
        return received.inbound();
    }

    @Override
    public Mono<Void> send(Publisher<? extends ByteBuffer> messages, CompletionLevel level) {
        return outs.first().send(messages, level);
    }

    @Override
    public <T> Mono<Void> sendTagged(Publisher<? extends T> messages, CompletionLevel level, MessageFields<? super T> packing) {
        return outs.first().send(messages, level, packing);
    }

    @Override
    public <T> Mono<Void> sendSlices(Publisher<? extends T> slices, CompletionLevel level,
            Function<? super T, SliceState> states) {
        return Mono.error(() -> new NotSupportedException("sends from a region need RAW framing, STREAM framing packs messages in"
                + " pages: configure framing(Framing.RAW) on both sides"));
    }

    @Override
    public Mono<Void> completeOutbound() {
        return outs.first().complete();
    }

    @Override
    public Mono<Void> failOutbound(Throwable reason) {
        return outs.first().fail(reason);
    }

    /** What its own stream has, and others unless they say otherwise. */
    public Prefetch prefetch() {
        return prefetch;
    }

    /** A new stream from the peer, of messages with this tag: opened with its subscriber. {@code notices} are told of it. */
    public Inbound inbound(long tag, Prefetch ahead, SubscriptionListener notices) {
        return inbound(TagPattern.exact(tag), SlowPolicy.PUBLISHER, ahead, notices);
    }

    /** A new stream of messages with these tags, each a {@link TaggedBuffer}. */
    public Inbound inbound(TagPattern pattern, SlowPolicy policy, Prefetch ahead, SubscriptionListener notices) {
        return new InStream(this, pattern, policy, ahead, notices).inbound();
    }

    /**
     * From now on {@code service} is asked first when the peer subscribes. What it does not serve is for who sends here with that
     * tag already, and else refused. On the loop.
     */
    public void serve(TagService service) {
        outs.serve(service);
    }

    /**
     * From now on {@code service} serves one tag only, which the peer may have subscribed to already. On the loop.
     *
     * @throws IllegalStateException if it is served so already
     */
    public void serve(long tag, TagService service) {
        outs.serve(tag, service);
    }

    /** That is over; what is open goes on. On the loop. */
    public void unserve(long tag, TagService service) {
        outs.unserve(tag, service);
    }

    /** A service ends that no subscription of the peer's has reached: what is on its way is completed. On the loop. */
    public void unserveUnknown(long tag, TagService service) {
        outs.unserveUnknown(tag, service);
    }

    /** Bytes of the largest message that the peer takes. */
    public int largestMessage() {
        return peer.maxMessage();
    }

    public Mono<Void> send(long tag, Publisher<? extends ByteBuffer> messages, CompletionLevel level) {
        return outs.send(tag, messages, level, MessageFields.plain(tag));
    }

    public <T> Mono<Void> sendTagged(long tag, Publisher<? extends T> messages, CompletionLevel level,
            MessageFields<? super T> packing) {
        return outs.send(tag, messages, level, packing);
    }

    public Mono<Void> completeOutbound(long tag) {
        return outs.complete(tag);
    }

    /** A page's buffer was given back. */
    private void pagesReleased() {
        if (connection.loop().inEventLoop()) {
            pages.schedule();
            return;
        }
        try {
            connection.loop().execute(pages::schedule);
        } catch (RejectedExecutionException terminated) {
            // and nobody wants credits any more
        }
    }

    /**
     * This side shuts down, and will close the connection soon: at once if all that the peer has of it are streams that have no
     * end of their own, so that it can go elsewhere. On the loop.
     */
    public void shutDownSoon() {
        if (outs.areEndless() && ins.isEmpty() && !received.inbound().hasSubscriber()) {
            shutDown();
        }
    }

    /** This side shuts down: closes the connection, and tells the peer why. On the loop. */
    public void shutDown() {
        giveUp(SHUT_DOWN, "it closes its connections", new NetioAbortedException(connection.endpoint()
                + " was closed here, by a shutdown", 0, null));
    }

    // ---- for the streams

    PageScheduler pages() {
        return pages;
    }

    /** Whether it would be unfair to the other streams to keep a page for this message. */
    boolean isShortOfPages(StreamMessage message) {
        return message.costsAPage() && 2 * held.kept() > dataPages;
    }

    /** The peer's pages that are here. */
    int heldPages() {
        return held.kept();
    }

    /** Bytes of messages that have begun to arrive and not ended. */
    long unfinishedBytes() {
        return reassembly.reserved();
    }

    /** Bytes of memory for them. */
    long unfinishedMemory() {
        return memory.held();
    }

    PingTracker confirmations() {
        return confirmations;
    }

    /** What became of the connection; null as long as it is there. */
    @Nullable String gone() {
        return gone;
    }

    /** It is told if the connection ends first. */
    void whenClosed(MonoSink<Void> sink) {
        completing.add(sink);
        sink.onDispose(() -> completing.remove(sink));
    }

    /**
     * Opens a stream to receive, now or when the end of a cancelled one arrives, whose number it needs; the reason if that cannot
     * be.
     */
    @Nullable NetioException enter(InStream stream) {
        if (gone != null) {
            return Connection.aborted(null, gone);
        }
        int id = ins.add(stream);
        if (id < 0) {
            return ins.await(stream) ? null : new NetioStreamException("the peer allows " + peer.maxStreams()
                    + " streams at a time, and so many are open", OutStream.LIMIT);
        }
        stream.open(id, reassembly.of(id));
        return null;
    }

    void leave(InStream stream) {
        ins.remove(stream);
        InStream next = gone == null ? ins.next() : null;
        if (next != null) {
            enter(next);
        }
    }

    void leave(SendPort port) {
        outs.leave(port);
    }

    void ended(SendPort port) {
        outs.ended(port);
    }

    /** Tags that somebody sends to here, or the peer is subscribed to. Any thread. */
    int ports() {
        return outs.ports();
    }

    // ---- what the backend says

    @Override
    public void onData(ReceivedBuffer buffer) {
        if (failure != null) {
            return;
        }
        keepAlive.heard();
        held.received();
        try {
            read(buffer);
        } catch (ProtocolException e) {
            breakOff(e);
        }
        pages.schedule();
    }

    private void read(ReceivedBuffer buffer) throws ProtocolException {
        reader.begin(buffer.data());
        credits.received(reader.isDataPage(), reader.dataCredits(), reader.controlCredits());
        Page page = spare;
        if (page == null) {
            page = new Page(held, buffer, reader.isDataPage());
        } else {
            page.begin(buffer, reader.isDataPage());
            spare = null;
        }
        try {
            boolean more = nextFrame();
            while (more) {
                more = reader.type() == FrameType.DATA ? ins.require(reader.stream(), "a message").onData(reader, page)
                        : onControl();
            }
        } finally {
            if (page.leave()) {
                spare = page;
            }
        }
    }

    /** Goes on to the next frame of the page; false if there is none, or the connection has ended. */
    boolean nextFrame() throws ProtocolException {
        return failure == null && !connection.isDisposed() && reader.next();
    }

    private boolean onControl() throws ProtocolException {
        int id = reader.stream();
        switch (reader.type()) {
            case COMPLETE -> ins.require(id, "a completion").onComplete(reader.value());
            case ERROR -> onError(id);
            case SUBSCRIBE -> outs.subscribe(id, reader.pattern(), reader.policy());
            case REQUEST -> outs.request(id, reader.value());
            case CANCEL -> outs.cancel(id);
            case PING -> confirmations.onPing(reader.value());
            case PONG -> confirmations.onPong(reader.value());
            case SUBSCRIBED -> ins.require(id, "a number").onSubscribed(reader.value());
            default -> ins.require(id, "a number").onDropped(reader.value()); // DROPPED
        }
        return nextFrame();
    }

    private void onError(int id) throws ProtocolException {
        String text = reader.text() + " (code " + reader.value() + ")";
        if (id == FrameType.CONNECTION) {
            fail(givenUp(reader.value(), text));
            return;
        }
        boolean answer = reader.value() == OutStream.CANCELLED;
        ins.require(id, "an error").end(new NetioStreamException(
                answer ? "the peer cancelled the stream" : "the peer's stream failed: " + text, (int) reader.value()));
    }

    /** Another connection may do better, unless it was the rules. */
    private static NetioException givenUp(long code, String text) {
        if (code == SHUT_DOWN) {
            return new NetioAbortedException("the peer shuts down: " + text, 0, null);
        }
        String what = "the peer gave the connection up: " + text;
        return code == OutStream.LIMIT ? new NetioAbortedException(what, 0, null) : new NetioProtocolException(what, null);
    }

    private void breakOff(ProtocolException e) {
        giveUp(BROKEN_RULES, String.valueOf(e.getMessage()), new NetioProtocolException(connection.endpoint()
                + " broke the rules: " + e.getMessage(), e));
    }

    /** It has most of the memory that all connections of this loop may use, and others need some. */
    private void exceeded(String why) {
        LOG.warn("{} is given up: {}", connection.endpoint(), why);
        giveUp(OutStream.LIMIT, why, new NetioAbortedException(connection.endpoint() + " was given up: " + why, 0, null));
        ins.forEach(InStream::discardPartial);
    }

    /** Says so to the peer, and closes. */
    private void giveUp(int code, String text, NetioException reason) {
        if (failure == null && gone == null) {
            failure = reason;
            pages.add(writer -> writer.error(FrameType.CONNECTION, code, text));
            pages.run();
            connection.loop().atEndOfTurn(this::close); // a backend may send only then what was just given to it
        }
    }

    private void pageLost(Throwable why) {
        fail(new NetioAbortedException("a page for " + connection.endpoint() + " could not be written: " + why, 0, why));
    }

    private void fail(NetioException reason) {
        if (failure == null && gone == null) {
            failure = reason;
            close();
        }
    }

    private void close() {
        connection.backend().closeActiveEndpoint(connection.endpoint());
    }

    @Override
    public void onSendCompleted(SendKind kind, long key) {
        pages.onSendCompleted(); // that it has left; what has arrived, the peer says
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
        NetioException reason = failure != null ? failure : cause;
        String why = failure != null ? String.valueOf(failure.getMessage()) : what; // what the backend saw is only our closing
        gone = why;
        keepAlive.close();
        pages.close();
        outs.close(why, reason);
        ins.forEach(stream -> tell(() -> stream.end(Connection.aborted(reason, why))));
        List.copyOf(completing).forEach(sink -> tell(() -> sink.error(Connection.aborted(reason, why))));
    }

    /** A subscriber that throws at its end must not keep the others from theirs. */
    private void tell(Runnable end) {
        try {
            end.run();
        } catch (Throwable t) {
            connection.loop().report(t);
        }
    }
}
