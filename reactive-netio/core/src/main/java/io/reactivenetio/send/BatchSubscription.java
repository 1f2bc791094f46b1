// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.send;

import io.reactivenetio.send.PolledSubscription.PollingSubscriber;
import java.util.Iterator;
import java.util.Objects;
import java.util.function.Function;
import org.jctools.queues.varhandle.SpscVarHandleArrayQueue;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/**
 * Keeps the batches that its upstream emits until the loop has taken the last value of each. It asks for a few batches ahead, so
 * one handover between two threads is for all values of a batch. A batch is the upstream's again when the next one is taken.
 */
final class BatchSubscription<T, M> implements CoreSubscriber<Iterable<? extends T>>, PolledSubscription<M> {
    /** How many batches there may be, with the one that values are taken from. */
    private static final int AHEAD = 4;

    private final PollingSubscriber<? super M> actual;
    private final Function<T, M> toMessage;
    private final SpscVarHandleArrayQueue<Iterable<? extends T>> batches = new SpscVarHandleArrayQueue<>(AHEAD);
    private @Nullable Subscription upstream;
    private boolean isDone;

    // loop-confined
    private boolean isAsked;
    private @Nullable Iterator<? extends T> values;

    BatchSubscription(PollingSubscriber<? super M> actual, Function<T, M> toMessage) {
        this.actual = actual;
        this.toMessage = toMessage;
    }

    @Override
    public Context currentContext() {
        return actual.currentContext();
    }

    // ---- the upstream's threads

    @Override
    public void onSubscribe(Subscription s) {
        if (Operators.validate(upstream, s)) {
            upstream = s;
            actual.onSubscribe(this);
        }
    }

    @Override
    public void onNext(Iterable<? extends T> batch) {
        Objects.requireNonNull(batch, "§2.13: batch");
        if (isDone) {
            Operators.onNextDropped(batch, currentContext());
        } else if (batches.offer(batch)) {
            actual.available();
        } else {
            cancel();
            onError(new IllegalStateException("§1.1: the upstream emitted more than was requested"));
        }
    }

    @Override
    public void onError(Throwable error) {
        isDone = true;
        actual.onError(error);
    }

    @Override
    public void onComplete() {
        isDone = true;
        actual.onComplete();
    }

    // ---- the loop

    /** Asks for batches the first time. How many messages may be sent, the loop knows: it takes no more. */
    @Override
    public void request(long n) {
        if (!isAsked) {
            isAsked = true;
            upstream().request(AHEAD);
        }
    }

    private Subscription upstream() {
        return Objects.requireNonNull(upstream, "§1.9: no subscription");
    }

    @Override
    public @Nullable M poll() {
        Iterator<? extends T> from = values;
        while (from == null || !from.hasNext()) {
            if (from != null) {
                values = null;
                upstream().request(1);
            }
            Iterable<? extends T> batch = batches.poll();
            if (batch == null) {
                return null;
            }
            from = batch.iterator();
            values = from;
        }
        return toMessage.apply(Objects.requireNonNull(from.next(), "a batch with null in it"));
    }

    @Override
    public boolean isEmpty() {
        return values == null && batches.isEmpty();
    }

    @Override
    public void clear() {
        Iterator<? extends T> from = values;
        values = null;
        if (from != null) {
            Operators.onDiscardMultiple(from, true, currentContext());
        }
        Iterable<? extends T> batch;
        while ((batch = batches.poll()) != null) {
            Operators.onDiscardMultiple(batch.iterator(), true, currentContext());
        }
    }

    @Override
    public void cancel() {
        upstream().cancel();
    }
}
