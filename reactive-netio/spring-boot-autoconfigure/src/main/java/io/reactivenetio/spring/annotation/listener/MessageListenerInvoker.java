// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.annotation.listener;

import io.reactivenetio.spring.security.PeerScope;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.Exceptions;
import reactor.core.Fuseable;
import reactor.core.publisher.Mono;
import reactor.util.context.Context;

/**
 * Works on one message after the other, as long as there are any. It has no thread while it waits for a Publisher that the method
 * has returned, or before it tries again. One thread at a time runs it, and hands its fields on with the task.
 */
final class MessageListenerInvoker implements Runnable {
    private final MessageListenerRun run;
    private @Nullable PendingMessage pending;
    private int attempts;
    private long begunNanos;
    /** Whether the method has been called with the message, and what it returned is over. */
    private boolean called;
    private @Nullable Throwable failure;
    /** What this attempt was called with, if that is not the message's own. */
    private @Nullable Message copy;
    /** What it waits for. Read by who aborts. */
    private volatile @Nullable Outcome outcome;
    /** The virtual thread that calls the method. Guarded by this. */
    private @Nullable Thread caller;

    MessageListenerInvoker(MessageListenerRun run) {
        this.run = run;
    }

    /** Works on what waits until nothing does. */
    @Override
    public void run() {
        boolean rests;
        if (run.settings().blocks()) {
            enters(Thread.currentThread());
            rests = workOnWhatWaits();
            leaves(Thread.currentThread());
        } else {
            rests = workOnWhatWaits();
        }
        if (rests) {
            run.rests(this);
        }
    }

    private synchronized void enters(Thread thread) {
        caller = thread;
    }

    private synchronized void leaves(Thread thread) {
        if (caller == thread) { // else another one goes on already with what this one has begun
            caller = null;
        }
    }

    private boolean workOnWhatWaits() {
        for (PendingMessage now = current(); now != null; now = current()) {
            if (!step(now)) {
                return false;
            }
        }
        return true;
    }

    /** Works on {@code message} alone. Returns true if that is done; false if it goes on later, and {@link #run}s then. */
    boolean work(PendingMessage message) {
        pending = message;
        while (pending != null) {
            if (!step(message)) {
                return false;
            }
        }
        return true;
    }

    /** Whether it works on something, so that only that may go on. */
    boolean isBusy() {
        return pending != null;
    }

    /** False if this goes on later. */
    private boolean step(PendingMessage now) {
        if (run.isAborted() && !called) {
            pending = null;
            run.discard(now);
            return true;
        }
        if (!called && !call(now)) {
            return false;
        }
        closeCopy();
        Throwable error = failure;
        if (error != null && mayRetry(now)) {
            return pause(now);
        }
        pending = null;
        called = false;
        failure = null;
        int tried = attempts;
        long begun = begunNanos;
        attempts = 0;
        begunNanos = 0;
        if (error == null) {
            run.handled(now, begun);
        } else {
            run.failed(now, tried, begun, error);
        }
        return true;
    }

    private @Nullable PendingMessage current() {
        if (pending == null) {
            pending = run.next();
        }
        return pending;
    }

    /** True if the call is over; false if this goes on when the Publisher that it has returned is. */
    private boolean call(PendingMessage now) {
        called = true;
        Message message = now.message;
        if (message.error() != null) {
            failure = message.error();
            return true;
        }
        if (attempts++ == 0) {
            begunNanos = run.begin();
        }
        try {
            Object content = message.content();
            if (run.settings().keepsMessages()) {
                content = Content.forOneCall(content);
                copy = message.with(content);
            }
            Publisher<?> publisher = invoke(message, content, now.peer);
            if (publisher instanceof Fuseable.ScalarCallable<?> over) {
                take(over);
                return true;
            }
            return publisher == null || await(now, publisher, now.peer.context());
        } catch (Throwable t) { // the method's: the next message may fare better
            failure = t;
            return true;
        }
    }

    /** Takes the end of a Publisher that has it already, as {@code Mono.empty()} has. */
    private void take(Fuseable.ScalarCallable<?> over) {
        try {
            over.call();
        } catch (Throwable t) { // what Mono.error has
            failure = Exceptions.unwrap(t);
        }
    }

    private @Nullable Publisher<?> invoke(Message message, @Nullable Object content, PeerScope peer) throws Throwable {
        if (!run.settings().blocks()) {
            return run.method().call(message, content, peer);
        }
        try {
            if (run.isAborted()) {
                Thread.currentThread().interrupt();
            }
            return run.method().call(message, content, peer);
        } finally {
            Thread.interrupted(); // it was for this call
        }
    }

    /** True if the Publisher is over. */
    private boolean await(PendingMessage now, Publisher<?> publisher, Context context) {
        Outcome waited = new Outcome(this::resume, context);
        outcome = waited;
        publisher.subscribe(waited);
        boolean over = waited.isOver();
        if (!over) {
            run.leavesTurn(now); // before another thread may go on
            over = !waited.resumes();
        }
        if (run.isAborted()) {
            waited.abort();
        }
        if (over) {
            failure = waited.failure();
            outcome = null;
        }
        return over;
    }

    private void resume() {
        failure = Objects.requireNonNull(outcome).failure();
        outcome = null;
        run.execute(this);
    }

    private boolean mayRetry(PendingMessage now) {
        return now.message.error() == null && attempts <= run.settings().retries() && !run.isAborted();
    }

    /** True if it may be tried again at once; false if this goes on later. */
    private boolean pause(PendingMessage now) {
        called = false;
        return await(now, Mono.delay(run.settings().delay(attempts)), Context.empty());
    }

    private void closeCopy() {
        Message made = copy;
        if (made != null) {
            made.close();
            copy = null;
        }
    }

    /** Has what it does end as soon as it can. Any thread. */
    void abort() {
        Outcome waited = outcome;
        if (waited != null) {
            waited.abort();
        }
        synchronized (this) {
            if (caller != null && caller != Thread.currentThread()) { // a method that closes the context goes on with that
                caller.interrupt();
            }
        }
    }
}
