// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.lifecycle;

import io.reactivenetio.api.NetioEncoder;
import io.reactivenetio.api.NetioOutbound;
import io.reactivenetio.api.RegionSlice;
import io.reactivenetio.api.TaggedMessage;
import io.reactivenetio.connection.Connection;
import io.reactivenetio.connection.FramingRefusal;
import io.reactivenetio.framing.stream.StreamSession;
import io.reactivenetio.transport.SendCompletion;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;

/** What leaves on the stream of a tag, with sends that complete as {@code completion} says. */
record StreamOutbound(Connection engine, StreamSession session, long tag, SendCompletion completion) implements NetioOutbound {

    @Override
    public NetioOutbound completion(SendCompletion other) {
        return new StreamOutbound(engine, session, tag, Objects.requireNonNull(other, "completion"));
    }

    @Override
    public Mono<Void> send(Publisher<? extends ByteBuffer> messages) {
        return session.send(tag, messages, completion);
    }

    @Override
    public <T> Mono<Void> send(Publisher<? extends T> values, NetioEncoder<? super T> encoder) {
        return send(engine.<T>encoding(encoder).messages(values));
    }

    @Override
    public <T> Mono<Void> sendBatches(Publisher<? extends Iterable<? extends T>> batches, NetioEncoder<? super T> encoder) {
        return send(engine.<T>encoding(encoder).messagesOf(batches));
    }

    @Override
    public Mono<Void> sendTagged(Publisher<TaggedMessage> messages) {
        return session.sendTagged(tag, messages, completion);
    }

    @Override
    public Mono<Void> sendRegion(Publisher<? extends RegionSlice> slices) {
        return Mono.error(FramingRefusal::noSlices);
    }

    @Override
    public Mono<Void> completeOutbound() {
        return session.completeOutbound(tag);
    }
}
