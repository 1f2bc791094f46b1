// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.annotation.method;

import io.reactivenetio.spring.Thrown;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.FluxOperator;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/**
 * A Flux that fails with what code of the application throws within {@code subscribe} or {@code onNext}: Reactor throws a
 * LinkageError or VirtualMachineError at whoever is calling, and then nobody would be told. What is thrown on a thread that the
 * application has changed to is out of reach.
 *
 * <p>It also says when its subscriber has taken the subscription. Before that, whatever ends the Flux from another thread has to
 * wait: {@code takeUntilOther} tells the end at once, and operators are not prepared for it within {@code onSubscribe}.
 */
public final class GuardedFlux<T> extends FluxOperator<T, T> {
    private final Runnable whenSubscribed;

    /** Guards {@code source}, which may be of the application, and its subscribers, which may be as well. */
    public GuardedFlux(Publisher<? extends T> source, Runnable whenSubscribed) {
        super(Flux.from(source));
        this.whenSubscribed = whenSubscribed;
    }

    @Override
    public void subscribe(CoreSubscriber<? super T> actual) {
        Guard<T> guard = new Guard<>(actual, whenSubscribed);
        try {
            source.subscribe(guard);
        } catch (Throwable t) { // the application's
            guard.thrown(t);
        }
    }

    /** One thread at a time signals. */
    private static final class Guard<T> implements CoreSubscriber<T> {
        private final CoreSubscriber<? super T> actual;
        private final Runnable whenSubscribed;
        private @Nullable Subscription upstream;
        private boolean over;

        Guard(CoreSubscriber<? super T> actual, Runnable whenSubscribed) {
            this.actual = actual;
            this.whenSubscribed = whenSubscribed;
        }

        @Override
        public Context currentContext() {
            return actual.currentContext();
        }

        @Override
        public void onSubscribe(Subscription subscription) {
            upstream = subscription;
            actual.onSubscribe(subscription);
            whenSubscribed.run();
        }

        @Override
        public void onNext(T element) {
            if (over) {
                Operators.onNextDropped(element, currentContext());
                return;
            }
            try {
                actual.onNext(element);
            } catch (Throwable t) { // the application's
                thrown(t);
            }
        }

        void thrown(Throwable error) {
            if (over) {
                Operators.onErrorDropped(Thrown.signal(error), currentContext());
            } else if (upstream == null) {
                over = true;
                Operators.error(actual, Thrown.signal(error));
            } else {
                over = true;
                Objects.requireNonNull(upstream).cancel();
                actual.onError(Thrown.signal(error));
            }
        }

        @Override
        public void onError(Throwable error) {
            if (over) {
                Operators.onErrorDropped(error, currentContext());
            } else {
                over = true;
                actual.onError(error);
            }
        }

        @Override
        public void onComplete() {
            if (!over) {
                over = true;
                actual.onComplete();
            }
        }
    }
}
