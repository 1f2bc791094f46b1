// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.lifecycle;

import io.reactivenetio.api.Lease;
import io.reactivenetio.api.MessageBatch;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.api.NetioStream;
import io.reactivenetio.api.TaggedDecoder;
import io.reactivenetio.api.TaggedMessage;
import io.reactivenetio.connection.Connection;
import io.reactivenetio.connection.HeapCopy;
import io.reactivenetio.framing.stream.Prefetch;
import io.reactivenetio.framing.stream.StreamSession;
import io.reactivenetio.framing.stream.SubscriptionListener;
import io.reactivenetio.lease.DiscardedLeases;
import io.reactivenetio.receive.Inbound;
import io.reactivenetio.transport.SendCompletion;
import io.reactivenetio.transport.backend.Addresses;
import java.nio.ByteBuffer;
import java.util.function.Function;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;

/** The streams of one tag on a connection. */
final class DefaultStream extends ForwardingOutbound implements NetioStream {
    private final DefaultConnection connection;
    private final Connection engine;
    private final StreamSession session;
    private final long tag;
    private final Prefetch prefetch;

    DefaultStream(DefaultConnection connection, StreamSession session, long tag, Prefetch prefetch) {
        super(new StreamOutbound(connection.engine(), session, tag, SendCompletion.DELIVERED));
        this.connection = connection;
        this.engine = connection.engine();
        this.session = session;
        this.tag = tag;
        this.prefetch = prefetch;
    }

    @Override
    public long tag() {
        return tag;
    }

    @Override
    public NetioStream prefetch(int messages) {
        return new DefaultStream(connection, session, tag, Prefetch.of(messages));
    }

    @Override
    public NetioStream prefetch(int messages, long bytes) {
        return new DefaultStream(connection, session, tag, new Prefetch(messages, bytes));
    }

    @Override
    public NetioConnection connection() {
        return connection;
    }

    // ---- receiving: each subscriber opens the stream anew

    private Inbound inbound() {
        return session.inbound(tag, prefetch, SubscriptionListener.NONE);
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
        return Flux.defer(() -> engine.receiveTagged(inbound(), decoder));
    }

    @Override
    public Flux<TaggedMessage> receiveTagged() {
        return receiveTagged(HeapCopy::tagged);
    }

    @Override
    public Flux<MessageBatch> receiveBatches(int most) {
        return Flux.defer(() -> engine.receiveBatches(inbound(), most));
    }

    @Override
    public Flux<Lease> receiveLeased() {
        return Flux.defer(() -> engine.receiveLeased(inbound()));
    }

    @Override
    public <R> Flux<R> receiveLeased(Function<? super Flux<Lease>, ? extends Publisher<R>> chain) {
        return DiscardedLeases.closed(engine.staysOnLoop(Flux.from(chain.apply(receiveLeased()))));
    }

    @Override
    public String toString() {
        return "stream of tag " + Long.toUnsignedString(tag) + " with " + Addresses.format(engine.remoteAddress());
    }
}
