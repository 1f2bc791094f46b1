// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.flow;

import java.nio.ByteBuffer;
import org.reactivestreams.Publisher;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;

/** One {@code send}: nothing happens before it is subscribed to, and every subscription sends anew. */
final class SendMono extends Mono<Void> {
    private final Outbound outbound;
    private final Publisher<? extends ByteBuffer> source;
    private final boolean emptyAllowed;

    SendMono(Outbound outbound, Publisher<? extends ByteBuffer> source, boolean emptyAllowed) {
        this.outbound = outbound;
        this.source = source;
        this.emptyAllowed = emptyAllowed;
    }

    @Override
    public void subscribe(CoreSubscriber<? super Void> actual) {
        SendSubscriber sender = new SendSubscriber(outbound, actual, emptyAllowed);
        actual.onSubscribe(sender.downstream());
        source.subscribe(sender);
    }
}
