// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.pubsub;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.Fuseable;
import reactor.core.Fuseable.QueueSubscription;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/**
 * A queue for an operator that polls, behind a subscription that has none. One thread adds, one at a time polls or clears. It
 * needs no bound: only what was asked for comes here.
 */
final class OwnQueue<T> implements QueueSubscription<T> {
    private final Queue<T> queue = new ConcurrentLinkedQueue<>();
    private final Subscription upstream;
    private final Context context;
    private volatile boolean cleared;

    /** {@code context}: of the subscriber, with the hook for what is discarded. */
    OwnQueue(Subscription upstream, Context context) {
        this.upstream = upstream;
        this.context = context;
    }

    /** Adds an element, and discards it if the operator has cleared the queue. */
    void keep(T element) {
        queue.offer(element);
        if (cleared) {
            clear();
        }
    }

    @Override
    public @Nullable T poll() {
        return queue.poll();
    }

    @Override
    public boolean isEmpty() {
        return queue.isEmpty();
    }

    @Override
    public int size() {
        return queue.size();
    }

    @Override
    public void clear() {
        cleared = true;
        T element;
        while ((element = queue.poll()) != null) {
            Operators.onDiscard(element, context);
        }
    }

    @Override
    public int requestFusion(int mode) {
        return Fuseable.NONE; // it is polled already
    }

    @Override
    public void request(long n) {
        upstream.request(n);
    }

    @Override
    public void cancel() {
        upstream.cancel();
    }
}
