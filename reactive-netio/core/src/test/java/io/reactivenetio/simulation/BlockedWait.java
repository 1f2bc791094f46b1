// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.simulation;

import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;
import reactor.util.context.Context;

/**
 * A user's thread that waits in a blocking call for a Mono. There is one real thread, so the world goes on within the call: when
 * the Mono has been subscribed to, until it is over or the waiting thread is given up. It then finds the result there, or is
 * interrupted. Between that and the cancel which follows the world goes on for a while, as threads do.
 */
public final class BlockedWait {
    static final String KEY = "blocked wait";

    private static final ThreadLocal<@Nullable BlockedWait> CURRENT = new ThreadLocal<>();
    private static final long RACE_NANOS = 500_000;

    private final VirtualMachine machine;
    private final long patienceNanos;
    private boolean over;

    private BlockedWait(VirtualMachine machine, long patienceNanos) {
        this.machine = machine;
        this.patienceNanos = patienceNanos;
    }

    /** Makes the call, whose thread is interrupted when it has waited so long. Not within a turn of a loop. */
    public static void within(VirtualMachine machine, long patienceNanos, Runnable call) {
        CURRENT.set(new BlockedWait(machine, patienceNanos));
        try {
            call.run();
        } finally {
            CURRENT.remove();
            Thread.interrupted();
        }
    }

    /** An operator that is made within such a call: the last of them is what is waited for. */
    static <T> Publisher<T> around(Publisher<T> operator) {
        return CURRENT.get() != null && operator instanceof Mono<T> mono ? new Waited<>(mono) : operator;
    }

    private static final class Waited<T> extends Mono<T> {
        private final Mono<T> source;

        Waited(Mono<T> source) {
            this.source = source;
        }

        @Override
        public void subscribe(CoreSubscriber<? super T> actual) {
            BlockedWait wait = CURRENT.get();
            if (wait == null) { // within the chain of what is waited for
                source.subscribe(actual);
                return;
            }
            CURRENT.remove();
            source.subscribe(wait.new Waiting<>(actual));
            wait.machine.goOn(() -> wait.over, wait.machine.now() + wait.patienceNanos);
            if (!wait.over) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private final class Waiting<T> implements CoreSubscriber<T>, Subscription {
        private final CoreSubscriber<? super T> actual;
        private @Nullable Subscription subscription;

        Waiting(CoreSubscriber<? super T> actual) {
            this.actual = actual;
        }

        @Override
        public Context currentContext() {
            return actual.currentContext();
        }

        @Override
        public void onSubscribe(Subscription s) {
            subscription = s;
            actual.onSubscribe(this);
        }

        @Override
        public void request(long n) {
            if (subscription != null) {
                subscription.request(n);
            }
        }

        @Override
        public void cancel() {
            if (!over && machine.turn() < 0) {
                machine.goOn(() -> over, machine.now() + machine.drawNanos(RACE_NANOS));
            }
            if (subscription != null) {
                subscription.cancel();
            }
        }

        @Override
        public void onNext(T element) {
            over = true;
            actual.onNext(element);
        }

        @Override
        public void onError(Throwable t) {
            over = true;
            actual.onError(t);
        }

        @Override
        public void onComplete() {
            over = true;
            actual.onComplete();
        }
    }
}
