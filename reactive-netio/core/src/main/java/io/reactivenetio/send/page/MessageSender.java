// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.send.page;

import io.reactivenetio.diagnostics.UnflippedBuffers;
import io.reactivenetio.send.MessageFields;
import io.reactivenetio.send.PolledSubscription;
import io.reactivenetio.send.PolledSubscription.PollingSubscriber;
import io.reactivenetio.send.UpstreamSubscriber;
import io.reactivenetio.transport.exceptions.NetioAbortedException;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Operators;

/**
 * Subscribes to the Publisher whose elements are sent in pages. It requests as many elements as its channel may send and as it
 * has room for, and copies each element before {@code onNext} returns. If the upstream answers on the loop while it is asked, the
 * copy goes straight into the page; or else to the {@link WaitingMessages}, on the upstream's thread. The elements that wait are
 * bounded in number, and roughly in bytes, by the size of the largest element seen. From a {@link PolledSubscription} it takes
 * them itself, on the loop, as far as it has requested them.
 */
public final class MessageSender<T> extends UpstreamSubscriber<T> implements DeliveryListener, PollingSubscriber<T> {
    private final SendChannel channel;
    private final MessageFields<? super T> packing;
    private final DeliveryTracker tracker;
    private final boolean emptyAllowed;
    private final int alwaysFits;
    private final RequestWindow window = new RequestWindow();
    private final WaitingMessages waiting = new WaitingMessages(window);

    /** Where elements are taken from, if the upstream has that. It is set before there is an upstream. */
    private @Nullable PolledSubscription<T> polled;

    // loop-confined
    private boolean registered;
    private long written;
    /** Where elements go while the upstream is asked and no element waits. */
    private @Nullable MessagePage direct;
    /** How many elements may go there. */
    private long mayAppend;
    /** Whether what comes next follows the element before it there, with nothing but its length. */
    private boolean follows;
    /** How many elements went there and are not counted yet. */
    private int appended;
    private long appendedBytes;
    /** Whether only the first parts of a message are in pages. */
    private boolean begun;
    private boolean answersAtOnce;
    private boolean prompt = true; // until the upstream has shown otherwise
    private boolean over;
    private boolean left;
    /** Whether an element was refused, and those behind it are not taken. */
    private boolean isRefused;

    /** A sender of which {@code tracker} says when it is complete. {@code emptyAllowed}: messages without a byte are data. */
    public MessageSender(SendChannel channel, CoreSubscriber<? super Void> actual, DeliveryTracker tracker,
            MessageFields<? super T> packing, boolean emptyAllowed) {
        super(channel.loop(), actual);
        this.channel = channel;
        this.tracker = tracker;
        this.packing = packing;
        this.emptyAllowed = emptyAllowed;
        this.alwaysFits = channel.alwaysFits();
    }

    @Override
    public @Nullable Object scanUnsafe(@SuppressWarnings("rawtypes") Attr key) {
        return key == Attr.PREFETCH ? (Integer) RequestWindow.MOST : super.scanUnsafe(key);
    }

    @Override
    protected int waiting() {
        return waiting.count();
    }

    @Override
    protected void loopEnded(RejectedExecutionException e) {
        abort(new NetioAbortedException("the event loop has terminated", waiting.count(), e));
    }

    @Override
    @SuppressWarnings("unchecked") // a subscription of its elements
    protected void subscribed(Subscription s) {
        if (s instanceof PolledSubscription<?> source) {
            polled = (PolledSubscription<T>) source;
        }
    }

    @Override
    public void available() {
        if (direct == null || !loop().inEventLoop()) { // else it is polled anyway
            schedule();
        }
    }

    @Override
    public void onNext(T element) {
        Objects.requireNonNull(element, "§2.13: element");
        if (isOver()) {
            Operators.onNextDropped(element, currentContext());
            return;
        }
        take(element);
    }

    private void take(T element) {
        ByteBuffer payload = packing.payload(element);
        if (follows && loop().inEventLoop() && follow(payload)) { // as nearly all do that are asked for
            return;
        }
        int status = packing.status(element);
        int bytes = payload.remaining();
        if (bytes == 0) {
            UnflippedBuffers.check(payload);
        }
        RuntimeException refusal = bytes > alwaysFits || bytes == 0 && !emptyAllowed ? refusal(bytes, status) : null;
        if (refusal != null) {
            refuse(refusal);
            return;
        }
        window.seen(bytes);
        long tag = packing.tag(element);
        MessagePage page = direct;
        if (page != null && loop().inEventLoop()) {
            AppendResult outcome = mayAppend > 0 && waiting.isEmpty() ? page.append(tag, status, payload) : AppendResult.NOT;
            if (outcome == AppendResult.WHOLE) {
                mayAppend--;
                appended++;
                appendedBytes += bytes;
                follows = packing.arePlain() && page.isFollowing(tag);
                return;
            }
            direct = null; // those behind it must not overtake it
            if (outcome == AppendResult.BEGUN) {
                return;
            }
        }
        String refused = waiting.put(tag, status, payload);
        if (refused == null) {
            schedule();
        } else {
            reject(new IllegalStateException(refused));
        }
    }

    /** Writes it behind the element before it. If that cannot be, it goes the usual way, and those behind it do so, too. */
    private boolean follow(ByteBuffer payload) {
        MessagePage page = direct;
        int from = payload.position();
        int bytes = payload.limit() - from;
        follows = page != null && bytes > 0 && bytes <= window.largest() && mayAppend > 0 && waiting.isEmpty()
                && page.follow(payload, from, bytes);
        if (follows) {
            mayAppend--;
            appended++;
            appendedBytes += bytes;
        }
        return follows;
    }

    private @Nullable RuntimeException refusal(int bytes, int status) {
        return bytes > 0 ? channel.refusal(bytes, status)
                : new IllegalArgumentException("an empty message ends the stream (EndSignal.EMPTY_MESSAGE): it cannot be data");
    }

    // ---- on the loop

    @Override
    protected void changed() {
        if (over) {
            clearUntaken(); // what came while the upstream was cancelled
            if (isTerminated()) { // cancelled while it waited for the last message to arrive
                leave();
            }
            return;
        }
        if (registered) {
            channel.changed(this);
        } else {
            registered = true;
            channel.add(this);
        }
    }

    /** Whether a message waits here. */
    boolean hasNext() {
        return !waiting.isEmpty();
    }

    /** The payload of the next message that waits here, until that is taken and this is called again; null if none waits. */
    @Nullable ByteBuffer peek() {
        ByteBuffer payload = waiting.peek();
        if (payload == null && waiting.isTorn() && !isCancelled()) {
            rejectTaken(new IllegalStateException(WaitingMessages.OVERLAP));
        }
        return payload;
    }

    /** The tag of that message. */
    long tag() {
        return waiting.tag();
    }

    /** The status of that message. */
    int status() {
        return waiting.status();
    }

    /** The first parts of a message are in pages. */
    public void begin() {
        begun = true;
    }

    /** Notes that the message is in a page now, or its first part is. */
    public void take() {
        waiting.take();
        begun = true;
    }

    /** Appends up to {@code most} messages that wait, and have the tag of the one before them in the page. */
    void follow(MessagePage page, long tag, long most) {
        appended = waiting.follow(page, tag, most);
        appendedBytes = waiting.followedBytes();
    }

    /** Messages are in pages whole: one that was taken, or some that were appended. */
    void written(int messages, long bytes) {
        written += messages;
        window.gone(messages);
        tracker.written(messages, bytes);
        appended = 0;
        appendedBytes = 0;
        begun = false;
    }

    public boolean untilDelivered() {
        return tracker.untilDelivered();
    }

    /** How many more elements it can be asked for. */
    long room() {
        return canRequest() || hasUntaken() ? window.free(loop().turnNanos()) : 0;
    }

    /**
     * Requests {@code n} elements of the upstream. Up to {@code most} of those that come before this returns go straight into
     * {@code page}. Up to {@code atOnce} are taken where they wait to be taken.
     */
    void request(long n, MessagePage page, long most, long atOnce) {
        window.asked(n);
        mayAppend = Math.min(most, unused());
        direct = page;
        loop().working(this);
        try {
            requestUpstream(n);
            PolledSubscription<T> source = polled;
            if (source != null) {
                poll(source, atOnce);
            }
        } finally {
            loop().working(null);
            direct = null;
            follows = false;
        }
    }

    private void poll(PolledSubscription<T> source, long most) {
        try {
            for (long i = 0; i < most && direct != null && mayAppend > 0 && !isOverHere(); i++) {
                T element = source.poll();
                if (element == null) {
                    return;
                }
                take(element);
            }
        } catch (Throwable t) { // the user's
            refuse(t);
        }
    }

    /** Whether nothing more may be taken. */
    private boolean isOverHere() {
        return isRefused || isCancelled();
    }

    /** Whether there are elements to take. */
    boolean hasUntaken() {
        PolledSubscription<T> source = polled;
        return source != null && !isOverHere() && !source.isEmpty();
    }

    /** Refuses an element: what comes behind it is not sent. */
    private void refuse(Throwable error) {
        if (polled == null) {
            reject(error);
        } else {
            isRefused = true;
            rejectTaken(error);
            clearUntaken();
        }
    }

    private void clearUntaken() {
        PolledSubscription<T> source = polled;
        if (source != null) {
            source.clear();
        }
    }

    /** How many messages are in the page and not counted yet. */
    int appended() {
        return appended;
    }

    long appendedBytes() {
        return appendedBytes;
    }

    /** Notes whether the upstream has emitted, within the request, all that it was asked for. */
    void answered() {
        long missing = unused() - (begun ? 1 : 0);
        answersAtOnce = missing == 0;
        prompt = missing <= waiting.count();
    }

    /** Whether all elements that were last requested went straight into the page. */
    public boolean answersAtOnce() {
        return answersAtOnce;
    }

    /** Whether its upstream emits while it is asked, into the page or not. */
    boolean isPrompt() {
        return prompt;
    }

    /** The size of the largest element until now, in bytes. */
    public int largest() {
        return window.largest();
    }

    /** How many elements were requested and are in no page. Once the sender is over, these will never come. */
    long unused() {
        return window.unused();
    }

    boolean mayHaveMore() {
        return canRequest() || hasNext() || hasUntaken();
    }

    /** Whether no further message will come from this sender. */
    public boolean isDrained() {
        return isCancelled() || isOver() && waiting.isEmpty() && !hasUntaken();
    }

    /**
     * Ends the sender, which is drained and not in its rotation any more, with its own error or when its messages have arrived,
     * or left. Nobody is told within this call, which may come from where a page is written: a subscriber that sends again at
     * once, for ever, must not hold up the loop.
     */
    public void drained() {
        over = true;
        Throwable error = upstreamError();
        if (isCancelled()) {
            waiting.clear();
            clearUntaken();
            leave();
        } else if (error != null) {
            loop().atEndOfTurn(() -> fail(error));
        } else if (tracker.isDone()) {
            leave();
            loop().atEndOfTurn(() -> finish(null));
        } else {
            channel.awaits(this);
            tracker.await(this);
        }
    }

    /** All its messages have arrived, or left. */
    @Override
    public void delivered() {
        leave();
        finish(null);
    }

    @Override
    public boolean isAwaited() {
        return !left;
    }

    /** Leaves the channel, once. */
    private void leave() {
        if (!left) {
            left = true;
            tracker.forget();
            channel.leave(this);
        }
    }

    /** The receiver wants no more: takes nothing more of its upstream, and waits to be failed. */
    void cancelledByReceiver() {
        over = true;
        stop();
        clearUntaken();
        channel.awaits(this);
    }

    /** Fails the send, after everything that is in pages has arrived. */
    void failArrived(String what) {
        fail(what, null, (begun ? 1 : 0) + waiting.count());
    }

    /** Fails the send, of which nothing more can be sent because of {@code what}. */
    public void end(String what, @Nullable Throwable cause) {
        over = true;
        fail(what, cause, written + appended - tracker.done() + (begun ? 1 : 0) + waiting.count());
    }

    private void fail(String what, @Nullable Throwable cause, long unsent) {
        String count = unsent == 0 ? " before the send was complete"
                : " with " + unsent + (unsent == 1 ? " message" : " messages") + " not known to be "
                + (tracker.untilDelivered() ? "delivered" : "transmitted");
        try {
            fail(new NetioAbortedException(what + count, unsent, cause));
        } catch (Throwable t) { // a subscriber that throws at its end must not keep the others from theirs
            loop().report(t);
        }
    }

    /** Fails the send with {@code error}. */
    public void fail(Throwable error) {
        leave();
        abort(error);
    }

    private void abort(Throwable error) {
        stop();
        if (loop().inEventLoop()) { // else the loop has ended, and the garbage collector takes what waits
            waiting.clear();
            clearUntaken();
        }
        finish(error);
    }
}
