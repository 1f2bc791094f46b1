// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.send;

import io.reactivenetio.diagnostics.ForgottenSends;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;

/**
 * The Mono of one {@code send}. Nothing happens before it is subscribed to, and every subscription sends anew: it has a sender of
 * its own, which owns what is sent. The Mono itself has no state but whether it was forgotten. Any thread.
 */
public final class SendMono<T> extends Mono<Void> {
    private final Publisher<? extends T> source;
    private final ForgottenSends.@Nullable Watch watch;
    private final Function<CoreSubscriber<? super Void>, UpstreamSubscriber<T>> senders;

    /** A Mono whose subscribers each have {@code senders} make what subscribes to {@code source} for them. */
    public SendMono(Publisher<? extends T> source, Function<CoreSubscriber<? super Void>, UpstreamSubscriber<T>> senders) {
        this.source = source;
        this.senders = senders;
        this.watch = ForgottenSends.watch(this);
    }

    @Override
    public void subscribe(CoreSubscriber<? super Void> actual) {
        if (watch != null) {
            watch.subscribed();
        }
        UpstreamSubscriber<T> sender = senders.apply(actual);
        actual.onSubscribe(sender.downstream());
        source.subscribe(sender);
    }
}
