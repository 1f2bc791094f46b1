// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import io.reactivenetio.flow.ConnectionFlow;
import io.reactivenetio.flow.FlowCounters;
import io.reactivenetio.flow.RawFraming;
import io.reactivenetio.stream.StreamTraffic;
import io.reactivenetio.transport.NetioException;
import io.reactivenetio.transport.NotSupportedException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import org.reactivestreams.Publisher;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

/**
 * An established connection, in both directions. All its signals come on one loop thread; its methods are for any thread.
 *
 * <p>Its buffers are native memory: {@link #dispose} gives them back. A connection whose peer has gone keeps the messages that
 * had arrived until they are received or it is disposed of.
 */
public final class NetioConnection implements NetioInbound, NetioOutbound, Disposable {
    private static final Logger LOG = LoggerFactory.getLogger(NetioConnection.class);

    /** Requests that a responder works on at a time, unless said otherwise. */
    public static final int DEFAULT_CONCURRENCY = 256;

    private static final int MOST_CONCURRENCY = 65_536;

    private final ConnectionFlow flow;
    private final Map<Long, NetioRequester> requesters = new ConcurrentHashMap<>();

    NetioConnection(ConnectionFlow flow) {
        this.flow = flow;
    }

    /** Itself. */
    @Override
    public NetioConnection connection() {
        return this;
    }

    @Override
    public Flux<ByteBuffer> receive() {
        return flow.receive(flow.traffic().inbound());
    }

    @Override
    public <T> Flux<T> receive(Function<? super ByteBuffer, ? extends T> decoder) {
        return flow.receive(flow.traffic().inbound(), decoder);
    }

    @Override
    public <T> Flux<T> receiveTagged(TaggedDecoder<? extends T> decoder) {
        return flow.config().framing() instanceof RawFraming
                ? Flux.error(() -> new NotSupportedException("messages have tags with PAGE and STREAM framing only: " + this))
                : flow.receiveTagged(flow.traffic().inbound(), decoder::decode);
    }

    @Override
    public Flux<Lease> receiveLeased() {
        return flow.receiveLeased(flow.traffic().inbound(), Lease::of);
    }

    @Override
    public <R> Flux<R> receiveLeased(Function<? super Flux<Lease>, ? extends Publisher<R>> chain) {
        Publisher<R> result = chain.apply(receiveLeased());
        return DiscardedLeases.closed(flow.staysOnLoop(Flux.from(result)));
    }

    @Override
    public Mono<Void> send(Publisher<? extends ByteBuffer> messages) {
        return send(messages, SendCompletion.DELIVERED);
    }

    @Override
    public Mono<Void> send(Publisher<? extends ByteBuffer> messages, SendCompletion completion) {
        return flow.traffic().send(messages, completion.level());
    }

    @Override
    public Mono<Void> sendTagged(Publisher<TaggedMessage> messages) {
        return sendTagged(messages, SendCompletion.DELIVERED);
    }

    @Override
    public Mono<Void> sendTagged(Publisher<TaggedMessage> messages, SendCompletion completion) {
        return flow.traffic().sendTagged(messages, completion.level(), TaggedMessage.PACKING);
    }

    @Override
    public Mono<Void> sendRegion(Publisher<? extends RegionSlice> slices) {
        return sendRegion(slices, SendCompletion.DELIVERED);
    }

    @Override
    public Mono<Void> sendRegion(Publisher<? extends RegionSlice> slices, SendCompletion completion) {
        return flow.traffic().sendSlices(slices, completion.level(), RegionSlice::state);
    }

    @Override
    public Mono<Void> completeOutbound() {
        return flow.traffic().completeOutbound();
    }

    /**
     * The streams of {@code tag}, beside that of the connection itself.
     *
     * @throws NotSupportedException unless the connection has {@link Framing#STREAM}
     */
    public NetioStream stream(long tag) {
        if (flow.traffic() instanceof StreamTraffic traffic) {
            return new NetioStream(this, traffic, tag, traffic.prefetch());
        }
        throw new NotSupportedException(this + " has no streams: configure framing(Framing.STREAM) on both sides");
    }

    /**
     * Asks the peer's responder of {@code tag}; the same one each time.
     *
     * @throws NotSupportedException unless the connection has {@link Framing#STREAM}
     */
    public NetioRequester requester(long tag) {
        NetioStream stream = stream(tag).prefetch(0);
        StreamTraffic traffic = (StreamTraffic) flow.traffic();
        return requesters.computeIfAbsent(tag, key -> NetioRequester.open(stream, traffic, flow.context().loop()));
    }

    /** The same, with {@value #DEFAULT_CONCURRENCY} requests at a time. */
    public Mono<Void> respond(long tag, Function<? super ByteBuffer, ? extends Mono<? extends ByteBuffer>> function) {
        return respond(tag, DEFAULT_CONCURRENCY, function);
    }

    /**
     * Answers what the peer's {@link NetioRequester} of {@code tag} asks: {@code function} makes each answer, of at most
     * {@code concurrency} requests at a time; others wait with the requester. It is called on the loop, with a heap buffer of its
     * own, and must not block. Its Mono's first element, of which a copy is made, is the answer, on any thread; if it is empty,
     * so is the requester's; if it fails, the requester is told {@link Throwable#toString}. It is cancelled when the requester
     * cancels, or the connection ends.
     *
     * <p>What is returned serves while it is subscribed to: it completes when the requester or the connection has gone. It fails
     * with {@link IllegalStateException} if the tag has a responder or requester here already, and with
     * {@link io.reactivenetio.transport.NetioProtocolException} when the peer's requester breaks the rules.
     *
     * @throws IllegalArgumentException if concurrency is not 1 to 65,536
     * @throws NotSupportedException unless the connection has {@link Framing#STREAM}
     */
    public Mono<Void> respond(long tag, int concurrency,
            Function<? super ByteBuffer, ? extends Mono<? extends ByteBuffer>> function) {
        if (concurrency < 1 || concurrency > MOST_CONCURRENCY) {
            throw new IllegalArgumentException("concurrency must be 1 to " + MOST_CONCURRENCY + ": " + concurrency);
        }
        NetioStream stream = stream(tag).prefetch(0);
        StreamTraffic traffic = (StreamTraffic) flow.traffic();
        return Mono.create(sink -> new Responder(traffic, flow.context().loop(), stream, function, concurrency, sink).start());
    }

    /** What a handler's end means to the peer, as far as the framing can say so. A peer that has gone does not mind. */
    private Mono<Void> tellComplete() {
        return flow.traffic() instanceof StreamTraffic ? completeOutbound().onErrorComplete(NetioException.class)
                : Mono.empty();
    }

    private Mono<Void> tellFailed(Throwable reason) {
        return flow.traffic().failOutbound(reason).onErrorComplete(NetioException.class);
    }

    /** Runs what is to be done with this connection, and then closes it. */
    void handle(BiFunction<? super NetioInbound, ? super NetioOutbound, ? extends Publisher<Void>> handler) {
        DiscardedLeases.closed(Flux.defer(() -> handler.apply(this, this)))
                .concatWith(Mono.defer(this::tellComplete))
                .onErrorResume(error -> tellFailed(error).then(Mono.error(error)))
                .doFinally(signal -> dispose())
                .subscribe(nothing -> { }, this::logEnd);
    }

    /** What is not an error of the connection's is one of the handler's, and has to be found there. */
    private void logEnd(Throwable error) {
        if (error instanceof NetioException) {
            LOG.warn("{} ended: {}", this, error.toString());
        } else {
            LOG.warn("{} ended: its handler failed", this, error);
        }
    }

    ConnectionFlow flow() {
        return flow;
    }

    /** Where the peer is. */
    public InetSocketAddress remoteAddress() {
        return flow.remoteAddress();
    }

    /** Runs tasks on this connection's loop. Others share it: disposing of it does nothing, its workers are the caller's. */
    public Scheduler scheduler() {
        return flow.context().scheduler();
    }

    /** A snapshot of the counters. */
    public ConnectionStatistics statistics() {
        FlowCounters c = flow.counters();
        return new ConnectionStatistics(c.receivedMessages(), c.receivedBytes(), c.sentMessages(), c.sentBytes(),
                c.noResources(), c.heldBuffers(), flow.config().receiveBuffers(), c.heldBytes(), c.maxHeldBytes(),
                c.discardedMessages(), c.leasedBuffers(), c.leasedCopies(), c.leaseCopies());
    }

    /**
     * Closes the connection now. Sends that have not completed fail, messages that wait for demand are dropped: whoever cares
     * waits for the completion of {@link #send} first.
     */
    @Override
    public void dispose() {
        flow.dispose();
    }

    /** Its server will shut down. */
    void shutDownSoon() {
        onStreams(StreamTraffic::shutDownSoon);
    }

    /** Its server shuts down: closes it, after saying so to the peer if that can be. */
    void shutDown() {
        if (!onStreams(traffic -> {
            traffic.shutDown();
            flow.loop().atEndOfTurn(this::dispose); // what waits here for demand goes, too
        })) {
            dispose();
        }
    }

    /** False if it has no streams, or no loop any more. */
    private boolean onStreams(Consumer<StreamTraffic> action) {
        if (!(flow.traffic() instanceof StreamTraffic traffic)) {
            return false;
        }
        try {
            flow.loop().execute(() -> action.accept(traffic));
            return true;
        } catch (RejectedExecutionException terminated) {
            return false;
        }
    }

    /**
     * The same, and waits, at most {@code timeout}, until it is over. Not for a loop's thread.
     *
     * @throws io.reactivenetio.transport.NetioException if it is not over by then
     */
    public void disposeNow(Duration timeout) {
        dispose();
        Blocking.await(onDispose().thenReturn(true), timeout, "closing " + this);
    }

    @Override
    public boolean isDisposed() {
        return flow.isDisposed();
    }

    /** Completes when the connection is over, whichever side ended it. */
    public Mono<Void> onDispose() {
        return flow.onDispose();
    }

    @Override
    public String toString() {
        return "connection with " + flow.remoteAddress();
    }
}
