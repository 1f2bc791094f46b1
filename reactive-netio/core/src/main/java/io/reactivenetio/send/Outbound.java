// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.send;

import io.reactivenetio.counters.ConnectionCounters;
import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.transport.SendCompletion;
import io.reactivenetio.transport.backend.Endpoint;
import io.reactivenetio.transport.backend.NetworkBackend;
import io.reactivenetio.transport.backend.SendKind;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The sending side of a connection. It lends its send buffers to the senders, and gives their messages to the backend, one of
 * each in turn. It is confined to the loop, and does its work once per turn, at the turn's end, however often it is called.
 *
 * <p>The last message of each turn, the held message, is sent with {@link SendCompletion#DELIVERED} if a sender that
 * waits for delivery has sent since the last such message. Order lets its acknowledgement cover all messages before it, so that
 * one acknowledgement tells every sender when its data is with the peer.
 *
 * <p>On tcp an acknowledgement queues behind the peer's data, and that moves only while there is demand for it. If all buffers
 * waited for acknowledgements, an echo, whose demand comes from free send buffers, would never move again. So at most half of the
 * buffers wait. Beyond that the last message is held until an acknowledgement comes, until another message follows (then it needs
 * no acknowledgement), or until no message can follow. While the peer does not receive what is to be acknowledged, it could not
 * receive the held message either. So only a connection that itself refuses to receive can make a message wait.
 *
 * <p>The window limits how many messages are under way without being covered by an acknowledgement: a multiple of the number of
 * buffers. It lets a slow receiver hold this side back before the kernels' socket buffers are full of small messages. The window
 * does not count while no receive is posted here, because no acknowledgement can arrive then.
 */
public final class Outbound implements BufferChannel, Runnable {
    /**
     * How many send buffers each connection has besides the user's, so that the smallest pool can hold a held message, one that
     * waits for its acknowledgement, and one more.
     */
    public static final int RESERVE = 2 + BufferLender.COMMON;

    private final EventLoop loop;
    private final Endpoint endpoint;
    private final int buffers;
    private final int bufferSize;
    private final SliceSlots slots;
    private final NoResources noResources;
    private final BufferLender lender;
    private final SliceSends slices;
    private final MessagePoster poster;
    private final BooleanSupplier moreCanFollow = this::moreCanFollow;
    private final List<SendSource> sources = new ArrayList<>();
    private @Nullable PageSource pages;
    private boolean scheduled;
    private boolean closed;
    private @Nullable Throwable closeCause;
    private int first;

    /** Any thread. {@code shared}: other connections use these send buffers, too. */
    public Outbound(EventLoop loop, NetworkBackend backend, Endpoint endpoint, ConnectionCounters counters, int buffers,
            int bufferSize, SliceSlots slots, SharedSendBudget budget, boolean shared) {
        this.loop = loop;
        this.endpoint = endpoint;
        this.buffers = buffers;
        this.bufferSize = bufferSize;
        this.slots = slots;
        this.noResources = new NoResources(counters);
        this.lender = new BufferLender(backend, endpoint, noResources, buffers, bufferSize, shared);
        this.slices = new SliceSends(loop, backend, endpoint, noResources, slots);
        this.poster = new MessagePoster(backend, endpoint, counters, buffers, slices, budget, noResources,
                new AcknowledgementTracker(buffers, buffers - BufferLender.COMMON, budget, slots.size()),
                new HeldMessage(bufferSize, shared), this::schedule);
    }

    @Override
    public EventLoop loop() {
        return loop;
    }

    @Override
    public int buffers() {
        return buffers;
    }

    @Override
    public int bufferSize() {
        return bufferSize;
    }

    @Override
    public SliceSlots slots() {
        return slots;
    }

    @Override
    public boolean isClosed() {
        return closed;
    }

    @Override
    public void register(SendSource sender) {
        sources.add(sender);
    }

    /** Makes {@code packer} the only source, for a connection whose messages are pages. Any thread, before anything else. */
    public void serve(PageSource packer) {
        sources.add(packer);
        pages = packer;
    }

    @Override
    public void refuse(SendSource sender) {
        sender.connectionClosed(closeCause, closedText());
    }

    public String closedText() {
        return "the connection to " + endpoint + " is closed";
    }

    /** The reason for which the connection is closed, if there is one. */
    public @Nullable Throwable closeCause() {
        return closeCause;
    }

    @Override
    public void schedule() {
        if (!scheduled && !closed) {
            scheduled = true;
            loop.atEndOfTurn(this);
        }
    }

    public void onSendCompleted(SendKind kind, long key) {
        poster.completed(kind, (int) key);
        schedule();
    }

    public void onResourcesAvailable() {
        poster.resourcesAvailable();
        schedule();
    }

    /** Called when a message has arrived, which occupies a receive slot that was posted. */
    public void onMessageReceived() {
        poster.messageReceived();
    }

    /** Whether a message can be posted now. */
    public boolean takesMore() {
        return poster.takesMore() && !closed;
    }

    /** Counts that a page waits for a send buffer. */
    public void starve() {
        noResources.starve();
    }

    /**
     * Does the work of a turn, at its end. It is bounded: each round uses up send buffers, and none comes back before the next
     * turn.
     */
    @Override
    public void run() {
        scheduled = false;
        if (closed) {
            return;
        }
        do {
            poster.checkWindow();
            postFilled();
        } while (refill());
        if (pages != null && pages.flush()) {
            postFilled();
        }
        poster.postHeld(moreCanFollow);
        finish();
    }

    private boolean moreCanFollow() {
        boolean more = false;
        for (int i = 0; i < sources.size() && !more; i++) {
            more = sources.get(i).wantsMore();
        }
        return more;
    }

    /** Posts what the senders have filled, one message of each in turn, but for the last. */
    private void postFilled() {
        int idle = 0; // sources one after the other that have nothing, or no room
        while (idle < sources.size() && poster.takesMore()) {
            first = first < sources.size() ? first : 0;
            SendSource source = sources.get(first);
            if (source.hasNext() && poster.stage(source)) {
                idle = 0;
                poster.checkWindow();
            } else {
                idle++;
            }
            first += poster.isBlocked() ? 0 : 1; // else it is the first when something can be posted again
        }
    }

    /**
     * Has each sender request as many elements as it is lent buffers, or promised slots, for.
     *
     * @return whether an upstream filled some at once
     */
    private boolean refill() {
        boolean filled = false;
        int share = pages == null ? lender.share(sources) : 0;
        for (int i = 0; i < sources.size(); i++) {
            SendSource source = sources.get((first + i) % sources.size());
            if (source instanceof PageSource packer) {
                filled |= takesMore() && packer.fill();
            } else if (source.wantsMore()) {
                BufferSender<?> sender = (BufferSender<?>) source;
                int given = sender instanceof CopySender copying ? lender.lend(copying, share, sources.size() == 1)
                        : slices.lend((SliceSender) sender);
                if (given > 0) {
                    sender.requestUpstream(given);
                    filled |= sender.hasNext();
                }
            }
        }
        return filled && takesMore();
    }

    private void finish() {
        for (int i = sources.size() - 1; i >= 0; i--) {
            boolean done = true;
            try {
                done = sources.get(i).finishIfDone(poster.deliveredSequence());
            } catch (Throwable t) {
                loop.report(t);
            }
            if (done) {
                sources.remove(i);
            }
        }
    }

    /**
     * Closes the sending side when the connection is over. Every sender fails, except those whose data is known to be with the
     * peer.
     */
    public void close(@Nullable Throwable cause, String what) {
        if (closed) {
            return;
        }
        closed = true;
        closeCause = cause;
        poster.stop();
        finish();
        poster.close();
        List<SendSource> left = List.copyOf(sources);
        sources.clear();
        for (SendSource source : left) {
            try {
                source.connectionClosed(cause, what);
            } catch (Throwable t) { // a subscriber that throws at its end must not keep the others from theirs
                loop.report(t);
            }
        }
    }
}
