// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.flow;

import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.loop.RepeatedDelay;
import io.reactivenetio.transport.Endpoint;
import io.reactivenetio.transport.NetworkBackend;
import io.reactivenetio.transport.SendBuffer;
import io.reactivenetio.wire.PageWriter;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Puts the messages of all senders into pages, which an {@link Outbound} sends. A page is ready when the next message does not
 * fit, when it has reached the watermark, and when the senders have nothing more at the end of a turn, or when it has waited for
 * the flush interval, if there is one. On the loop, unless said otherwise.
 *
 * <p>The Outbound has no other source, so a page's sequence number is how many there were before it, and it.
 */
final class PagePacker implements Hub, CopyingSource {
    private final Outbound outbound;
    private final NetworkBackend backend;
    private final Endpoint endpoint;
    private final FlowCounters counters;
    private final int pageSize;
    private final int watermark;
    private final long flushNanos;
    private final RepeatedDelay delay;
    private final PageWriter writer = new PageWriter();
    private final List<PageSender<?>> senders = new ArrayList<>();
    private final ArrayDeque<SendBuffer> ready = new ArrayDeque<>();
    /** Where pages are filled if send buffers are shared: none of those must wait with a page. */
    private final @Nullable StagingBuffer own;

    private @Nullable SendBuffer hand;
    private long handNumber = 1;
    private long nextNumber;
    private long transmitted;
    /** The last page with a message of somebody who waits for delivery. */
    private long lastUntilDelivered;
    private boolean due;
    private boolean filling;
    /** Whose turn it is among the senders, also in the next page. */
    private int first;

    PagePacker(Outbound outbound, ConnectionFlow connection, PageFraming framing) {
        this.outbound = outbound;
        this.backend = connection.backend();
        this.endpoint = connection.endpoint();
        this.counters = connection.counters();
        this.pageSize = outbound.bufferSize();
        this.watermark = framing.watermark() == 0 ? pageSize : framing.watermark();
        this.flushNanos = framing.flushNanos();
        this.delay = connection.loop().repeatedDelay(this::waitedLongEnough);
        this.own = connection.config().sharesSendBuffers() ? new StagingBuffer(pageSize) : null;
    }

    // ---- any thread

    @Override
    public EventLoop loop() {
        return outbound.loop();
    }

    int pageSize() {
        return pageSize;
    }

    /** Bytes of the largest message with this status. */
    int largest(int status) {
        return pageSize - Integer.BYTES - Long.BYTES - (status == 0 ? 0 : Byte.BYTES);
    }

    // ---- for the senders

    @Override
    public boolean isClosed() {
        return outbound.isClosed();
    }

    @Override
    public void refuse(Sender<?> sender) {
        outbound.refuse(sender);
    }

    @Override
    public void register(Sender<?> sender) {
        senders.add((PageSender<?>) sender);
    }

    @Override
    public void schedule() {
        outbound.schedule();
    }

    /** How many pages have left, in order. */
    long transmittedPages() {
        return transmitted;
    }

    /** Puts {@code length} bytes of {@code from} into the page in hand, or the next one; false if there is none for it now. */
    boolean append(PageSender<?> sender, long tag, int status, ByteBuffer from, int offset, int length) {
        if (!outbound.takesMore()) {
            return false;
        }
        int index = hand == null ? -1 : writer.reserve(tag, status, length);
        if (index < 0) {
            if (hand != null) {
                turn();
            }
            if (!begin()) {
                return false;
            }
            index = writer.reserve(tag, status, length);
        }
        writer.page().put(index, from, offset, length);
        counters.countSent(length);
        sender.packed(handNumber);
        if (sender.untilDelivered()) {
            lastUntilDelivered = handNumber;
        }
        if (writer.size() >= watermark) {
            turn();
        }
        if (!filling) {
            schedule();
        }
        return true;
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
            handNumber++;
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
    boolean fill() {
        if (!ready.isEmpty()) {
            return false;
        }
        filling = true;
        try {
            return fillPages();
        } finally {
            filling = false;
        }
    }

    private boolean fillPages() {
        int idle = 0; // senders one after the other that have nothing
        while (ready.isEmpty() && idle < senders.size()) {
            first = first < senders.size() ? first : 0;
            PageSender<?> sender = senders.get(first);
            long before = sender.arrived();
            if (!sender.give(senders.size() > 1)) {
                return !ready.isEmpty(); // it is the first in the next page
            }
            first++;
            idle = sender.arrived() > before ? 0 : idle + 1;
        }
        return !ready.isEmpty();
    }

    /** The senders have nothing more at the moment. True if a page is ready for that. */
    boolean flush() {
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
        schedule();
    }

    @Override
    public boolean hasNext() {
        return !ready.isEmpty();
    }

    @Override
    public boolean wantsMore() {
        boolean more = hand != null;
        for (int i = 0; i < senders.size() && !more; i++) {
            more = senders.get(i).wantsMore() || senders.get(i).hasNext();
        }
        return more;
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
        transmitted++;
    }

    @Override
    public boolean finishIfDone(long deliveredSequence) {
        for (int i = senders.size() - 1; i >= 0; i--) {
            PageSender<?> sender = senders.get(i);
            boolean done = true;
            try {
                done = sender.finishIfDone(sender.untilDelivered() ? deliveredSequence : transmitted);
            } catch (Throwable t) {
                loop().report(t);
            }
            if (done) {
                senders.remove(i);
            }
        }
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
        List<PageSender<?>> left = List.copyOf(senders);
        senders.clear();
        for (PageSender<?> sender : left) {
            try {
                sender.connectionClosed(cause, what);
            } catch (Throwable t) { // a subscriber that throws at its end must not keep the others from theirs
                loop().report(t);
            }
        }
    }
}
