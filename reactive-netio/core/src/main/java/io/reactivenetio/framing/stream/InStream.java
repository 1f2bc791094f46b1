// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.framing.stream;

import io.reactivenetio.api.Right;
import io.reactivenetio.api.SlowPolicy;
import io.reactivenetio.api.Tags;
import io.reactivenetio.receive.DemandListener;
import io.reactivenetio.receive.Inbound;
import io.reactivenetio.receive.SingleMessage;
import io.reactivenetio.transport.exceptions.NetioException;
import io.reactivenetio.transport.exceptions.NetioStreamException;
import io.reactivenetio.transport.exceptions.StreamError;
import io.reactivenetio.wire.FrameReader;
import io.reactivenetio.wire.FrameWriter;
import io.reactivenetio.wire.PartialMessage;
import io.reactivenetio.wire.ProtocolException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Operators;

/**
 * A stream that this side receives. It passes its subscriber's demand on to the peer, for whom the demand is exact, and ends the
 * connection if the peer sends more. Everything but the construction is for the loop.
 */
final class InStream implements DemandListener, MessageView.Source, PageScheduler.Control {
    private static final int AS_A_RULE = 8;

    private final ReceiveContext context;
    private final InStreams streams;
    private final Right needed;
    private final @Nullable Tags tags;
    private final @Nullable SlowPolicy policy;
    private final SubscriptionListener listener;
    private final Inbound inbound;
    private final PrefetchWindow window;
    private final boolean ahead;
    private @Nullable PartialMessage partial;
    private int id;
    /** How many messages the peer was asked for that have not begun to arrive; Long.MAX_VALUE is without end. */
    private long outstanding;
    private long received;
    private boolean subscribeDue;
    private long requestDue;
    private boolean cancelDue;
    private boolean queued;
    private boolean cancelled;
    private boolean over;

    /**
     * A stream that opens with its subscriber, or, if {@code tags} is null, stream 0, which is open from the beginning. {@code
     * needed} is the right that the peer needs to send on it. Any thread.
     */
    InStream(ReceiveContext context, InStreams streams, Right needed, @Nullable Tags tags, @Nullable SlowPolicy policy,
            Prefetch prefetch, SubscriptionListener listener) {
        this.context = context;
        this.streams = streams;
        this.needed = needed;
        this.tags = tags;
        this.policy = policy;
        this.listener = listener;
        this.window = new PrefetchWindow(prefetch, context.connection().loop()::nanoTime);
        this.ahead = window.isAhead();
        this.inbound = context.connection().inbound(this, AS_A_RULE);
    }

    Inbound inbound() {
        return inbound;
    }

    int id() {
        return id;
    }

    /** Opens the stream under this number: the peer is told. */
    void open(int number, PartialMessage parts) {
        id = number;
        partial = parts;
        if (tags != null) {
            subscribeDue = true;
            queue();
            listener.opened();
        }
    }

    /** Whether messages have arrived, and more may. */
    boolean isInUse() {
        return (received > 0 || partial != null && partial.isOpen()) && !cancelled && !over;
    }

    /** Whether the stream is cancelled, and only its end can still arrive. */
    boolean isCancelled() {
        return cancelled;
    }

    // ---- what the subscriber does

    @Override
    public void subscribed() {
        if (tags != null) {
            NetioException refusal = context.connection().mayPeer(needed, tags) ? streams.enter(this)
                    : new NetioStreamException("the peer has no right to " + needed + " " + tags, StreamError.FORBIDDEN.code());
            if (refusal != null) {
                over = true; // the refusal comes later: a subscriber that tries again for ever must not hold up the loop
                context.connection().loop().atEndOfTurn(() -> inbound.end(refusal));
            }
        }
        drained();
    }

    @Override
    public void request(long n) {
        if (!over && !cancelled) {
            ask(window.requested(n, inbound.delivered(), inbound.isDelivering()));
        }
    }

    @Override
    public void drained() {
        if (!over && !cancelled) {
            ask(window.delivered(inbound.delivered()));
        }
    }

    @Override
    public void delivered(long messages, long bytes) {
        listener.delivered(messages, bytes);
    }

    @Override
    public boolean hasRoom(int queued) {
        return window.hasRoom(window.bytesOf(queued), window.largest());
    }

    private void ask(long n) {
        if (n > 0) {
            outstanding = Operators.addCap(outstanding, n);
            requestDue = Operators.addCap(requestDue, n);
            queue();
        }
    }

    /**
     * Keeps a message that the subscriber has not requested yet. A message that was asked for ahead, or for a batch that went
     * without it, is copied if half of the pages are here, because other streams need the rest. That others keep its page
     * already is no reason to leave it there: they may be leases, which go before it. If the copies are far beyond the limit,
     * because the peer's messages have suddenly grown, the message stays in its page.
     */
    private void hold(SingleMessage message) {
        boolean mayCopy = (window.isAhead() || inbound.takesBatches())
                && window.hasRoom(inbound.waitingBytes() + window.bytesOf(inbound.queued()), message.length());
        inbound.hold(mayCopy && context.isShortOfPages() ? message.withoutPage() : message.keep());
    }

    @Override
    public void cancel() {
        if (over || cancelled) {
            return;
        }
        cancelled = true;
        listener.ended();
        requestDue = 0;
        discardPartial();
        inbound.discard();
        if (subscribeDue || partial == null) { // the peer does not know the stream
            subscribeDue = false;
            end(null);
        } else {
            cancelDue = true;
            queue();
        }
    }

    private void queue() {
        if (!queued && partial != null) { // a stream without a number waits for one
            queued = true;
            context.pages().add(this);
        }
    }

    @Override
    public boolean write(FrameWriter writer) {
        if (!over) {
            if (subscribeDue && tags != null) {
                if (!writer.subscribe(id, tags, policy)) {
                    return false;
                }
                subscribeDue = false;
                listener.written();
            }
            if (cancelDue) {
                if (!writer.cancel(id)) {
                    return false;
                }
                cancelDue = false;
            }
            if (requestDue > 0) {
                if (!writer.request(id, requestDue)) {
                    return false;
                }
                requestDue = 0;
            }
        }
        queued = false;
        return true;
    }

    // ---- what the peer sends

    boolean isOver() {
        return over;
    }

    /** Takes the DATA frame that the reader is at, and whole messages of the same stream behind it. */
    void onData(FrameReader frame, Page page) throws ProtocolException {
        PartialMessage parts = partial;
        if (cancelled || parts == null) {
            inbound.countDiscarded(frame.isLast() ? 1 : 0);
            return;
        }
        if (!frame.isWhole()) {
            onPart(parts, frame, page);
            return;
        }
        begins();
        parts.check(frame);
        received(frame.payloadLength());
        MessageView view = context.view().show(this, page);
        if (!inbound.onRun(view)) {
            hold(SingleMessage.at(view));
        }
        if (window.isAhead()) {
            drained();
        }
    }

    @Override
    public boolean takesNext(FrameReader frame) {
        PartialMessage parts = partial;
        if (cancelled || parts == null || outstanding == 0 || !goesOn() || !frame.nextWhole(id, parts.largest())) {
            return false; // what is wrong with it, if anything is, is found when it comes alone
        }
        if (outstanding != Long.MAX_VALUE) {
            outstanding--;
        }
        received(frame.payloadLength());
        return true;
    }

    @Override
    public long outstanding() {
        return cancelled || partial == null ? 0 : outstanding;
    }

    @Override
    public int largestMessage() {
        PartialMessage parts = partial;
        return parts == null ? 0 : parts.largest();
    }

    @Override
    public void took(int messages, int largest) {
        if (outstanding != Long.MAX_VALUE) {
            outstanding -= messages;
        }
        received += messages;
        if (ahead) {
            window.arrived(messages, largest);
        }
    }

    @Override
    public boolean goesOn() {
        return context.end().goesOn();
    }

    private void begins() throws ProtocolException {
        if (outstanding == 0) {
            throw new ProtocolException("a message on stream " + id + " that was not asked for");
        }
        if (outstanding != Long.MAX_VALUE) {
            outstanding--;
        }
    }

    private void received(int bytes) {
        received++;
        if (ahead) {
            window.arrived(1, bytes);
        }
    }

    private void onPart(PartialMessage parts, FrameReader frame, Page page) throws ProtocolException {
        if (frame.isFirst()) {
            begins();
        }
        ByteBuffer whole = parts.add(frame, page.buffer().data());
        if (whole == null) {
            return;
        }
        received(whole.limit());
        long tag = parts.isTagged() ? parts.tag() : ownTag();
        SingleMessage message = SingleMessage.onHeap(page, page.leases(), whole, tag, parts.status(), context.memory());
        if (!inbound.onRun(message)) {
            hold(message);
        } else if (!message.isGiven()) {
            parts.recycle(whole);
        }
        if (window.isAhead()) {
            drained();
        }
    }

    @Override
    public long ownTag() {
        return tags == null ? 0 : tags.first();
    }

    void onSubscribed(long next, long run) {
        if (!cancelled) {
            listener.subscribed(next, run, received - inbound.delivered());
        }
    }

    void onDropped(long n) {
        if (!cancelled) {
            listener.dropped(n);
        }
    }

    void onQueued(int waiting, int capacity) {
        if (!cancelled) {
            listener.queued(waiting, capacity);
        }
    }

    void onComplete(long messages) throws ProtocolException {
        PartialMessage parts = partial;
        if (!cancelled && parts != null && (parts.isOpen() || messages != received)) {
            throw new ProtocolException("stream " + id + " is complete after " + messages + " messages, and " + received
                    + " have arrived" + (parts.isOpen() ? " whole" : ""));
        }
        end(null);
    }

    /** Ends the stream with {@code error}, or completes it if that is null. */
    void end(@Nullable Throwable error) {
        if (!over) {
            over = true;
            if (!cancelled) {
                listener.ended();
            }
            discardPartial();
            streams.leave(this);
            inbound.end(error);
        }
    }

    /** Discards a message of which only some parts have arrived. */
    void discardPartial() {
        if (partial != null) {
            partial.discard();
        }
    }
}
