// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.stream;

import io.reactivenetio.flow.MessagesInPages;
import io.reactivenetio.flow.Packing;
import io.reactivenetio.flow.RequestWindow;
import io.reactivenetio.flow.UpstreamSubscriber;
import io.reactivenetio.transport.MessageTooLargeException;
import io.reactivenetio.transport.NetioAbortedException;
import io.reactivenetio.wire.FrameWriter;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import org.jctools.queues.varhandle.SpmcVarHandleArrayQueue;
import org.jspecify.annotations.Nullable;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Operators;

/**
 * Subscribes to what is to be sent on a stream. It requests what the peer has asked for, as far as it has room, and copies each
 * element before {@code onNext} returns: into the page that is being written, where the upstream answers on the loop at once, or
 * else to wait here. What waits is bounded in number, and about so in bytes, by the largest element seen.
 */
final class StreamSender<T> extends UpstreamSubscriber<T> {
    /** How much is sent before the peer is asked whether it has it: that is the precision of the count in an error. */
    private static final int STRETCH = 4096;
    private static final int STRETCH_BYTES = 4 * 1024 * 1024;

    private final SendPort port;
    /** What is not known to have left; null if it waits for what has been delivered. */
    private final @Nullable MessagesInPages underWay;
    private final Packing<? super T> packing;
    private final SpmcVarHandleArrayQueue<OutMessage> waiting = new SpmcVarHandleArrayQueue<>(RequestWindow.MOST);
    private final RequestWindow window = new RequestWindow();
    private final Runnable vouching = this::vouched;

    // loop-confined
    private boolean registered;
    private long written;
    /** 1 while it has a message of which not all is in a page. */
    private int begun;
    private boolean answersAtOnce;
    private boolean prompt = true; // as far as is known
    private long bytesSinceAsked;
    private long askedAbout;
    private long known;
    private boolean over;
    private boolean left;

    /** {@code delivered}: it is complete when the peer has it all, not merely when it has left. */
    StreamSender(SendPort port, CoreSubscriber<? super Void> actual, boolean delivered, Packing<? super T> packing) {
        super(port.loop(), actual);
        this.port = port;
        this.underWay = delivered ? null : new MessagesInPages();
        this.packing = packing;
    }

    @Override
    protected int waiting() {
        return waiting.size();
    }

    @Override
    protected void loopEnded(RejectedExecutionException e) {
        abort(new NetioAbortedException("the event loop has terminated", waiting.size(), e));
    }

    @Override
    public void onNext(T element) {
        Objects.requireNonNull(element, "§2.13: element");
        if (isOver()) {
            Operators.onNextDropped(element, currentContext());
            return;
        }
        ByteBuffer payload = packing.payload(element);
        int bytes = payload.remaining();
        if (bytes > port.largestMessage()) {
            reject(new MessageTooLargeException("a message of " + bytes + " bytes; the peer takes at most "
                    + port.largestMessage() + ": send less, or raise maxMessageSize there"));
            return;
        }
        window.seen(bytes);
        long tag = packing.tag(element);
        int status = packing.status(element);
        if (loop().inEventLoop() && waiting.isEmpty() && port.direct(this, tag, status, payload)) {
            return;
        }
        if (!waiting.offer(new OutMessage(tag, status,
                ByteBuffer.allocate(bytes).put(0, payload, payload.position(), bytes)))) {
            reject(new IllegalStateException("§1.1: the upstream emitted more than was requested"));
            return;
        }
        schedule();
    }

    // ---- on the loop

    @Override
    protected void changed() {
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
    @Nullable OutMessage peek() {
        return waiting.peek();
    }

    /** It is in a page now, or its first part is. */
    void take() {
        waiting.poll();
        begun = 1;
    }

    void written(int bytes) {
        written++;
        begun = 0;
        window.gone();
        if (underWay != null) {
            underWay.add(port.transmissions().next(), port.transmissions().completed());
            return;
        }
        bytesSinceAsked += bytes;
        if (askedAbout == known && (written - askedAbout >= STRETCH || bytesSinceAsked >= STRETCH_BYTES)) {
            askedAbout = written;
            bytesSinceAsked = 0;
            port.confirmations().await(vouching);
        }
    }

    private void vouched() {
        known = askedAbout;
    }

    /** How many more elements it can be asked for. */
    long room() {
        return canRequest() ? window.free() : 0;
    }

    void request(long n) {
        window.asked(n);
        requestUpstream(n);
        answersAtOnce = unused() == 0;
        prompt = unused() <= waiting.size();
    }

    /**
     * How many of its elements still fit the page, if its upstream emits while it is asked: then it is not asked for more, since
     * what does not fit has to be copied once more.
     */
    long fits(FrameWriter writer, int stream) {
        return answersAtOnce ? writer.wholesThatFit(stream, window.largest()) : Long.MAX_VALUE;
    }

    /** Whether its upstream emits while it is asked, into the page or not. */
    boolean isPrompt() {
        return prompt;
    }

    /** What it has asked for and is in no page: when it is over, what it will never get. */
    long unused() {
        return window.unused();
    }

    /** Whether there is nothing to come of it any more. */
    boolean isDrained() {
        return isCancelled() || isOver() && waiting.isEmpty();
    }

    /**
     * It is drained, and out of its stream: it ends when what it had has arrived, or left, or with its own error. Nobody is told
     * within this call, which may be where a page is written: who sends again at once, for ever, must not hold up the loop.
     */
    void drained() {
        over = true;
        Throwable error = upstreamError();
        if (isCancelled()) {
            waiting.clear();
            leave();
        } else if (error != null) {
            loop().atEndOfTurn(() -> fail(error));
        } else if (underWay == null) {
            port.confirming(this);
            port.confirmations().await(this::confirmed);
        } else if (underWay.last() > port.transmissions().completed()) {
            port.confirming(this);
            port.transmissions().await(underWay.last(), this::confirmed);
        } else {
            leave();
            loop().atEndOfTurn(() -> finish(null));
        }
    }

    private void confirmed() {
        port.confirmed(this);
        leave();
        finish(null);
    }

    /** It has nothing more to do with its port. */
    private void leave() {
        if (!left) {
            left = true;
            port.leave();
        }
    }

    /** Nothing more of it can be sent. */
    void end(String what, @Nullable Throwable cause) {
        over = true;
        long done = underWay == null ? known : underWay.left(port.transmissions().completed());
        long unsent = written - done + begun + waiting.size();
        String count = unsent == 0 ? " before the send was complete"
                : " with " + unsent + (unsent == 1 ? " message" : " messages") + " not known to be "
                + (underWay == null ? "delivered" : "transmitted");
        try {
            fail(new NetioAbortedException(what + count, unsent, cause));
        } catch (Throwable t) { // a subscriber that throws at its end must not keep the others from theirs
            loop().report(t);
        }
    }

    /** Ends it with this error. */
    void fail(Throwable error) {
        leave();
        abort(error);
    }

    private void abort(Throwable error) {
        stop();
        waiting.clear();
        finish(error);
    }
}
