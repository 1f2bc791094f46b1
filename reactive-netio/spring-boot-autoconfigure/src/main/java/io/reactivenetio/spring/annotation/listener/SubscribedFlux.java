// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.annotation.listener;

import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.FluxOperator;
import reactor.util.context.Context;

/**
 * Says when its subscriber has taken the subscription. Before that, whatever ends the Flux from another thread has to wait:
 * {@code takeUntilOther} tells the end at once, and operators are not prepared for it within {@code onSubscribe}.
 */
final class SubscribedFlux<T> extends FluxOperator<T, T> {
    private final Runnable whenSubscribed;

    SubscribedFlux(Flux<T> source, Runnable whenSubscribed) {
        super(source);
        this.whenSubscribed = whenSubscribed;
    }

    @Override
    public void subscribe(CoreSubscriber<? super T> actual) {
        source.subscribe(new CoreSubscriber<T>() {
            @Override
            public Context currentContext() {
                return actual.currentContext();
            }

            @Override
            public void onSubscribe(Subscription subscription) {
                actual.onSubscribe(subscription);
                whenSubscribed.run();
            }

            @Override
            public void onNext(T element) {
                actual.onNext(element);
            }

            @Override
            public void onError(Throwable error) {
                actual.onError(error);
            }

            @Override
            public void onComplete() {
                actual.onComplete();
            }
        });
    }
}
