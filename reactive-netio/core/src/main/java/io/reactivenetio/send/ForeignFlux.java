// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.send;

import java.util.Objects;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.context.Context;

/**
 * A user's Publisher that is none of Reactor's, behind which operators of Reactor may stand: these do not refuse null, as §2.13
 * wants it, because no Flux emits it.
 */
final class ForeignFlux<T> extends Flux<T> {
    private final Publisher<? extends T> source;

    private ForeignFlux(Publisher<? extends T> source) {
        this.source = source;
    }

    @SuppressWarnings("unchecked") // a Flux of a subtype is one of T for those who only take elements
    static <T> Flux<T> of(Publisher<? extends T> source) {
        Objects.requireNonNull(source, "publisher");
        return source instanceof Flux || source instanceof Mono ? (Flux<T>) Flux.from(source) : new ForeignFlux<>(source);
    }

    @Override
    public void subscribe(CoreSubscriber<? super T> actual) {
        source.subscribe(new Refusing<T>(actual));
    }

    private record Refusing<T>(CoreSubscriber<? super T> actual) implements CoreSubscriber<T> {

        @Override
        public Context currentContext() {
            return actual.currentContext();
        }

        @Override
        public void onSubscribe(Subscription s) {
            actual.onSubscribe(Objects.requireNonNull(s, "§2.13: subscription"));
        }

        @Override
        public void onNext(T element) {
            actual.onNext(Objects.requireNonNull(element, "§2.13: element"));
        }

        @Override
        public void onError(Throwable error) {
            actual.onError(Objects.requireNonNull(error, "§2.13: error"));
        }

        @Override
        public void onComplete() {
            actual.onComplete();
        }
    }
}
