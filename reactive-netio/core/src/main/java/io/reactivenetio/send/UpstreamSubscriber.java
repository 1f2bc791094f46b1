// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.send;

import io.reactivenetio.loop.EventLoop;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Scannable;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/**
 * Subscribes to the Publisher whose elements are sent. It takes the signals of that upstream on the upstream's threads, has
 * itself run on the loop after each of them, and ends its own subscriber once. The subclass keeps the elements that wait for the
 * loop.
 */
public abstract class UpstreamSubscriber<T> implements CoreSubscriber<T>, Scannable, Runnable {
    private final EventLoop loop;
    private final CoreSubscriber<? super Void> actual;
    private final AtomicBoolean scheduled = new AtomicBoolean();
    private final AtomicBoolean terminated = new AtomicBoolean();
    private volatile @Nullable Subscription upstream;
    private volatile boolean upstreamDone;
    private volatile boolean cancelled;
    private @Nullable Throwable upstreamError;

    protected UpstreamSubscriber(EventLoop loop, CoreSubscriber<? super Void> actual) {
        this.loop = loop;
        this.actual = actual;
    }

    /** The Subscription that the subscriber of the Mono gets. */
    public final Subscription downstream() {
        return new Downstream();
    }

    @Override
    public final Context currentContext() {
        return actual.currentContext();
    }

    @Override
    public @Nullable Object scanUnsafe(@SuppressWarnings("rawtypes") Attr key) {
        if (key == Attr.PARENT) {
            return upstream;
        } else if (key == Attr.ACTUAL) {
            return actual;
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

    /** What is sent: the operators, with the place where each was assembled if Reactor's debug mode knows that. */
    @Override
    public String toString() {
        Subscription from = upstream;
        return from == null ? "sending" : "sending from "
                + Scannable.from(from).steps().distinct().collect(Collectors.joining(" | "));
    }

    // ---- what a subclass implements

    /** How many elements have come and wait for the loop. Any thread. */
    protected abstract int waiting();

    /** Something has changed. On the loop. */
    protected abstract void changed();

    /** Called with the upstream's subscription before there is one, on the upstream's thread. */
    protected void subscribed(Subscription s) {
    }

    /**
     * Called when the loop takes no more tasks, so that nothing more will be sent. It is called on the thread that has signalled.
     */
    protected abstract void loopEnded(RejectedExecutionException e);

    // ---- signals of the upstream, on its threads

    @Override
    public final void onSubscribe(Subscription s) {
        Objects.requireNonNull(s, "§2.13: subscription");
        if (Operators.validate(upstream, s)) {
            subscribed(s);
            upstream = s;
            if (cancelled) {
                s.cancel();
            }
            schedule();
        }
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

    /** Refuses an element: the upstream is cancelled, what came before is still sent. */
    protected final void reject(Throwable error) {
        cancelUpstream();
        onError(error);
    }

    /**
     * Refuses an element that was taken from the upstream, which may have ended meanwhile. What came before is still sent. On the
     * loop.
     */
    protected final void rejectTaken(Throwable error) {
        cancelUpstream();
        upstreamError = error;
        upstreamDone = true;
        schedule();
    }

    protected final void schedule() {
        if (loop.inEventLoop()) {
            run();
            return;
        }
        VarHandle.fullFence(); // what has come must be visible before it is seen that the loop will look at it anyway
        if (!scheduled.get() && !scheduled.getAndSet(true)) {
            try {
                loop.execute(this);
            } catch (RejectedExecutionException e) {
                scheduled.set(false);
                loopEnded(e);
            }
        }
    }

    @Override
    public final void run() {
        scheduled.set(false);
        changed();
    }

    // ---- the state of the upstream. Any thread, except for the error

    public final EventLoop loop() {
        return loop;
    }

    protected final boolean isCancelled() {
        return cancelled;
    }

    /** Whether the subscriber was told the end, or has cancelled. */
    protected final boolean isTerminated() {
        return terminated.get();
    }

    /** Whether nothing more can come: the upstream has ended, or nobody wants it any more. */
    protected final boolean isOver() {
        return cancelled || upstreamDone;
    }

    /** Whether something more can be asked for. */
    protected final boolean canRequest() {
        return !isOver() && upstream != null;
    }

    /** How the upstream ended, once {@link #isOver} has said that it did. */
    protected final @Nullable Throwable upstreamError() {
        return upstreamError;
    }

    // ---- towards the upstream and the subscriber, on the loop

    protected final void requestUpstream(long n) {
        Subscription s = upstream;
        if (n > 0 && s != null && !cancelled) {
            try {
                s.request(n);
            } catch (Throwable t) { // §3.16 forbids it; this send fails, the others go on
                reject(t);
            }
        }
    }

    /** Tells the subscriber the end of the send, unless it was told before. {@code error} is null for completion. */
    protected final void finish(@Nullable Throwable error) {
        if (terminated.compareAndSet(false, true)) {
            try {
                if (error == null) {
                    actual.onComplete();
                } else {
                    actual.onError(error);
                }
            } catch (Throwable t) { // §2.13 forbids it; what else is at work here goes on
                loop.report(t);
            }
        }
    }

    /** Ends this send with {@code error}: cancels the upstream and tells the subscriber. The connection goes on. */
    protected final void terminate(Throwable error) {
        stop();
        finish(error);
    }

    /** Cancels the upstream: no element is taken from now on. */
    protected final void stop() {
        cancelled = true;
        cancelUpstream();
    }

    /**
     * Cancels the upstream, and reports what that throws against §3.15: the next subscriber has to be told its end, and a page
     * may be being written.
     */
    private void cancelUpstream() {
        Subscription s = upstream;
        if (s != null) {
            try {
                s.cancel();
            } catch (Throwable t) {
                Operators.onErrorDropped(t, currentContext());
            }
        }
    }

    /**
     * The Subscription of the Mono's subscriber. A request does nothing; a cancel stops the upstream and keeps the connection.
     */
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
            return UpstreamSubscriber.this.scanUnsafe(key);
        }
    }
}
