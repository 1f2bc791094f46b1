// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.lifecycle;

import io.reactivenetio.api.NetioEncoder;
import io.reactivenetio.api.NetioOutbound;
import io.reactivenetio.api.RegionSlice;
import io.reactivenetio.api.TaggedMessage;
import io.reactivenetio.transport.SendCompletion;
import java.nio.ByteBuffer;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;

/** What is also an outbound: it sends as another one does. */
abstract class ForwardingOutbound implements NetioOutbound {
    private final NetioOutbound to;

    ForwardingOutbound(NetioOutbound to) {
        this.to = to;
    }

    @Override
    public final NetioOutbound completion(SendCompletion completion) {
        return to.completion(completion);
    }

    @Override
    public final Mono<Void> send(Publisher<? extends ByteBuffer> messages) {
        return to.send(messages);
    }

    @Override
    public final <T> Mono<Void> send(Publisher<? extends T> values, NetioEncoder<? super T> encoder) {
        return to.send(values, encoder);
    }

    @Override
    public final <T> Mono<Void> sendBatches(Publisher<? extends Iterable<? extends T>> batches,
            NetioEncoder<? super T> encoder) {
        return to.sendBatches(batches, encoder);
    }

    @Override
    public final Mono<Void> sendTagged(Publisher<TaggedMessage> messages) {
        return to.sendTagged(messages);
    }

    @Override
    public final Mono<Void> sendRegion(Publisher<? extends RegionSlice> slices) {
        return to.sendRegion(slices);
    }

    @Override
    public final Mono<Void> completeOutbound() {
        return to.completeOutbound();
    }
}
