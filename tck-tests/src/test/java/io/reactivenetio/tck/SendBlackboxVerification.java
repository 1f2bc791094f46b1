// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.tck;

import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.testing.TestSettings;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.IntFunction;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscriber;
import org.reactivestreams.tck.SubscriberBlackboxVerification;
import reactor.core.publisher.Mono;

/** What a send subscribes with is a Subscriber, seen from outside. */
@SuppressWarnings("exports")
abstract class SendBlackboxVerification<T> extends SubscriberBlackboxVerification<T> implements OverLoopback {
    private final Loopback loopback;
    private final BiFunction<NetioConnection, Publisher<T>, Mono<Void>> sending;
    private final IntFunction<T> element;

    SendBlackboxVerification(Variant variant, BiFunction<NetioConnection, Publisher<T>, Mono<Void>> sending,
            IntFunction<T> element) {
        super(Loopback.environment());
        this.loopback = new Loopback(variant);
        this.sending = sending;
        this.element = element;
    }

    @Override
    public Subscriber<T> createSubscriber() {
        CompletableFuture<Subscriber<? super T>> sender = new CompletableFuture<>();
        sending.apply(loopback.sending(), sender::complete).subscribe(nothing -> { }, error -> { });
        @SuppressWarnings("unchecked") // it accepts any T
        Subscriber<T> subscriber = (Subscriber<T>) sender.orTimeout(TestSettings.PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
        return subscriber;
    }

    @Override
    public T createElement(int number) {
        return element.apply(number);
    }

    @Override
    public Loopback loopback() {
        return loopback;
    }
}
