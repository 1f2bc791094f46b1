// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import io.reactivenetio.connection.Connection;
import io.reactivenetio.connection.FramingRefusal;
import io.reactivenetio.framing.stream.Prefetch;
import io.reactivenetio.framing.stream.StreamSession;
import io.reactivenetio.framing.stream.SubscriptionListener;
import io.reactivenetio.lease.DiscardedLeases;
import io.reactivenetio.receive.Inbound;
import io.reactivenetio.transport.Addresses;
import java.nio.ByteBuffer;
import java.util.function.Function;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * The streams of one tag on a connection with {@link Framing#STREAM}, one in each direction. Each has a demand of its own. A
 * stream that nobody asks for holds up no other. All methods may be called on any thread.
 *
 * <p>Receiving subscribes to the tag at the peer, anew for each subscriber. A tag can be subscribed to once at a time on a
 * connection, and again as soon as that subscription is cancelled or has ended. A second subscription meanwhile fails with
 * {@link io.reactivenetio.transport.exceptions.NetioStreamException}, code 4 of docs/wire-format.md.
 *
 * <p>Sends wait for the peer to subscribe, and so does {@link #completeOutbound}. When the peer cancels, the sends of that
 * subscription fail. What is sent from then on waits for the peer's next subscription.
 */
public final class NetioStream implements NetioInbound, NetioOutbound {
    private final NetioConnection connection;
    private final Connection engine;
    private final StreamSession session;
    private final long tag;
    private final Prefetch prefetch;

    NetioStream(NetioConnection connection, StreamSession session, long tag, Prefetch prefetch) {
        this.connection = connection;
        this.engine = connection.engine();
        this.session = session;
        this.tag = tag;
        this.prefetch = prefetch;
    }

    /** The tag, which tells the streams of a connection apart. It is a number without sign. */
    public long tag() {
        return tag;
    }

    /**
     * Returns this stream with a prefetch that is fixed: it asks the peer for up to {@code messages} more than its subscriber's
     * demand, of 16 MiB together at most. With 0 the peer is asked for exactly the demand, as work queues and tests may want it.
     *
     * <p>Unless {@link NetioTransport#prefetch(int)} has set one, a stream adapts. It passes the first request on exactly, so
     * {@code take(n)} takes n from the source. From the second request on it is ahead of the demand by as many messages as the
     * subscriber takes in about two round trips. It asks for more while the subscriber waits for messages, and for fewer while
     * more than half of them wait for the subscriber. A slow subscriber is ahead by one message, and {@code concatMap}, which
     * asks for one message at a time, does not wait for the wire. Demand without end is passed on as it is.
     *
     * <p>Messages that come ahead of demand wait in their pages, or in the heap when half of the connection's pages are in use. A
     * stream that is cancelled discards them, and {@link ConnectionStatistics#discardedMessages} counts them.
     *
     * @throws IllegalArgumentException if {@code messages} is negative
     */
    public NetioStream prefetch(int messages) {
        return new NetioStream(connection, session, tag, Prefetch.of(messages));
    }

    /**
     * Returns this stream with prefetch as {@link #prefetch(int)} does, and a limit of {@code bytes} instead of 16 MiB. The peer
     * is asked for as many messages as have room in the limit, of the size of the largest so far, but at least one. That begins
     * with one message and doubles with those that arrive. Messages that suddenly grow may take twice the limit. Beyond that
     * they wait in their pages, and other streams may have to wait for these pages.
     *
     * @throws IllegalArgumentException if {@code messages} is negative, or if it is not 0 and {@code bytes} is less than 1
     */
    public NetioStream prefetch(int messages, long bytes) {
        return new NetioStream(connection, session, tag, new Prefetch(messages, bytes));
    }

    @Override
    public NetioConnection connection() {
        return connection;
    }

    @Override
    public Flux<ByteBuffer> receive() {
        return Flux.defer(() -> engine.receive(inbound()));
    }

    @Override
    public <T> Flux<T> receive(Function<? super ByteBuffer, ? extends T> decoder) {
        return Flux.defer(() -> engine.receive(inbound(), decoder));
    }

    @Override
    public <T> Flux<T> receiveTagged(TaggedDecoder<? extends T> decoder) {
        return Flux.defer(() -> engine.receiveTagged(inbound(), decoder::decode));
    }

    @Override
    public Flux<Lease> receiveLeased() {
        return Flux.defer(() -> engine.receiveLeased(inbound(), Lease::new));
    }

    @Override
    public <R> Flux<R> receiveLeased(Function<? super Flux<Lease>, ? extends Publisher<R>> chain) {
        Publisher<R> result = chain.apply(receiveLeased());
        return DiscardedLeases.closed(engine.staysOnLoop(Flux.from(result)));
    }

    private Inbound inbound() {
        return session.inbound(tag, prefetch, SubscriptionListener.NONE);
    }

    @Override
    public Mono<Void> send(Publisher<? extends ByteBuffer> messages) {
        return send(messages, SendCompletion.DELIVERED);
    }

    @Override
    public Mono<Void> send(Publisher<? extends ByteBuffer> messages, SendCompletion completion) {
        return session.send(tag, messages, completion.level());
    }

    @Override
    public <T> Mono<Void> send(Publisher<? extends T> values, NetioEncoder<? super T> encoder, SendCompletion completion) {
        return send(connection.encoding(encoder).messages(values), completion);
    }

    @Override
    public Mono<Void> sendTagged(Publisher<TaggedMessage> messages) {
        return sendTagged(messages, SendCompletion.DELIVERED);
    }

    @Override
    public Mono<Void> sendTagged(Publisher<TaggedMessage> messages, SendCompletion completion) {
        return session.sendTagged(tag, messages, completion.level(), TaggedMessage.PACKING);
    }

    @Override
    public Mono<Void> sendRegion(Publisher<? extends RegionSlice> slices) {
        return sendRegion(slices, SendCompletion.DELIVERED);
    }

    @Override
    public Mono<Void> sendRegion(Publisher<? extends RegionSlice> slices, SendCompletion completion) {
        return Mono.error(FramingRefusal::noSlices);
    }

    @Override
    public Mono<Void> completeOutbound() {
        return session.completeOutbound(tag);
    }

    @Override
    public String toString() {
        return "stream of tag " + Long.toUnsignedString(tag) + " with " + Addresses.format(engine.remoteAddress());
    }
}
