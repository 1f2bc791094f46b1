// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import io.reactivenetio.flow.ConnectionFlow;
import io.reactivenetio.flow.Inbound;
import io.reactivenetio.stream.Notices;
import io.reactivenetio.stream.Prefetch;
import io.reactivenetio.stream.StreamTraffic;
import java.nio.ByteBuffer;
import java.util.function.Function;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * The streams of one tag on a connection with {@link Framing#STREAM}, one in each direction, each with a demand of its own: one
 * that nobody asks for holds up no other. Its methods are for any thread.
 *
 * <p>Receiving subscribes to the tag at the peer, anew for each subscriber; a tag can be subscribed to once at a time on a
 * connection, and again as soon as that subscription is cancelled or has ended. What is sent waits for the peer to subscribe, and
 * so does {@link #completeOutbound}; when the peer cancels, the sends of that subscription fail, and what is sent from then on
 * waits for the next one.
 */
public final class NetioStream implements NetioInbound, NetioOutbound {
    private final NetioConnection connection;
    private final ConnectionFlow flow;
    private final StreamTraffic traffic;
    private final long tag;
    private final Prefetch prefetch;

    NetioStream(NetioConnection connection, StreamTraffic traffic, long tag, Prefetch prefetch) {
        this.connection = connection;
        this.flow = connection.flow();
        this.traffic = traffic;
        this.tag = tag;
        this.prefetch = prefetch;
    }

    /** What tells it from others; compared without sign. */
    public long tag() {
        return tag;
    }

    /**
     * The same stream, which asks the peer for up to {@code messages} more than its subscriber has been given, of 16 MiB together
     * at most: over a distance a demand of 256, as {@code publishOn} and {@code flatMap} have it, then moves more than 256
     * messages in each round trip, and {@code concatMap} more than one. 0: exactly the demand, as it is unless
     * {@link NetioServer#prefetch(int)} or {@link NetioClient#prefetch(int)} say otherwise.
     *
     * <p>What came ahead waits in its pages, or in the heap when half of the connection's pages are in use. A stream that is
     * cancelled discards it, and {@link ConnectionStatistics#discardedMessages} counts it: prefetch is for streams that are
     * received to their end, not for {@code take(n)}.
     *
     * @throws IllegalArgumentException if {@code messages} is negative
     */
    public NetioStream prefetch(int messages) {
        return new NetioStream(connection, traffic, tag, Prefetch.of(messages));
    }

    /**
     * The same with another limit than 16 MiB: as many messages are asked for as {@code bytes} have room for, of the size of the
     * largest so far, but at least one. It begins with one, and doubles with what arrives. Messages that suddenly grow may be
     * twice the limit; beyond that they wait in their pages, and other streams may have to wait for these.
     *
     * @throws IllegalArgumentException if {@code messages} is negative, or {@code bytes} not positive
     */
    public NetioStream prefetch(int messages, long bytes) {
        return new NetioStream(connection, traffic, tag, new Prefetch(messages, bytes));
    }

    @Override
    public NetioConnection connection() {
        return connection;
    }

    @Override
    public Flux<ByteBuffer> receive() {
        return Flux.defer(() -> flow.receive(inbound(Notices.NONE)));
    }

    @Override
    public <T> Flux<T> receive(Function<? super ByteBuffer, ? extends T> decoder) {
        return Flux.defer(() -> flow.receive(inbound(Notices.NONE), decoder));
    }

    @Override
    public <T> Flux<T> receiveTagged(TaggedDecoder<? extends T> decoder) {
        return Flux.defer(() -> flow.receiveTagged(inbound(Notices.NONE), decoder::decode));
    }

    /** {@link #receiveTagged()}, and {@code notices} are told what there is to know of the stream. */
    Flux<TaggedMessage> receiveTagged(Notices notices) {
        return Flux.defer(() -> flow.receiveTagged(inbound(notices), TaggedMessage::copyOf));
    }

    @Override
    public Flux<Lease> receiveLeased() {
        return Flux.defer(() -> flow.receiveLeased(inbound(Notices.NONE), Lease::of));
    }

    @Override
    public <R> Flux<R> receiveLeased(Function<? super Flux<Lease>, ? extends Publisher<R>> chain) {
        Publisher<R> result = chain.apply(receiveLeased());
        return DiscardedLeases.closed(flow.staysOnLoop(Flux.from(result)));
    }

    private Inbound inbound(Notices notices) {
        return traffic.inbound(tag, prefetch, notices);
    }

    @Override
    public Mono<Void> send(Publisher<? extends ByteBuffer> messages) {
        return send(messages, SendCompletion.DELIVERED);
    }

    @Override
    public Mono<Void> send(Publisher<? extends ByteBuffer> messages, SendCompletion completion) {
        return traffic.send(tag, messages, completion.level());
    }

    @Override
    public Mono<Void> sendTagged(Publisher<TaggedMessage> messages) {
        return sendTagged(messages, SendCompletion.DELIVERED);
    }

    @Override
    public Mono<Void> sendTagged(Publisher<TaggedMessage> messages, SendCompletion completion) {
        return traffic.sendTagged(tag, messages, completion.level(), TaggedMessage.PACKING);
    }

    @Override
    public Mono<Void> sendRegion(Publisher<? extends RegionSlice> slices) {
        return sendRegion(slices, SendCompletion.DELIVERED);
    }

    @Override
    public Mono<Void> sendRegion(Publisher<? extends RegionSlice> slices, SendCompletion completion) {
        return traffic.sendSlices(slices, completion.level(), RegionSlice::state);
    }

    @Override
    public Mono<Void> completeOutbound() {
        return traffic.completeOutbound(tag);
    }

    @Override
    public String toString() {
        return "stream of tag " + Long.toUnsignedString(tag) + " with " + flow.remoteAddress();
    }
}
