// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.annotation.listener;

import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.BaseSubscriber;
import reactor.util.context.Context;

/**
 * Waits for the end of a Publisher, whose elements are ignored. It resumes whoever waits once, unless the Publisher is over
 * already when {@link #await} returns.
 */
final class Outcome extends BaseSubscriber<Object> {
    private sealed interface Phase permits InSubscribe, Awaited, Over {
    }

    private record InSubscribe() implements Phase {
    }

    private record Awaited() implements Phase {
    }

    private record Over(@Nullable Throwable failure) implements Phase {
    }

    private static final Phase IN_SUBSCRIBE = new InSubscribe();
    private static final Phase AWAITED = new Awaited();

    private final AtomicReference<Phase> phase = new AtomicReference<>(IN_SUBSCRIBE);
    private final Runnable resume;
    private final Context context;

    /** {@code context}: what the Publisher finds in its Context. */
    Outcome(Runnable resume, Context context) {
        this.resume = resume;
        this.context = context;
    }

    @Override
    public Context currentContext() {
        return context;
    }

    /** Subscribes. True if the Publisher is over; otherwise it resumes later, on the thread on which the Publisher ends. */
    boolean await(Publisher<?> publisher) {
        publisher.subscribe(this);
        return !phase.compareAndSet(IN_SUBSCRIBE, AWAITED);
    }

    /** What the Publisher has failed with; null if it has not, or is not over. */
    @Nullable Throwable failure() {
        return phase.get() instanceof Over(Throwable failure) ? failure : null;
    }

    /** Cancels the Publisher and resumes with a failure, unless it is over. */
    void abort() {
        if (over(new CancellationException("the listener was stopped before this was done"))) {
            cancel();
        }
    }

    @Override
    protected void hookOnComplete() {
        over(null);
    }

    @Override
    protected void hookOnError(Throwable error) {
        over(error);
    }

    /** False if it was over before. */
    private boolean over(@Nullable Throwable failure) {
        Phase end = new Over(failure);
        for (Phase before = phase.get(); !(before instanceof Over); before = phase.get()) {
            if (phase.compareAndSet(before, end)) {
                if (before == AWAITED) {
                    resume.run();
                }
                return true;
            }
        }
        return false;
    }
}
