// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.flow;

import io.reactivenetio.transport.MessageTooLargeException;
import io.reactivenetio.transport.NetioAbortedException;
import io.reactivenetio.transport.SendBuffer;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jctools.queues.varhandle.SpmcVarHandleArrayQueue;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Scannable;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/**
 * Subscribes to what is to be sent. It requests exactly as many elements as it has send buffers in hand, so {@code onNext} always
 * finds one: it copies the element there, on the upstream's thread and without allocation, and queues the buffer for the loop.
 *
 * <p>A send buffer is, in turn, the backend's, in {@link #reserved} (the loop put it there; taken by onNext, or by the loop when
 * the sender is done), in {@link #filled} (onNext put it there; taken by the loop), and the backend's again.
 */
final class SendSubscriber implements CoreSubscriber<ByteBuffer>, Scannable, Runnable {
    private final Outbound outbound;
    private final CoreSubscriber<? super Void> actual;
    private final boolean emptyAllowed;
    private final SpmcVarHandleArrayQueue<SendBuffer> reserved;
    private final SpmcVarHandleArrayQueue<SendBuffer> filled; // not Spsc: a loop that ends and the upstream may both take
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
    private long known;
    private @Nullable StagingBuffer staging;
    private boolean stagingOut;
    private long markSequence;
    private long markCount;

    SendSubscriber(Outbound outbound, CoreSubscriber<? super Void> actual, boolean emptyAllowed) {
        this.outbound = outbound;
        this.actual = actual;
        this.emptyAllowed = emptyAllowed;
        this.reserved = new SpmcVarHandleArrayQueue<>(outbound.buffers() + 1);
        this.filled = new SpmcVarHandleArrayQueue<>(outbound.buffers() + 1);
    }

    /** What the subscriber of the Mono gets. */
    Subscription downstream() {
        return new Downstream();
    }

    @Override
    public @Nullable Object scanUnsafe(@SuppressWarnings("rawtypes") Attr key) {
        if (key == Attr.PARENT) {
            return upstream;
        } else if (key == Attr.ACTUAL) {
            return actual;
        } else if (key == Attr.PREFETCH) {
            return outbound.buffers();
        } else if (key == Attr.BUFFERED) {
            return filled.size();
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
    public Context currentContext() {
        return actual.currentContext();
    }

    // ---- signals of the upstream, on its threads

    @Override
    public void onSubscribe(Subscription s) {
        Objects.requireNonNull(s, "§2.13: subscription");
        if (Operators.validate(upstream, s)) {
            upstream = s;
            if (cancelled) {
                s.cancel();
            }
            schedule();
        }
    }

    @Override
    public void onNext(ByteBuffer element) {
        Objects.requireNonNull(element, "§2.13: element");
        if (cancelled || upstreamDone) {
            Operators.onNextDropped(element, currentContext());
            return;
        }
        int bytes = element.remaining();
        if (bytes > outbound.bufferSize() || bytes == 0 && !emptyAllowed) {
            reject(bytes == 0
                    ? new IllegalArgumentException("an empty message ends the stream (RawEnd.EMPTY_MESSAGE): it cannot be data")
                    : new MessageTooLargeException("a message of " + bytes + " bytes does not fit the send buffers of "
                    + outbound.bufferSize() + " bytes: use larger send buffers, or smaller messages"));
            return;
        }
        SendBuffer buffer = reserved.poll();
        if (buffer == null) {
            if (!cancelled) { // a cancel on another thread may have taken them back
                reject(new IllegalStateException("§1.1: the upstream emitted more than was requested"));
            }
            return;
        }
        buffer.data().put(0, element, element.position(), bytes);
        buffer.length(bytes);
        filled.offer(buffer);
        schedule();
    }

    /** Refuses an element: the upstream is cancelled, what came before is still sent. */
    private void reject(Throwable error) {
        Subscription s = upstream;
        if (s != null) {
            s.cancel();
        }
        onError(error);
    }

    @Override
    public void onError(Throwable error) {
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
    public void onComplete() {
        if (!upstreamDone) {
            upstreamDone = true;
            schedule();
        }
    }

    private void schedule() {
        if (outbound.loop().inEventLoop()) {
            run();
        } else if (!scheduled.getAndSet(true)) {
            try {
                outbound.loop().execute(this);
            } catch (RejectedExecutionException e) {
                scheduled.set(false); // a buffer that is being filled now is given back by its own, next call
                fail(new NetioAbortedException("the event loop has terminated", taken - known, e));
                giveBack();
            }
        }
    }

    // ---- on the loop

    @Override
    public void run() {
        scheduled.set(false);
        if (outbound.isClosed()) {
            outbound.refuse(this);
            return;
        }
        if (!registered) {
            registered = true;
            outbound.register(this);
        }
        outbound.schedule();
    }

    boolean hasNext() {
        return !filled.isEmpty();
    }

    /** Whether the next message is in memory of the sender's own. */
    boolean isNextStaged() {
        return staging != null && filled.peek() instanceof StagingBuffer;
    }

    /** The next message, copied from there. */
    @Nullable SendBuffer nextInto(SendBuffer buffer) {
        SendBuffer next = next();
        if (!(next instanceof StagingBuffer staged)) {
            buffer.release(); // the loop ended in the same moment and took it back
            return next;
        }
        staged.copyTo(buffer);
        stagingOut = false;
        return buffer;
    }

    /** Takes memory of its own for one message, instead of a send buffer. False if a message is in there. */
    boolean reserveStaging(int size) {
        if (stagingOut) {
            return false;
        }
        StagingBuffer own = staging;
        if (own == null) {
            own = new StagingBuffer(size);
            staging = own;
        }
        stagingOut = true;
        reserved.offer(own);
        return true;
    }

    /** The next message to be sent, or null. */
    @Nullable SendBuffer next() {
        SendBuffer buffer = filled.poll();
        if (buffer != null) {
            taken++;
        }
        return buffer;
    }

    /** Buffers in hand: requested from the upstream, or filled and not yet taken. */
    int inHand() {
        return reserved.size() + filled.size();
    }

    /** Whether more buffers would be of use. */
    boolean wantsMore() {
        return !upstreamDone && !cancelled && upstream != null;
    }

    void reserve(SendBuffer buffer) {
        reserved.offer(buffer);
    }

    void request(long n) {
        Subscription s = upstream;
        if (s != null && !cancelled) {
            try {
                s.request(n);
            } catch (Throwable t) { // §3.16 forbids it; this send fails, the others go on
                reject(t);
            }
        }
    }

    void posted(long sequence) {
        lastSequence = sequence;
        postedCount++;
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

    /**
     * After every change: ends the send if all it had is with the peer; true if there is nothing more to do with it, until it is
     * scheduled again: a cancel does not wait for an upstream that is filling a buffer at this moment.
     */
    boolean finishIfDone(long deliveredSequence) {
        vouched(deliveredSequence);
        if (!cancelled && !upstreamDone) {
            return false;
        }
        giveBackReserved();
        Throwable error = upstreamError;
        if (!filled.isEmpty() || !cancelled && error == null && (postedCount < taken || deliveredSequence < lastSequence)) {
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

    /** The connection is over. */
    void connectionClosed(@Nullable Throwable cause, String what) {
        long unsent = taken - known + filled.size();
        stop();
        String count = unsent == 0 ? " before the send was complete"
                : " with " + unsent + (unsent == 1 ? " message" : " messages") + " not known to be delivered";
        fail(new NetioAbortedException(what + count, unsent, cause));
        giveBack();
    }

    private void fail(Throwable error) {
        cancelled = true;
        Subscription s = upstream;
        if (s != null) {
            s.cancel();
        }
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
        SendBuffer buffer;
        while ((buffer = filled.poll()) != null) {
            buffer.release();
        }
    }

    private void giveBackReserved() {
        SendBuffer buffer;
        while ((buffer = reserved.poll()) != null) {
            buffer.release();
        }
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
            return SendSubscriber.this.scanUnsafe(key);
        }
    }
}
