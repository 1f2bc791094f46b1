// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.lifecycle;

import io.reactivenetio.api.NetioEncoder;
import io.reactivenetio.api.NetioOutbound;
import io.reactivenetio.api.RegionSlice;
import io.reactivenetio.api.TaggedMessage;
import io.reactivenetio.connection.Connection;
import io.reactivenetio.connection.FramingRefusal;
import io.reactivenetio.connection.RegionSession;
import io.reactivenetio.connection.TaggedSession;
import io.reactivenetio.transport.SendCompletion;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;

/** What leaves on a connection itself, with sends that complete as {@code completion} says. */
record ConnectionOutbound(Connection engine, SendCompletion completion) implements NetioOutbound {

    @Override
    public NetioOutbound completion(SendCompletion other) {
        return new ConnectionOutbound(engine, Objects.requireNonNull(other, "completion"));
    }

    @Override
    public Mono<Void> send(Publisher<? extends ByteBuffer> messages) {
        return engine.session().send(messages, completion);
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
        return engine.session() instanceof TaggedSession session ? session.sendTagged(messages, completion)
                : Mono.error(FramingRefusal::noTags);
    }

    @Override
    public Mono<Void> sendRegion(Publisher<? extends RegionSlice> slices) {
        return engine.session() instanceof RegionSession session ? session.sendSlices(slices, completion)
                : Mono.error(FramingRefusal::noSlices);
    }

    @Override
    public Mono<Void> completeOutbound() {
        return engine.session().completeOutbound();
    }
}
