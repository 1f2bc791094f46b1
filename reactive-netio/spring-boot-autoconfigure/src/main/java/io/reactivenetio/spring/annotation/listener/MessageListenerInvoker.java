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
    /** Whether the method has been called with the message, and what it returned is over. */
    private boolean called;
    private @Nullable Throwable failure;
    /** What this attempt was called with, if that is not the message's own. */
    private @Nullable Message copy;
    /** What it waits for. Read by who aborts. */
    private volatile @Nullable Outcome outcome;
    /** The virtual thread that is in the method. Guarded by this. */
    private @Nullable Thread calling;

    MessageListenerInvoker(MessageListenerRun run) {
        this.run = run;
    }

    @Override
    public void run() {
        for (PendingMessage now = current(); now != null; now = current()) {
            if (run.isAborted() && !called) {
                run.discard(now);
                pending = null;
                continue;
            }
            if (!called && !call(now)) {
                return;
            }
            closeCopy();
            Throwable error = failure;
            if (error != null && mayRetry(now)) {
                if (!pause(now)) {
                    return;
                }
                continue;
            }
            pending = null;
            called = false;
            failure = null;
            if (error == null) {
                run.handled(now);
            } else {
                run.failed(now, error);
            }
        }
        run.rests(this);
    }

    /** What it is to begin with: null for what waits. Called while it rests, before it is run. */
    void first(@Nullable PendingMessage message) {
        pending = message;
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
        if (now.attempts++ == 0) {
            run.begun(now);
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
            return publisher == null || await(publisher, now.peer.context());
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
        synchronized (this) {
            calling = Thread.currentThread();
        }
        try {
            if (run.isAborted()) {
                Thread.currentThread().interrupt();
            }
            return run.method().call(message, content, peer);
        } finally {
            synchronized (this) {
                calling = null;
            }
            Thread.interrupted(); // it was for this call
        }
    }

    private boolean await(Publisher<?> publisher, Context context) {
        Outcome waited = new Outcome(this::resume, context);
        outcome = waited;
        boolean over = waited.await(publisher);
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
        return now.message.error() == null && now.attempts <= run.settings().retries() && !run.isAborted();
    }

    /** True if it may be tried again at once; false if this goes on later. */
    private boolean pause(PendingMessage now) {
        called = false;
        return await(Mono.delay(run.settings().delay(now.attempts)), Context.empty());
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
            if (calling != null && calling != Thread.currentThread()) { // a method that closes the context goes on with that
                calling.interrupt();
            }
        }
    }
}
