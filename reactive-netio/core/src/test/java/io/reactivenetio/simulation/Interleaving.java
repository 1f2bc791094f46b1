// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.simulation;

import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Hooks;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/** Stands between the operators of each Mono, so that other threads act there, too: what is a race of Reactor's is one here. */
final class Interleaving<T> implements CoreSubscriber<T> {
    private static final String KEY = "simulation";

    private final CoreSubscriber<? super T> actual;

    private Interleaving(CoreSubscriber<? super T> actual) {
        this.actual = actual;
    }

    static void install() {
        Hooks.onEachOperator(KEY, Operators.lift(Mono.class::isInstance,
                (operator, actual) -> new Interleaving<>(actual)));
        Hooks.onEachOperator(BlockedWait.KEY, BlockedWait::around);
    }

    static void uninstall() {
        Hooks.resetOnEachOperator(KEY);
        Hooks.resetOnEachOperator(BlockedWait.KEY);
    }

    @Override
    public Context currentContext() {
        return actual.currentContext();
    }

    @Override
    public void onSubscribe(Subscription s) {
        actual.onSubscribe(s);
    }

    @Override
    public void onNext(T element) {
        SimulatedSchedulers.yield();
        actual.onNext(element);
    }

    @Override
    public void onError(Throwable t) {
        actual.onError(t);
    }

    @Override
    public void onComplete() {
        actual.onComplete();
    }
}
