// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.framing.page;

import io.reactivenetio.connection.Connection;
import io.reactivenetio.counters.ConnectionCounters;
import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.loop.RepeatedDelay;
import io.reactivenetio.send.MessageFields;
import io.reactivenetio.send.Outbound;
import io.reactivenetio.send.PageSource;
import io.reactivenetio.send.StagingBuffer;
import io.reactivenetio.send.page.AppendResult;
import io.reactivenetio.send.page.DeliveryTracker;
import io.reactivenetio.send.page.FillResult;
import io.reactivenetio.send.page.MessagePage;
import io.reactivenetio.send.page.MessageSender;
import io.reactivenetio.send.page.PageDelivery;
import io.reactivenetio.send.page.PageProgress;
import io.reactivenetio.send.page.SendChannel;
import io.reactivenetio.send.page.SenderRotation;
import io.reactivenetio.transport.backend.Endpoint;
import io.reactivenetio.transport.backend.NetworkBackend;
import io.reactivenetio.transport.backend.SendBuffer;
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
 * fit, when it has reached the watermark, or when the senders have nothing more: at the end of the turn, or after the flush
 * interval if there is one. The packer owns a page's buffer until the Outbound takes it. On the loop, unless said otherwise.
 *
 * <p>The Outbound has no other source, so a page's sequence number is its place among all pages, from 1 on.
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
    /** The memory that pages are filled in if send buffers are shared: no shared buffer must wait with a page. */
    private final @Nullable StagingBuffer own;

    private @Nullable SendBuffer hand;
    private long nextNumber;
    private long pagesTransmitted;
    /** The last page with a message of a sender that waits for delivery. */
    private long lastUntilDelivered;
    private boolean due;

    PagePacker(Outbound outbound, Connection connection, PageProvider framing) {
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
        senders.request(Long.MAX_VALUE); // the peer grants no demand: only the pages limit what is sent
        this.own = connection.config().sharesSendBuffers() ? new StagingBuffer(pageSize) : null;
    }

    // ---- any thread

    @Override
    public EventLoop loop() {
        return outbound.loop();
    }

    /**
     * A sender for a new send. {@code untilDelivered}: it is complete when the peer has everything, otherwise when everything has
     * left.
     */
    <T> MessageSender<T> sender(CoreSubscriber<? super Void> actual, boolean untilDelivered, boolean emptyAllowed,
            MessageFields<? super T> packing) {
        return new MessageSender<>(this, actual, tracker(untilDelivered), packing, emptyAllowed);
    }

    /** The size in bytes of the largest message with this status. */
    int largest(int status) {
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
    public @Nullable FillResult write(MessageSender<?> sender, long tag, int status, ByteBuffer payload) {
        int bytes = payload.remaining();
        if (append(tag, status, payload) != AppendResult.WHOLE) {
            return FillResult.FULL;
        }
        sender.take();
        senders.written(sender, bytes);
        appended(sender, 1, bytes);
        return null;
    }

    /** Copies the message into the page in hand, or the next one. Returns false if there is no page for it now. */
    @Override
    public AppendResult append(long tag, int status, ByteBuffer payload) {
        if (hand != null && writer.size() < watermark && writer.append(tag, status, payload)) {
            return AppendResult.WHOLE;
        }
        if (!outbound.takesMore()) {
            return AppendResult.NOT;
        }
        senders.countAppended(this);
        turn();
        return begin() && writer.append(tag, status, payload) ? AppendResult.WHOLE : AppendResult.NOT;
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
            return false; // the memory of its own is in use until its page is sent
        }
        if (buffer == null) {
            outbound.starve();
            return false;
        }
        hand = buffer;
        writer.begin(buffer.data().clear());
        return true;
    }

    /** Makes the page in hand ready, and lets go of it. */
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
     * Puts the messages of the senders into pages, one of each in turn, and asks their upstreams before. Returns true if a page
     * is ready now that was not before. A page that was ready before, and could not be sent, waits for a send buffer.
     */
    @Override
    public boolean fill() {
        if (!ready.isEmpty()) {
            return false;
        }
        senders.fill(this, Integer.MAX_VALUE);
        return !ready.isEmpty();
    }

    /**
     * No limit: an element that does not fit the page in hand goes into the next one, which has room for all that a sender may
     * have.
     */
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

    /**
     * Counts a page as transmitted. The completion of a page that is acknowledged may come late, but then all pages before it
     * have left as well.
     */
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
