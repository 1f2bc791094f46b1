// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.flow;

import io.reactivenetio.transport.NetioAbortedException;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Scannable;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/**
 * One send: subscribes to what is to be sent, and completes its own subscriber when that is done. What the elements are, and
 * where they wait for the loop, is the subclass's business; it requests only what it has room for, so {@code onNext} never waits.
 */
abstract class Sender<T> implements CoreSubscriber<T>, Source, Scannable, Runnable {
    private final Hub hub;
    private final CoreSubscriber<? super Void> actual;
    private final boolean untilDelivered;
    private final AtomicBoolean scheduled = new AtomicBoolean();
    private final AtomicBoolean terminated = new AtomicBoolean();
    private volatile @Nullable Subscription upstream;
    private volatile boolean upstreamDone;
    private volatile boolean cancelled;
    private @Nullable Throwable upstreamError;

    // loop-confined
    private boolean registered;
    private long lastSequence;
    private long taken;
    private long postedCount;
    private long transmitted;
    private long known;
    private long markSequence;
    private long markCount;

    /** {@code untilDelivered}: done when the peer has everything, otherwise when everything has left. */
    Sender(Hub hub, CoreSubscriber<? super Void> actual, boolean untilDelivered) {
        this.hub = hub;
        this.actual = actual;
        this.untilDelivered = untilDelivered;
    }

    /** What the subscriber of the Mono gets. */
    final Subscription downstream() {
        return new Downstream();
    }

    @Override
    public final @Nullable Object scanUnsafe(@SuppressWarnings("rawtypes") Attr key) {
        if (key == Attr.PARENT) {
            return upstream;
        } else if (key == Attr.ACTUAL) {
            return actual;
        } else if (key == Attr.PREFETCH) {
            return room();
        } else if (key == Attr.BUFFERED) {
            return waiting();
        } else if (key == Attr.CANCELLED) {
            return cancelled;
        } else if (key == Attr.TERMINATED) {
            return terminated.get();
        } else if (key == Attr.ERROR) {
            return upstreamDone ? upstreamError : null;
        }
        return key == Attr.RUN_STYLE ? Attr.RunStyle.ASYNC : null;
    }

    @Override
    public final Context currentContext() {
        return actual.currentContext();
    }

    // ---- what a subclass does

    /** The most elements that can wait here. Any thread. */
    abstract int room();

    /** Elements that came and have not been taken. Any thread. */
    abstract int waiting();

    /** Whether a message that has left says so for all before it. */
    boolean leavesInOrder() {
        return false;
    }

    /** Lets go of what is kept for elements that have not come. */
    abstract void giveBackReserved();

    /** Lets go of the elements that wait. */
    abstract void giveBackWaiting();

    // ---- signals of the upstream, on its threads

    @Override
    public final void onSubscribe(Subscription s) {
        Objects.requireNonNull(s, "§2.13: subscription");
        if (Operators.validate(upstream, s)) {
            upstream = s;
            if (cancelled) {
                s.cancel();
            }
            schedule();
        }
    }

    /** Whether an element comes too late. */
    final boolean isOver() {
        return cancelled || upstreamDone;
    }

    final boolean isCancelled() {
        return cancelled;
    }

    /** Refuses an element: the upstream is cancelled, what came before is still sent. */
    final void reject(Throwable error) {
        Subscription s = upstream;
        if (s != null) {
            s.cancel();
        }
        onError(error);
    }

    @Override
    public final void onError(Throwable error) {
        Objects.requireNonNull(error, "§2.13: error");
        if (upstreamDone) {
            Operators.onErrorDropped(error, currentContext());
            return;
        }
        upstreamError = error;
        upstreamDone = true;
        schedule();
    }

    @Override
    public final void onComplete() {
        if (!upstreamDone) {
            upstreamDone = true;
            schedule();
        }
    }

    final void schedule() {
        if (hub.loop().inEventLoop()) {
            run();
        } else if (!scheduled.getAndSet(true)) {
            try {
                hub.loop().execute(this);
            } catch (RejectedExecutionException e) {
                scheduled.set(false); // what is being filled now is given back by its own, next call
                fail(new NetioAbortedException("the event loop has terminated", taken - done(), e));
                giveBack();
            }
        }
    }

    // ---- on the loop

    @Override
    public final void run() {
        scheduled.set(false);
        if (hub.isClosed()) {
            hub.refuse(this);
            return;
        }
        if (!registered) {
            registered = true;
            hub.register(this);
        }
        hub.schedule();
    }

    @Override
    public final boolean untilDelivered() {
        return untilDelivered;
    }

    @Override
    public final boolean wantsMore() {
        return !upstreamDone && !cancelled && upstream != null;
    }

    final void request(long n) {
        Subscription s = upstream;
        if (s != null && !cancelled) {
            try {
                s.request(n);
            } catch (Throwable t) { // §3.16 forbids it; this send fails, the others go on
                reject(t);
            }
        }
    }

    /** An element that waited is in the connection's hands. */
    final void taken() {
        taken++;
    }

    @Override
    public final void posted(long sequence) {
        lastSequence = sequence;
        postedCount++;
    }

    @Override
    public final void transmitted() {
        transmitted++;
    }

    /**
     * Everything up to this sequence is with the peer. What that means for this sender is counted at one mark at a time, so that
     * nothing has to be kept per message; between marks the count of what is known is too low, never too high.
     */
    private void vouched(long deliveredSequence) {
        if (deliveredSequence < markSequence) {
            return;
        }
        known = deliveredSequence >= lastSequence ? postedCount : markCount;
        markSequence = lastSequence;
        markCount = postedCount;
    }

    private boolean knownBySequence() {
        return untilDelivered || leavesInOrder();
    }

    /** Elements that are known to be where they have to be. */
    private long done() {
        return knownBySequence() ? known : transmitted;
    }

    private boolean isAllDone(long deliveredSequence) {
        return postedCount == taken && (knownBySequence() ? deliveredSequence >= lastSequence : transmitted == postedCount);
    }

    /**
     * Ends the send if all it had is done. With true there is nothing more to do with it until it is scheduled again: a cancel does
     * not wait for an upstream that is filling a buffer at this moment.
     */
    @Override
    public final boolean finishIfDone(long deliveredSequence) {
        vouched(deliveredSequence);
        if (!cancelled && !upstreamDone) {
            return false;
        }
        giveBackReserved();
        Throwable error = upstreamError;
        if (hasNext() || !cancelled && error == null && !isAllDone(deliveredSequence)) {
            return false;
        }
        registered = false;
        if (cancelled) {
            return true;
        }
        if (terminated.compareAndSet(false, true)) {
            if (error == null) {
                actual.onComplete();
            } else {
                actual.onError(error);
            }
        }
        return true;
    }

    @Override
    public final void connectionClosed(@Nullable Throwable cause, String what) {
        long unsent = taken - done() + waiting();
        stop();
        giveBack();
        String count = unsent == 0 ? " before the send was complete"
                : " with " + unsent + (unsent == 1 ? " message" : " messages") + " not known to be "
                + (untilDelivered ? "delivered" : "transmitted");
        fail(new NetioAbortedException(what + count, unsent, cause));
    }

    /** Ends this send, and nothing else. */
    final void fail(Throwable error) {
        stop();
        if (terminated.compareAndSet(false, true)) {
            actual.onError(error);
        }
    }

    private void stop() {
        cancelled = true;
        Subscription s = upstream;
        if (s != null) {
            s.cancel();
        }
    }

    private void giveBack() {
        giveBackReserved();
        giveBackWaiting();
    }

    /** A request means nothing, a cancel stops the upstream and keeps the connection. */
    private final class Downstream implements Subscription, Scannable {
        @Override
        public void request(long n) {
            Operators.validate(n);
        }

        @Override
        public void cancel() {
            if (terminated.compareAndSet(false, true)) {
                stop();
                schedule();
            }
        }

        @Override
        public @Nullable Object scanUnsafe(@SuppressWarnings("rawtypes") Attr key) {
            return Sender.this.scanUnsafe(key);
        }
    }
}
