// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.framing.stream;

import io.reactivenetio.api.Tags;
import io.reactivenetio.loop.DelayedTask;
import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.send.page.DeliveryListener;
import io.reactivenetio.send.page.FillResult;
import io.reactivenetio.send.page.MessageSender;
import io.reactivenetio.send.page.SenderRotation;
import io.reactivenetio.transport.exceptions.StreamError;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A stream that the peer receives. It asks its senders, or the source that serves it, for no more messages than the peer has
 * asked for, and ends the stream. {@link StreamPacker} lays the messages in pages, and {@link OutControlFrames} tells the peer
 * everything else. On the loop.
 */
final class OutStream implements PageScheduler.Data, StreamSourcePort {
    private final SendContext context;
    private final int id;
    private final @Nullable Tags tags;
    private final Consumer<OutStream> whenOver;
    private final SenderRotation senders = new SenderRotation();
    private final OutControlFrames control;
    private final StreamPacker packer;
    /** The source that serves the stream, instead of senders. */
    private @Nullable GuardedSource source;
    /** Refuses the stream if nobody serves it in time. A stream that has ended must not be kept until then. */
    private @Nullable DelayedTask limit;
    private boolean ready;
    /** Whether {@link #fill} is on the stack. It lets go of senders that have nothing more when it is done with all of them. */
    private boolean filling;
    private boolean completing;
    /** How it ends when it is {@link #completing}: complete, or with the code of a StreamError. */
    private int lastCode;
    private String lastText = "";

    /** {@code tags} is null for stream 0. {@code whenOver} is called when the end of the stream is in a page. */
    OutStream(SendContext context, int id, @Nullable Tags tags, Consumer<OutStream> whenOver) {
        this.context = context;
        this.id = id;
        this.tags = tags;
        this.whenOver = whenOver;
        this.control = new OutControlFrames(id, context.pages(), context.pings(), this::makeReady, this::endWritten);
        this.packer = new StreamPacker(context, this, id, tags, senders, control);
    }

    int id() {
        return id;
    }

    @Nullable Tags tags() {
        return tags;
    }

    /** Whether nothing more can be sent on it. */
    boolean isEnding() {
        return completing || control.isEnding();
    }

    /** Has {@code task} refuse the stream, unless it is served or ends before. */
    void limitWaiting(DelayedTask task) {
        limit = task;
    }

    private void endLimit() {
        DelayedTask task = limit;
        if (task != null) {
            limit = null;
            task.cancel();
        }
    }

    /** Whether it ends because the peer has cancelled it. */
    boolean isCancelled() {
        return control.endCode() == StreamError.CANCELLED.code();
    }

    /** Whether the source has no end of its own. Stream 0 has no source: whether nobody here sends on it. */
    boolean isEndless() {
        return source != null ? source.isEndless() : id == 0 && senders.isEmpty() && !completing;
    }

    // ---- senders

    void add(MessageSender<?> sender) {
        endLimit();
        senders.add(sender);
        changed(sender);
    }

    /**
     * Called when {@code sender} has changed. A sender that has nothing more is let go of at once, which needs no credit for
     * data.
     */
    void changed(MessageSender<?> sender) {
        makeReady();
        if (!filling && sender.isDrained()) {
            settle();
        }
    }

    // ---- a source instead of senders

    void serve(StreamSource by) {
        endLimit();
        GuardedSource safe = new GuardedSource(by, this);
        source = safe;
        safe.open();
        if (senders.demand() > 0) { // the stream was open before it got a source
            safe.requested(senders.demand());
            makeReady();
        }
    }

    @Override
    public EventLoop loop() {
        return context.connection().loop();
    }

    @Override
    public ConnectionTurns turns() {
        return context.turns();
    }

    @Override
    public void ready() {
        makeReady();
    }

    @Override
    public void numbered(long next, long run) {
        long told = context.runs() ? run : 0;
        packer.numbered(next, told);
        control.number(next, told);
    }

    @Override
    public void dropped(long n) {
        control.dropped(n);
    }

    @Override
    public void queued(int waiting, int capacity) {
        control.queued(waiting, capacity);
    }

    private void endSource() {
        GuardedSource ended = source;
        source = null;
        if (ended != null) {
            ended.close();
        }
    }

    // ---- what the peer wants

    void request(long n) {
        senders.request(n);
        if (source != null) {
            source.requested(n);
        }
        makeReady();
    }

    void cancel() {
        fail(StreamError.CANCELLED.code(), "cancelled"); // does nothing if the end is on its way
    }

    // ---- pages

    @Override
    public void makeReady() {
        if (!ready && !control.isEnded()) {
            ready = true;
            context.pages().addReady(this);
        }
    }

    @Override
    public FillResult fill() {
        ready = false;
        if (control.isEnding()) {
            return FillResult.IDLE;
        }
        filling = true;
        try {
            return packer.fill(source);
        } finally {
            filling = false;
            settle();
        }
    }

    // ---- its end

    /** Completes the stream after all messages of its senders, unless it ends already. */
    @Override
    public void complete() {
        completing = true;
        endLimit();
        if (!filling) { // or the source completes within the poll that gives its last message, which counts
            settle();
        }
    }

    @Override
    public void failAfterPolled(int code, String text) {
        if (!completing) {
            lastCode = code;
            lastText = text;
        }
        complete();
    }

    /** Lets go of senders that have nothing more, and completes or fails the stream after the last of them. */
    private void settle() {
        if (senders.settle(packer.senderWithinMessage())) {
            makeReady();
        }
        if (completing && !control.isEnding() && senders.isEmpty() && !packer.isWithinMessage()
                && (source == null || !source.hasPolled())) {
            if (lastCode == 0) {
                control.complete();
            } else {
                fail(lastCode, lastText);
            }
        }
    }

    /**
     * Gives up what the source has not sent, because this side closes the connection, and tells the peer how much that is. The
     * stream ends with the connection.
     */
    void cut() {
        GuardedSource ended = source;
        if (ended != null && !control.isEnding()) {
            completing = false;
            source = null;
            packer.giveUp();
            ended.cut();
        }
    }

    /** Fails the stream now, within a message if one has begun. */
    @Override
    public void fail(int code, String text) {
        endLimit();
        if (!control.isEnding()) {
            boolean cancelled = code == StreamError.CANCELLED.code();
            if (cancelled) { // those that have ended complete, also if the loop has not looked since
                senders.settle(packer.senderWithinMessage());
            }
            packer.giveUp();
            control.fail(code, text);
            endSource();
            if (cancelled) {
                senders.cancelled("the peer wants no more of " + this, context.pings()::await);
            } else {
                senders.end(this + " has failed", null);
            }
        }
    }

    private void endWritten() {
        packer.release();
        endSource();
        whenOver.accept(this);
    }

    /** Calls back when the peer knows that the stream has ended, however that was; never, if the peer never will. */
    void whenKnown(DeliveryListener listener) {
        control.whenKnown(listener);
    }

    /** Whether somebody waits for the peer to know that. */
    boolean isAwaited() {
        return control.isAwaited();
    }

    /** Ends the stream, because the connection is over. */
    void close(String what, @Nullable Throwable cause) {
        control.close();
        endLimit();
        endSource();
        senders.end(what, cause);
    }

    @Override
    public String toString() {
        return tags == null ? "the stream" : "stream " + Integer.toUnsignedString(id);
    }
}
