// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.framing.page;

import io.reactivenetio.connection.Connection;
import io.reactivenetio.counters.ConnectionCounters;
import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.loop.RepeatedDelay;
import io.reactivenetio.send.Appended;
import io.reactivenetio.send.DeliveryTracker;
import io.reactivenetio.send.FillResult;
import io.reactivenetio.send.MessageFields;
import io.reactivenetio.send.MessagePage;
import io.reactivenetio.send.MessageSender;
import io.reactivenetio.send.Outbound;
import io.reactivenetio.send.PageDelivery;
import io.reactivenetio.send.PageProgress;
import io.reactivenetio.send.PageSource;
import io.reactivenetio.send.SendChannel;
import io.reactivenetio.send.SenderRotation;
import io.reactivenetio.send.StagingBuffer;
import io.reactivenetio.send.WaitingMessage;
import io.reactivenetio.transport.Endpoint;
import io.reactivenetio.transport.NetworkBackend;
import io.reactivenetio.transport.SendBuffer;
import io.reactivenetio.transport.exceptions.MessageTooLargeException;
import io.reactivenetio.wire.PageWriter;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import reactor.core.CoreSubscriber;

/**
 * Puts the messages of all senders into pages, which an {@link Outbound} sends. A page is ready when the next message does not
 * fit, when it has reached the watermark, and when the senders have nothing more at the end of a turn, or when it has waited for
 * the flush interval, if there is one. On the loop, unless said otherwise.
 *
 * <p>The Outbound has no other source, so a page's sequence number is how many there were before it, and it.
 */
final class PagePacker implements SendChannel, MessagePage, PageSource {
    private final Outbound outbound;
    private final NetworkBackend backend;
    private final Endpoint endpoint;
    private final ConnectionCounters counters;
    private final int pageSize;
    private final int watermark;
    private final long flushNanos;
    private final RepeatedDelay delay;
    private final PageWriter writer = new PageWriter();
    private final SenderRotation senders = new SenderRotation();
    private final Set<MessageSender<?>> waitingForPages = new LinkedHashSet<>();
    private final PageProgress transmitted;
    private final PageProgress delivered;
    private final ArrayDeque<SendBuffer> ready = new ArrayDeque<>();
    /** Where pages are filled if send buffers are shared: none of those must wait with a page. */
    private final @Nullable StagingBuffer own;

    private @Nullable SendBuffer hand;
    private long nextNumber;
    private long pagesTransmitted;
    /** The last page with a message of somebody who waits for delivery. */
    private long lastUntilDelivered;
    private boolean due;

    PagePacker(Outbound outbound, Connection connection, PageFraming framing) {
        this.outbound = outbound;
        this.backend = connection.backend();
        this.endpoint = connection.endpoint();
        this.counters = connection.counters();
        this.pageSize = outbound.bufferSize();
        this.watermark = framing.watermark() == 0 ? pageSize : framing.watermark();
        this.flushNanos = framing.flushNanos();
        this.delay = connection.loop().repeatedDelay(this::waitedLongEnough);
        this.transmitted = new PageProgress(connection.loop());
        this.delivered = new PageProgress(connection.loop());
        senders.request(Long.MAX_VALUE); // nobody says how many messages may be sent: the pages are the limit
        this.own = connection.config().sharesSendBuffers() ? new StagingBuffer(pageSize) : null;
    }

    // ---- any thread

    @Override
    public EventLoop loop() {
        return outbound.loop();
    }

    /** A new send. {@code untilDelivered}: complete when all is with the peer, otherwise when all has left. */
    <T> MessageSender<T> sender(CoreSubscriber<? super Void> actual, boolean untilDelivered, boolean emptyAllowed,
            MessageFields<? super T> packing) {
        return new MessageSender<>(this, actual, tracker(untilDelivered), packing, emptyAllowed);
    }

    /** Bytes of the largest message with this status. */
    private int largest(int status) {
        return pageSize - Integer.BYTES - Long.BYTES - (status == 0 ? 0 : Byte.BYTES);
    }

    // ---- for the senders

    @Override
    public int alwaysFits() {
        return largest(1);
    }

    @Override
    public @Nullable RuntimeException refusal(int bytes, int status) {
        return bytes <= largest(status) ? null : new MessageTooLargeException("a message of " + bytes + " bytes does not fit a"
                + " page of " + pageSize + " bytes, which takes at most " + largest(status)
                + ": use larger send buffers or smaller messages");
    }

    @Override
    public void add(MessageSender<?> sender) {
        if (outbound.isClosed()) { // told later, so that a subscriber that tries again for ever does not hold up the loop
            loop().atEndOfTurn(() -> sender.end(outbound.closedText(), outbound.closeCause()));
            return;
        }
        senders.add(sender);
        outbound.schedule();
    }

    @Override
    public void changed(MessageSender<?> sender) {
        outbound.schedule();
    }

    @Override
    public void awaits(MessageSender<?> sender) {
        waitingForPages.add(sender);
    }

    @Override
    public void leave(MessageSender<?> sender) {
        waitingForPages.remove(sender);
    }

    private DeliveryTracker tracker(boolean untilDelivered) {
        return untilDelivered ? new PageDelivery(delivered, true) : new PageDelivery(transmitted, false);
    }

    @Override
    public @Nullable FillResult write(MessageSender<?> sender, WaitingMessage message) {
        int bytes = message.data().remaining();
        if (append(message.tag(), message.status(), message.data()) != Appended.WHOLE) {
            return FillResult.FULL;
        }
        sender.take();
        senders.written(sender, bytes);
        appended(sender, 1, bytes);
        return null;
    }

    /** Copies the message into the page in hand, or the next one; false if there is none for it now. */
    @Override
    public Appended append(long tag, int status, ByteBuffer payload) {
        if (hand != null && writer.size() < watermark && writer.append(tag, status, payload)) {
            return Appended.WHOLE;
        }
        if (!outbound.takesMore()) {
            return Appended.NOT;
        }
        senders.countAppended(this);
        turn();
        return begin() && writer.append(tag, status, payload) ? Appended.WHOLE : Appended.NOT;
    }

    @Override
    public void appended(MessageSender<?> sender, int messages, long bytes) {
        counters.countSent(messages, bytes);
        if (sender.untilDelivered()) {
            lastUntilDelivered = delivered.next();
        }
        if (writer.size() >= watermark) {
            turn();
        }
    }

    private boolean begin() {
        SendBuffer buffer = own;
        if (buffer == null) {
            buffer = backend.getBuffer(endpoint);
        } else if (!ready.isEmpty()) {
            return false; // it is in use, until what it holds has been sent
        }
        if (buffer == null) {
            outbound.starve();
            return false;
        }
        hand = buffer;
        writer.begin(buffer.data().clear());
        return true;
    }

    /** The page in hand is ready. */
    private void turn() {
        SendBuffer page = hand;
        if (page != null) {
            page.length(writer.size());
            ready.add(page);
            hand = null;
            transmitted.nextPage();
            delivered.nextPage();
            due = false;
            if (flushNanos > 0) {
                delay.cancel();
            }
        }
    }

    // ---- for the Outbound

    /**
     * Puts what the senders have into pages, one message of each in turn, after asking their upstreams. True if one is ready now
     * that was not before: one that was, and cannot be sent, has to wait for a send buffer.
     */
    @Override
    public boolean fill() {
        if (!ready.isEmpty()) {
            return false;
        }
        senders.fill(this, Integer.MAX_VALUE);
        return !ready.isEmpty();
    }

    /** An element that does not fit the page in hand goes into the next one: that is room for all that a sender may have. */
    @Override
    public long fits(MessageSender<?> sender) {
        return ready.isEmpty() ? Long.MAX_VALUE : 0;
    }

    @Override
    public boolean flush() {
        if (hand == null) {
            return false;
        }
        if (flushNanos == 0 || due || !delay.isArmed() && !delay.arm(flushNanos, TimeUnit.NANOSECONDS)) {
            turn();
            return true;
        }
        return false;
    }

    private void waitedLongEnough() {
        due = hand != null;
        outbound.schedule();
    }

    @Override
    public boolean hasNext() {
        return !ready.isEmpty();
    }

    @Override
    public boolean wantsMore() {
        return hand != null || senders.mayHaveMore();
    }

    @Override
    public boolean untilDelivered() {
        return lastUntilDelivered >= nextNumber;
    }

    @Override
    public boolean isNextStaged() {
        return own != null;
    }

    @Override
    public @Nullable SendBuffer next() {
        nextNumber++;
        return ready.poll();
    }

    @Override
    public SendBuffer nextInto(SendBuffer buffer) {
        if (next() instanceof StagingBuffer staged) {
            staged.copyTo(buffer);
        }
        return buffer;
    }

    @Override
    public void posted(long sequence) {
        // the number of the page
    }

    /** Some may be told late, because they wait to be acknowledged; but then all before the others have left as well. */
    @Override
    public void transmitted() {
        pagesTransmitted++;
    }

    @Override
    public boolean finishIfDone(long deliveredSequence) {
        delivered.complete(deliveredSequence);
        transmitted.complete(pagesTransmitted);
        senders.settle(null);
        return false;
    }

    @Override
    public void connectionClosed(@Nullable Throwable cause, String what) {
        delay.cancel();
        turn();
        SendBuffer page;
        while ((page = ready.poll()) != null) {
            page.release();
        }
        senders.end(what, cause);
        List.copyOf(waitingForPages).forEach(sender -> sender.end(what, cause));
    }
}
