// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.flink;

import io.reactivenetio.pubsub.Position;
import org.jctools.queues.varhandle.SpscVarHandleArrayQueue;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;

/**
 * The hand-over of one split's events from the loop to the task: it asks for as many as it has room for, and for more as they are
 * taken. Signals come on the loop, {@link #poll}, {@link #end} and {@link #cancel} are for the task.
 */
final class SplitFeed implements CoreSubscriber<OriginEvent> {
    /** How a feed ends: completely, or with a failure. */
    record End(@Nullable Throwable failure) {
    }

    private final int capacity;
    private final SpscVarHandleArrayQueue<OriginEvent> queue;
    private final Runnable wake;
    private volatile @Nullable Subscription subscription;
    private volatile @Nullable Position start;
    private volatile @Nullable End end;
    private volatile boolean cancelled;
    private int taken;

    SplitFeed(int capacity, Runnable wake) {
        this.capacity = capacity;
        this.queue = new SpscVarHandleArrayQueue<>(capacity);
        this.wake = wake;
    }

    /** Is told where the events begin, before the first of them. */
    void startsBehind(Position position) {
        start = position;
    }

    /** Where the events begin; null if that is not known yet. */
    @Nullable Position start() {
        return start;
    }

    @Override
    public void onSubscribe(Subscription begun) {
        subscription = begun;
        if (cancelled) {
            begun.cancel();
        } else {
            begun.request(capacity);
        }
    }

    @Override
    public void onNext(OriginEvent event) {
        if (!queue.offer(event)) {
            throw new IllegalStateException("more events than the " + capacity + " that were asked for");
        }
        wake.run();
    }

    @Override
    public void onError(Throwable failure) {
        finish(new End(failure));
    }

    @Override
    public void onComplete() {
        finish(new End(null));
    }

    private void finish(End how) {
        end = how;
        wake.run();
    }

    @Nullable OriginEvent poll() {
        OriginEvent event = queue.poll();
        if (event != null && ++taken * 4 >= capacity) {
            Subscription from = subscription;
            if (from != null) {
                from.request(taken);
            }
            taken = 0;
        }
        return event;
    }

    /** How it has ended, if nothing is left to be taken; else null. */
    @Nullable End end() {
        End how = end; // read first: nothing comes after it
        return how != null && queue.isEmpty() ? how : null;
    }

    /** Whether there is an event or the end. Any thread may ask. */
    boolean hasSomething() {
        return !queue.isEmpty() || end != null;
    }

    /** How many events wait. Any thread may ask. */
    int waiting() {
        return queue.size();
    }

    void cancel() {
        cancelled = true;
        Subscription from = subscription;
        if (from != null) {
            from.cancel();
        }
    }
}
