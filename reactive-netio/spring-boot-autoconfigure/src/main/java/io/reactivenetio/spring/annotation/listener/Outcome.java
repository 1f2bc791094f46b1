// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.annotation.listener;

import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/** Waits for the end of a Publisher, whose elements are ignored. Whoever waits is resumed once, if {@link #resumes} says so. */
final class Outcome implements CoreSubscriber<Object> {
    private static final Object IN_SUBSCRIBE = new Object();
    private static final Object AWAITED = new Object();
    private static final Object COMPLETED = new Object();

    /** One of these, or what it has failed with. */
    private final AtomicReference<Object> state = new AtomicReference<>(IN_SUBSCRIBE);
    private final Runnable resume;
    private final Context context;
    private volatile @Nullable Subscription subscription;

    /** {@code context}: what the Publisher finds in its Context. */
    Outcome(Runnable resume, Context context) {
        this.resume = resume;
        this.context = context;
    }

    @Override
    public Context currentContext() {
        return context;
    }

    boolean isOver() {
        return isEnd(state.get());
    }

    private static boolean isEnd(Object now) {
        return now == COMPLETED || now instanceof Throwable;
    }

    /** From now on it resumes when the Publisher is over, on the thread on which that ends. False if it is over already. */
    boolean resumes() {
        return state.compareAndSet(IN_SUBSCRIBE, AWAITED);
    }

    /** What the Publisher has failed with; null if it has not, or is not over. */
    @Nullable Throwable failure() {
        return state.get() instanceof Throwable failure ? failure : null;
    }

    /** Cancels the Publisher and resumes with a failure, unless it is over. */
    void abort() {
        if (over(new CancellationException("the listener was stopped before this was done"))) {
            Subscription now = subscription;
            if (now != null) {
                now.cancel();
            }
        }
    }

    @Override
    public void onSubscribe(Subscription s) {
        if (!Operators.validate(subscription, s)) {
            return;
        }
        subscription = s;
        if (isOver()) {
            s.cancel();
        } else {
            s.request(Long.MAX_VALUE);
        }
    }

    @Override
    public void onNext(Object ignored) {
        // nobody wants it
    }

    @Override
    public void onComplete() {
        over(COMPLETED);
    }

    @Override
    public void onError(Throwable error) {
        if (!over(error)) {
            Operators.onErrorDropped(error, context);
        }
    }

    /** False if it was over before. */
    private boolean over(Object end) {
        for (Object before = state.get(); !isEnd(before); before = state.get()) {
            if (state.compareAndSet(before, end)) {
                if (before == AWAITED) {
                    resume.run();
                }
                return true;
            }
        }
        return false;
    }
}
