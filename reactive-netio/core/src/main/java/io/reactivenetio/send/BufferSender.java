// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.send;

import io.reactivenetio.transport.exceptions.NetioAbortedException;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import reactor.core.CoreSubscriber;

/**
 * One send with RAW framing. It counts how many of its elements were taken, posted and acknowledged. The subclass knows what the
 * elements are and keeps those that wait for the loop. It requests only as many elements as it has room for, so {@code onNext}
 * never waits.
 */
abstract class BufferSender<T> extends UpstreamSubscriber<T> implements SendSource {
    private final BufferChannel channel;
    private final boolean untilDelivered;

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
    BufferSender(BufferChannel channel, CoreSubscriber<? super Void> actual, boolean untilDelivered) {
        super(channel.loop(), actual);
        this.channel = channel;
        this.untilDelivered = untilDelivered;
    }

    @Override
    public final @Nullable Object scanUnsafe(@SuppressWarnings("rawtypes") Attr key) {
        return key == Attr.PREFETCH ? (Integer) room() : super.scanUnsafe(key);
    }

    // ---- what a subclass does

    /** The most elements that can wait here. Any thread. */
    abstract int room();

    /** Releases the buffers that are reserved for elements which have not come. Any thread, after the end. */
    abstract void giveBackReserved();

    /** Releases the elements that wait for the loop. Any thread, after the end. */
    abstract void giveBackWaiting();

    @Override
    protected final void loopEnded(RejectedExecutionException e) {
        // onNext may be filling a buffer at this moment: its own, next call releases that
        terminate(new NetioAbortedException("the event loop has terminated", taken - done(), e));
        giveBack();
    }

    // ---- on the loop

    @Override
    protected final void changed() {
        if (channel.isClosed()) { // told later, so that a subscriber that tries again for ever does not hold up the loop
            loop().atEndOfTurn(() -> channel.refuse(this));
            return;
        }
        if (!registered) {
            registered = true;
            channel.register(this);
        }
        channel.schedule();
    }

    @Override
    public final boolean untilDelivered() {
        return untilDelivered;
    }

    @Override
    public final boolean wantsMore() {
        return canRequest();
    }

    /** Notes that the connection has taken an element that waited, and owns its buffer or slice now. */
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
     * Notes that every message up to {@code deliveredSequence} is with the peer. This sender's share of them is counted at one
     * mark at a time, so that nothing has to be kept per message. Between marks the count is too low, never too high.
     */
    private void acknowledged(long deliveredSequence) {
        if (deliveredSequence < markSequence) {
            return;
        }
        known = deliveredSequence >= lastSequence ? postedCount : markCount;
        markSequence = lastSequence;
        markCount = postedCount;
    }

    /** How many elements are known to be delivered, or, if that is enough for this send, transmitted. */
    private long done() {
        return untilDelivered ? known : transmitted;
    }

    private boolean isAllDone(long deliveredSequence) {
        return postedCount == taken && (untilDelivered ? deliveredSequence >= lastSequence : transmitted == postedCount);
    }

    /**
     * Ends the send if all its elements are done. Returns true if there is nothing more to do with it until it is scheduled
     * again. A cancel does not wait for an upstream that is filling a buffer at this moment.
     */
    @Override
    public final boolean finishIfDone(long deliveredSequence) {
        acknowledged(deliveredSequence);
        if (!isOver()) {
            return false;
        }
        giveBackReserved();
        boolean cancelled = isCancelled();
        Throwable error = upstreamError();
        if (hasNext() || !cancelled && error == null && !isAllDone(deliveredSequence)) {
            return false;
        }
        registered = false;
        if (!cancelled) {
            finish(error);
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
        terminate(new NetioAbortedException(what + count, unsent, cause));
    }

    private void giveBack() {
        giveBackReserved();
        giveBackWaiting();
    }
}
