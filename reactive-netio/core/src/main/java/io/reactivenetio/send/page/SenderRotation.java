// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.send.page;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Operators;

/**
 * The senders that share a stream, or a connection's pages. They take turns, message by message, and their upstreams are asked
 * for no more messages than may be sent. A turn goes on in the next page where it stopped in this one. On the loop.
 */
public final class SenderRotation {
    /** Senders whose receiver wants no more, until what they sent before has arrived. */
    private record CancelledSenders(List<MessageSender<?>> senders, String what) implements DeliveryListener {
        @Override
        public void delivered() {
            senders.forEach(sender -> sender.failArrived(what));
        }

        @Override
        public boolean isAwaited() {
            return senders.stream().anyMatch(MessageSender::isAwaited);
        }
    }

    /** How many elements one of several senders may request although the others have requested all that may be sent. */
    private static final int AHEAD = 8;

    private final List<MessageSender<?>> senders = new ArrayList<>();
    /** The index of the sender whose turn it is. */
    private int first;
    /** How many messages may be sent and are in no page yet; Long.MAX_VALUE is without end. */
    private long demand;
    /** How many elements all senders together have requested and are in no page yet. */
    private long promised;
    private long written;
    private @Nullable MessageSender<?> asking;

    public void add(MessageSender<?> sender) {
        senders.add(sender);
    }

    public boolean isEmpty() {
        return senders.isEmpty();
    }

    /** Allows {@code n} messages more to be sent. */
    public void request(long n) {
        demand = Operators.addCap(demand, n);
    }

    public long demand() {
        return demand;
    }

    /** Uses up the demand for one message, which is in a page, or whose first part is. */
    public void useDemand() {
        if (demand != Long.MAX_VALUE) {
            demand--;
        }
    }

    /** Counts a message that was taken from the sender and is in pages whole. */
    public void written(MessageSender<?> sender, int bytes) {
        count(sender, 1, bytes);
    }

    private void count(MessageSender<?> sender, int messages, long bytes) {
        promised -= messages;
        written += messages;
        sender.written(messages, bytes);
    }

    /** Counts what the sender that is being asked has appended to this page so far. */
    public void countAppended(MessagePage page) {
        MessageSender<?> sender = asking;
        if (sender != null) {
            countAppended(sender, page);
        }
    }

    private void countAppended(MessageSender<?> sender, MessagePage page) {
        int messages = sender.appended();
        if (messages > 0) {
            long bytes = sender.appendedBytes();
            if (demand != Long.MAX_VALUE) {
                demand -= messages;
            }
            count(sender, messages, bytes);
            page.appended(sender, messages, bytes);
        }
    }

    /** The sender that is being asked. */
    public @Nullable MessageSender<?> asking() {
        return asking;
    }

    /** Gives the next turn to the next sender. */
    public void advance() {
        first++;
    }

    /** Fills the page with up to {@code most} messages, as far as they may be sent. */
    public FillResult fill(MessagePage page, int most) {
        int left = most;
        int idle = 0; // senders one after the other that have nothing
        while (demand > 0 && idle < senders.size()) {
            first = first < senders.size() ? first : 0;
            MessageSender<?> sender = senders.get(first);
            long before = written;
            if (!sender.hasNext()) {
                long fitting = page.fits(sender);
                if (fitting == 0) {
                    return FillResult.FULL;
                }
                ask(sender, page, fitting);
            }
            ByteBuffer payload = demand > 0 ? sender.peek() : null;
            if (payload != null) {
                long tag = sender.tag();
                FillResult stopped = page.write(sender, tag, sender.status(), payload);
                if (stopped != null) {
                    return stopped; // the sender is the first in the next page
                }
                if (senders.size() == 1 && left > 1 && page.isFollowing(tag)) {
                    sender.follow(page, tag, Math.min(left - 1, demand));
                    left -= sender.appended();
                    countAppended(sender, page);
                }
            }
            first++;
            if (written == before) {
                idle++;
            } else if (--left > 0) {
                idle = 0;
            } else {
                return FillResult.TURN;
            }
        }
        return FillResult.IDLE;
    }

    /**
     * Has the sender request elements, as far as messages may be sent and there is room. A sender whose upstream answers at once
     * has to let the others have their turn after one message. A sender whose upstream does not answer must not keep all the
     * demand from the others. So each may request a few elements ahead, and those that are too many wait.
     */
    private void ask(MessageSender<?> sender, MessagePage page, long fitting) {
        long wanted = Math.max(demand - promised, Math.min(demand, AHEAD) - sender.unused());
        long atOnce = senders.size() > 1 && sender.isPrompt() ? 1 : fitting;
        long n = Math.min(Math.min(sender.room(), wanted), atOnce);
        if (n > 0 || sender.hasUntaken()) {
            long asked = Math.max(n, 0);
            promised += asked;
            asking = sender;
            try {
                sender.request(asked, page, demand, senders.size() > 1 ? 1 : fitting);
            } finally {
                countAppended(page);
                asking = null;
                sender.answered();
            }
        }
    }

    /**
     * Removes the senders that have nothing more, except {@code busy}. Returns true if one of them had requested elements that it
     * will not get, and so leaves demand for the others.
     */
    public boolean settle(@Nullable MessageSender<?> busy) {
        boolean demandLeft = false;
        for (int i = senders.size() - 1; i >= 0; i = Math.min(i, senders.size()) - 1) {
            MessageSender<?> sender = senders.get(i);
            if (sender != busy && sender.isDrained()) {
                senders.remove(i);
                promised -= sender.unused();
                demandLeft |= sender.unused() > 0;
                sender.drained();
            }
        }
        return demandLeft;
    }

    /** Whether a sender has a message, or may get one. */
    public boolean mayHaveMore() {
        boolean more = false;
        for (int i = 0; i < senders.size() && !more; i++) {
            more = senders.get(i).mayHaveMore();
        }
        return more;
    }

    /**
     * The receiver wants no more. The upstreams are cancelled now; the senders fail when {@code whenArrived} calls back, because
     * everything that was sent before has arrived by then. So they do not count messages as lost that the receiver has.
     */
    public void cancelled(String what, Consumer<DeliveryListener> whenArrived) {
        List<MessageSender<?>> left = List.copyOf(senders);
        senders.clear();
        left.forEach(MessageSender::cancelledByReceiver);
        if (!left.isEmpty()) {
            whenArrived.accept(new CancelledSenders(left, what));
        }
    }

    /** Fails all senders, because nothing more can be sent. */
    public void end(String what, @Nullable Throwable cause) {
        List<MessageSender<?>> left = List.copyOf(senders);
        senders.clear();
        left.forEach(sender -> sender.end(what, cause));
    }
}
