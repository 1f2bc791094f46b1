// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.stream;

import io.reactivenetio.transport.MessageTooLargeException;
import io.reactivenetio.transport.NetioAbortedException;
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
 * Subscribes to what is to be sent on a stream. It requests what the peer has asked for, as far as it has room, and copies each
 * element before {@code onNext} returns: into the page that is being written, where the upstream answers on the loop at once, or
 * else to wait here. What waits is bounded in number, and about so in bytes, by the largest element seen.
 */
final class StreamSender implements CoreSubscriber<ByteBuffer>, Scannable, Runnable {
    private static final int MOST = 256;
    private static final int AT_FIRST = 8;
    private static final int WINDOW_BYTES = 256 * 1024;

    private final SendPort port;
    private final CoreSubscriber<? super Void> actual;
    private final boolean delivered;
    private final SpmcVarHandleArrayQueue<ByteBuffer> waiting = new SpmcVarHandleArrayQueue<>(MOST);
    private final AtomicBoolean scheduled = new AtomicBoolean();
    private final AtomicBoolean terminated = new AtomicBoolean();
    private volatile @Nullable Subscription upstream;
    private volatile boolean upstreamDone;
    private volatile boolean cancelled;
    private volatile int largest;
    private @Nullable Throwable upstreamError;

    // loop-confined
    private boolean registered;
    private long requested;
    private long arrived;
    private long written;
    private boolean over;

    /** {@code delivered}: it is complete when the peer has it all, not merely when it has left. */
    StreamSender(SendPort port, CoreSubscriber<? super Void> actual, boolean delivered) {
        this.port = port;
        this.actual = actual;
        this.delivered = delivered;
    }

    /** What the subscriber of the Mono gets. */
    Subscription downstream() {
        return new Downstream();
    }

    @Override
    public Context currentContext() {
        return actual.currentContext();
    }

    @Override
    public @Nullable Object scanUnsafe(@SuppressWarnings("rawtypes") Attr key) {
        if (key == Attr.PARENT) {
            return upstream;
        } else if (key == Attr.ACTUAL) {
            return actual;
        } else if (key == Attr.BUFFERED) {
            return waiting.size();
        } else if (key == Attr.CANCELLED) {
            return cancelled;
        } else if (key == Attr.TERMINATED) {
            return terminated.get();
        } else if (key == Attr.ERROR) {
            return upstreamDone ? upstreamError : null;
        }
        return key == Attr.RUN_STYLE ? Attr.RunStyle.ASYNC : null;
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
        if (bytes > port.largestMessage()) {
            reject(new MessageTooLargeException("a message of " + bytes + " bytes; the peer takes at most "
                    + port.largestMessage()));
            return;
        }
        if (bytes > largest) {
            largest = bytes;
        }
        if (port.loop().inEventLoop() && waiting.isEmpty() && port.direct(this, element)) {
            return;
        }
        if (!waiting.offer(ByteBuffer.allocate(bytes).put(0, element, element.position(), bytes))) {
            reject(new IllegalStateException("§1.1: the upstream emitted more than was requested"));
            return;
        }
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
        if (port.loop().inEventLoop()) {
            run();
        } else if (!scheduled.getAndSet(true)) {
            try {
                port.loop().execute(this);
            } catch (RejectedExecutionException e) {
                scheduled.set(false);
                fail(new NetioAbortedException("the event loop has terminated", waiting.size(), e));
            }
        }
    }

    // ---- on the loop

    @Override
    public void run() {
        scheduled.set(false);
        if (over) {
            return;
        }
        if (registered) {
            port.changed(this);
        } else {
            registered = true;
            port.add(this);
        }
    }

    /** The next message that waits here. */
    @Nullable ByteBuffer peek() {
        return waiting.peek();
    }

    /** It is in a page now, or its first part is. */
    void take() {
        waiting.poll();
    }

    void written() {
        written++;
        arrived++;
    }

    /** How many more elements it can be asked for. Few at a time would cost more than they are worth. */
    long room() {
        if (upstream == null || upstreamDone || cancelled) {
            return 0;
        }
        int size = largest;
        long window = size == 0 ? AT_FIRST : Math.clamp(WINDOW_BYTES / size, 1, MOST - 1);
        long free = window - (requested - arrived);
        return free * 2 >= window ? free : 0;
    }

    void request(long n) {
        Subscription s = upstream;
        requested += n;
        if (s != null && !cancelled) {
            try {
                s.request(n);
            } catch (Throwable t) { // §3.16 forbids it; this send fails, the others go on
                reject(t);
            }
        }
    }

    /** What it was allowed to ask for and will never get. */
    long unused() {
        return requested - arrived;
    }

    /** Whether there is nothing to come of it any more. */
    boolean isDrained() {
        return cancelled || upstreamDone && waiting.isEmpty();
    }

    /** It is drained, and out of its stream: it ends when what it had has arrived, or with its own error at once. */
    void drained(Confirmations confirmations) {
        over = true;
        Throwable error = upstreamError;
        if (cancelled) {
            waiting.clear();
        } else if (error != null) {
            fail(error);
        } else if (!delivered) {
            complete();
        } else {
            port.confirming(this);
            confirmations.await(this::confirmed);
        }
    }

    private void confirmed() {
        port.confirmed(this);
        complete();
    }

    private void complete() {
        if (terminated.compareAndSet(false, true)) {
            actual.onComplete();
        }
    }

    /** Nothing more of it can be sent. */
    void end(String what, @Nullable Throwable cause) {
        over = true;
        long unsent = written + waiting.size();
        String count = unsent == 0 ? " before the send was complete"
                : " with " + unsent + (unsent == 1 ? " message" : " messages") + " not known to be delivered";
        fail(new NetioAbortedException(what + count, unsent, cause));
    }

    /** Ends it with this error. */
    void fail(Throwable error) {
        stop();
        waiting.clear();
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
            return StreamSender.this.scanUnsafe(key);
        }
    }
}
