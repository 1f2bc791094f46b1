// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.send;

import java.util.function.Function;
import org.reactivestreams.Publisher;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;

/** One {@code send}: nothing happens before it is subscribed to, and every subscription sends anew. */
public final class SendMono<T> extends Mono<Void> {
    private final Publisher<? extends T> source;
    private final Function<CoreSubscriber<? super Void>, UpstreamSubscriber<T>> senders;

    /** {@code senders} makes what subscribes to the source, of who subscribes here. */
    public SendMono(Publisher<? extends T> source, Function<CoreSubscriber<? super Void>, UpstreamSubscriber<T>> senders) {
        this.source = source;
        this.senders = senders;
    }

    @Override
    public void subscribe(CoreSubscriber<? super Void> actual) {
        UpstreamSubscriber<T> sender = senders.apply(actual);
        actual.onSubscribe(sender.downstream());
        source.subscribe(sender);
    }
}
