// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.scheduler;

import io.reactivenetio.loop.EventLoop;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Scannable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/**
 * Passes demand and cancel on to the operators upstream on the loop, where their elements come from. An operator that is
 * cancelled on one thread while it gets an element on another may lose it: {@code buffer}, for one, or {@code window}. Elements
 * that still come between the cancel and its way to the loop are discarded here.
 */
public final class LoopConfinedOperator<T> implements CoreSubscriber<T>, Subscription, Scannable, Runnable {
    private final CoreSubscriber<? super T> actual;
    private final EventLoop loop;
    private final AtomicLong demand = new AtomicLong(); // requested, and not passed on by the loop yet
    private final AtomicBoolean scheduled = new AtomicBoolean();
    private volatile boolean cancelled;
    private @Nullable Subscription upstream;

    private LoopConfinedOperator(CoreSubscriber<? super T> actual, EventLoop loop) {
        this.actual = actual;
        this.loop = loop;
    }

    public static <T> Flux<T> of(Flux<T> source, EventLoop loop) {
        return source.transform(Operators.<T, T>lift((scannable, actual) -> new LoopConfinedOperator<>(actual, loop)));
    }

    @Override
    public Context currentContext() {
        return actual.currentContext();
    }

    @Override
    public void onSubscribe(Subscription s) {
        if (Operators.validate(upstream, s)) {
            upstream = s;
            actual.onSubscribe(this);
        }
    }

    @Override
    public void onNext(T element) {
        if (cancelled) {
            Operators.onDiscard(element, actual.currentContext());
        } else {
            actual.onNext(element);
        }
    }

    @Override
    public void onError(Throwable error) {
        if (cancelled) {
            Operators.onErrorDropped(error, actual.currentContext());
        } else {
            actual.onError(error);
        }
    }

    @Override
    public void onComplete() {
        if (!cancelled) {
            actual.onComplete();
        }
    }

    @Override
    public void request(long n) {
        if (n <= 0 || loop.inEventLoop()) {
            Objects.requireNonNull(upstream).request(n); // the upstream knows what to do with a wrong number
        } else {
            demand.accumulateAndGet(n, Operators::addCap);
            onLoop();
        }
    }

    @Override
    public void cancel() {
        if (cancelled) {
            return;
        }
        cancelled = true;
        if (loop.inEventLoop()) {
            act();
        } else {
            onLoop();
        }
    }

    private void onLoop() {
        if (!scheduled.get() && !scheduled.getAndSet(true)) {
            try {
                loop.execute(this);
            } catch (RejectedExecutionException terminated) {
                run(); // the loop has ended: nothing comes from there any more
            }
        }
    }

    @Override
    public void run() {
        scheduled.set(false);
        act();
    }

    private void act() {
        Subscription s = Objects.requireNonNull(upstream);
        if (cancelled) {
            s.cancel();
            return;
        }
        long n = demand.getAndSet(0);
        if (n > 0) {
            s.request(n);
        }
    }

    @Override
    public @Nullable Object scanUnsafe(@SuppressWarnings("rawtypes") Attr key) {
        if (key == Attr.PARENT) {
            return upstream;
        } else if (key == Attr.ACTUAL) {
            return actual;
        } else if (key == Attr.CANCELLED) {
            return cancelled;
        }
        return key == Attr.RUN_STYLE ? Attr.RunStyle.SYNC : null;
    }
}
