// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.send;

import io.reactivenetio.counters.ConnectionCounters;
import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.transport.CompletionLevel;
import io.reactivenetio.transport.Endpoint;
import io.reactivenetio.transport.GatherList;
import io.reactivenetio.transport.NetworkBackend;
import io.reactivenetio.transport.SendBuffer;
import io.reactivenetio.transport.SendKind;
import io.reactivenetio.transport.SendStatus;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The sending side of a connection: shares its send buffers among the senders, and their messages, one from each in turn, with
 * the backend. Confined to the loop, and does its work once per turn, at the turn's end, however often it is called.
 *
 * <p>The last message of each turn, the held message, is sent with {@link CompletionLevel#DELIVERY_COMPLETE} if one of those who
 * wait for delivery has sent since that was last done. Order lets its acknowledgement cover all before it, so that one tells
 * every sender when its data is with the peer.
 *
 * <p>On tcp an acknowledgement queues behind the peer's data, and that moves only while there is demand for it. Were all buffers
 * to wait for acknowledgements, an echo, whose demand comes from free send buffers, would never move again. So at most half of
 * the buffers do. Beyond that the last message is held until an acknowledgement comes, until a message follows (then it needs
 * none), or until no more can follow. While the peer has not received what is to be acknowledged it could not receive the held
 * one either, so only a connection that itself refuses to receive can make a message wait.
 *
 * <p>At most so many times as many messages as there are buffers are under way without being covered by an acknowledgement (the
 * window), so that a slow receiver holds this side back before the kernels' socket buffers are full of small messages. The
 * window is for when an acknowledgement is to come and can: while no receive is posted here it cannot, and it does not count.
 */
public final class Outbound implements Runnable {
    /** Send buffers that are never lent to senders, only used for what these have staged. */
    private static final int COMMON = 1;
    /**
     * Extra send buffers of each connection, so that the smallest pool can hold a held message, one that waits for its
     * acknowledgement, and one more.
     */
    public static final int RESERVE = 2 + COMMON;
    /**
     * Of buffers that connections share, one in so many is never lent to senders: a connection that holds some is refused the
     * last quarter while others hold none, and would wait for its own idle senders.
     */
    private static final int SHARED_KEPT_PART = 4;
    /** And one sender gets one in so many at most of what is free: there are those of other connections too. */
    private static final int SHARED_PART = 8;

    private final EventLoop loop;
    private final NetworkBackend backend;
    private final Endpoint endpoint;
    private final ConnectionCounters counters;
    private final int buffers;
    private final int bufferSize;
    private final boolean shared;
    private final int kept;
    private final SliceSlots slots;
    private final SharedSendBudget budget;
    private final Runnable wake = this::wake;
    private final AcknowledgementTracker acknowledgements;
    private final GatherList gather = new GatherList();
    private final List<SendSource> sources = new ArrayList<>();
    private final HeldMessage held;
    private @Nullable PageSource pages;
    private boolean blocked;
    private boolean starving;
    private boolean windowFull;
    /** The held message has to wait for an acknowledgement, and that is counted. */
    private boolean holding;
    private boolean awaitingBudget;
    private boolean scheduled;
    private boolean closed;
    private @Nullable Throwable closeCause;
    private int first;

    /** {@code shared}: the send buffers are other connections' too. Any thread. */
    public Outbound(EventLoop loop, NetworkBackend backend, Endpoint endpoint, ConnectionCounters counters, int buffers,
            int bufferSize, SliceSlots slots, SharedSendBudget budget, boolean shared) {
        this.loop = loop;
        this.backend = backend;
        this.endpoint = endpoint;
        this.counters = counters;
        this.buffers = buffers;
        this.bufferSize = bufferSize;
        this.shared = shared;
        this.kept = shared ? COMMON + Math.max(1, buffers / SHARED_KEPT_PART) : COMMON;
        this.slots = slots;
        this.budget = budget;
        this.held = new HeldMessage(bufferSize);
        this.acknowledgements = new AcknowledgementTracker(buffers, buffers - COMMON, budget, slots.size());
    }

    public EventLoop loop() {
        return loop;
    }

    int buffers() {
        return buffers;
    }

    public int bufferSize() {
        return bufferSize;
    }

    SliceSlots slots() {
        return slots;
    }

    public boolean isClosed() {
        return closed;
    }

    void register(BufferSender<?> sender) {
        sources.add(sender);
    }

    /** For a connection whose messages are pages: they are all there is to be sent. Any thread, before anything else. */
    public void serve(PageSource packer) {
        sources.add(packer);
        pages = packer;
    }

    /** For a sender that comes, or comes back, after the end. */
    void refuse(BufferSender<?> sender) {
        sender.connectionClosed(closeCause, closedText());
    }

    public String closedText() {
        return "the connection to " + endpoint + " is closed";
    }

    /** Why it is closed, if there is a reason. */
    public @Nullable Throwable closeCause() {
        return closeCause;
    }

    /** Something of a source changed: look at it at the end of this turn. */
    public void schedule() {
        if (!scheduled && !closed) {
            scheduled = true;
            loop.atEndOfTurn(this);
        }
    }

    public void onSendCompleted(SendKind kind, long key) {
        if (kind == SendKind.BUFFERED) {
            acknowledgements.completed((int) key);
        } else {
            acknowledgements.completed(buffers + (int) key);
            slots.end((int) key, loop);
            starving = false;
        }
        schedule();
    }

    public void onResourcesAvailable() {
        blocked = false;
        starving = false;
        schedule();
    }

    /** The end of a turn. Bounded: each round uses up send buffers, and none comes back before the next turn. */
    @Override
    public void run() {
        scheduled = false;
        if (closed) {
            return;
        }
        do {
            checkWindow();
            postFilled();
        } while (refill());
        if (pages != null && pages.flush()) {
            postFilled();
        }
        if (held.isThere() && !blocked) {
            SendSource owner = held.owner();
            if (!acknowledgements.isOwed() && (owner == null || !owner.untilDelivered())) {
                post(CompletionLevel.TRANSMIT_COMPLETE);
            } else if (acknowledgements.admits(held.index()) || !moreCanFollow()) {
                post(CompletionLevel.DELIVERY_COMPLETE);
            } else {
                if (!holding) {
                    holding = true;
                    counters.countNoResources();
                }
                park();
                awaitBudget();
            }
        }
        if (windowFull) {
            awaitBudget();
        }
        finish();
    }

    /** A buffer that is others' too must not wait with the held message: theirs might be what has to come first. */
    private void park() {
        if (shared) {
            held.park();
        }
    }

    /** False if there is no buffer for it at the moment. */
    private boolean unpark() {
        if (!held.isParked()) {
            return true;
        }
        SendBuffer buffer = backend.getBuffer(endpoint);
        if (buffer == null) {
            starve();
            return false;
        }
        held.unpark(buffer);
        return true;
    }

    /** To look again when less waits for acknowledgements, or no receive is posted any more. */
    private void awaitBudget() {
        if (!awaitingBudget) {
            awaitingBudget = true;
            budget.await(wake);
        }
    }

    private void wake() {
        awaitingBudget = false;
        schedule();
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
        while (idle < sources.size() && !blocked && !windowFull) {
            first = first < sources.size() ? first : 0;
            SendSource source = sources.get(first);
            if (source.hasNext() && stage(source)) {
                idle = 0;
                checkWindow();
            } else {
                idle++;
            }
            first += blocked ? 0 : 1; // else it is the first when something can be posted again
        }
    }

    private void checkWindow() {
        boolean full = acknowledgements.isWindowFull(held.isThere()) && backend.creditsPosted(endpoint) > 0;
        if (full && !windowFull) {
            counters.countNoResources();
        }
        windowFull = full;
    }

    /** With the last receive slot taken no acknowledgement can come: what waits for one must not, or nothing ever moves. */
    public void onMessageReceived() {
        if (budget.someoneWaits() && backend.creditsPosted(endpoint) == 0) {
            budget.wake();
        }
    }

    /** Makes a source's next message the held, and posts the one that was. False if there is no room for it at the moment. */
    private boolean stage(SendSource source) {
        return source instanceof CopySource copying ? stageBuffer(copying) : stageSlice((SliceSender<?>) source);
    }

    private boolean stageBuffer(CopySource sender) {
        if (held.isParked() && !makeRoom()) {
            return false; // before the next one takes what it needs
        }
        @Nullable SendBuffer copy = null;
        if (sender.isNextStaged()) {
            copy = backend.getBuffer(endpoint);
            if (copy == null) {
                starve();
                return false; // the others go on
            }
        }
        if (!makeRoom()) {
            if (copy != null) {
                copy.release();
            }
            return false;
        }
        SendBuffer next = copy == null ? sender.next() : sender.nextInto(copy);
        if (next != null) {
            held.begin(next, sender);
        }
        return true;
    }

    private boolean stageSlice(SliceSender<?> sender) {
        if (slots.available() == 0) {
            starve();
            return false; // the others go on
        }
        if (!makeRoom()) {
            return false;
        }
        SliceState next = sender.next();
        if (next != null) {
            held.begin(buffers + slots.take(next), sender);
        }
        return true;
    }

    /** Posts the held, because another message follows it. False if that is not possible now. */
    private boolean makeRoom() {
        if (held.isThere()) {
            post(CompletionLevel.TRANSMIT_COMPLETE);
        }
        return !held.isThere() && !blocked && !closed;
    }

    /** Posts the held. */
    private void post(CompletionLevel level) {
        if (!unpark()) {
            return;
        }
        SendBuffer buffer = held.buffer();
        int index = held.index();
        SendSource owner = held.owner();
        acknowledgements.posting(index, level == CompletionLevel.DELIVERY_COMPLETE);
        long bytes = buffer != null ? buffer.length() : slots.at(index - buffers).bytes();
        @Nullable SendStatus status = buffer != null ? backend.sendBuffer(endpoint, buffer, level)
                : sendSlice(index - buffers, level);
        if (status == null) {
            return;
        }
        if (status == SendStatus.NO_RESOURCES) {
            blocked = true;
            counters.countNoResources();
            return;
        }
        held.clear();
        holding = false;
        if (status == SendStatus.OK) {
            acknowledgements.posted(index, owner);
            if (pages == null) { // the messages in them are counted
                counters.countSent(1, bytes);
            }
        } else {
            blocked = true; // the closed callback follows, and with it the end of a slice
        }
    }

    /** Null if the provider will never take it, and its send has failed. */
    private @Nullable SendStatus sendSlice(int slot, CompletionLevel level) {
        slots.at(slot).gatherInto(gather);
        try {
            return backend.sendZeroCopy(endpoint, gather, slot, level);
        } catch (IllegalArgumentException e) { // more entries than the provider gathers
            SendSource owner = held.owner();
            held.clear();
            slots.end(slot, loop);
            if (owner instanceof SliceSender<?> sender) {
                sender.terminate(e);
            }
            return null;
        }
    }

    /**
     * Lends each sender more buffers and has it request as many elements. All get the same, so that none has something to send
     * when it is not its turn, and together never all that is free, so that slow upstreams leave something for senders that come
     * later. When slow ones have it all nevertheless, the next stages one message at a time.
     *
     * @return whether an upstream filled some at once
     */
    private boolean refill() {
        boolean filled = false;
        int share = pages == null ? share() : 0;
        for (int i = 0; i < sources.size(); i++) {
            SendSource source = sources.get((first + i) % sources.size());
            if (source instanceof PageSource packer) {
                filled |= takesMore() && packer.fill();
            } else if (source.wantsMore()) {
                BufferSender<?> sender = (BufferSender<?>) source;
                int given = sender instanceof CopySender copying ? lendBuffers(copying, share)
                        : lendSlots((SliceSender<?>) sender);
                if (given > 0) {
                    sender.requestUpstream(given);
                    filled |= sender.hasNext();
                }
            }
        }
        return filled && takesMore();
    }

    /** How many buffers each sender may have in hand. */
    private int share() {
        int parts = 1;
        for (int i = 0; i < sources.size(); i++) {
            if (sources.get(i) instanceof CopySender sender && sender.inHand() == 0 && sender.wantsMore()) {
                parts++;
            }
        }
        return Math.max(1, lendable() / Math.max(parts, shared ? SHARED_PART : 2));
    }

    private int lendable() {
        return backend.freeSendBuffers(endpoint) - kept;
    }

    public boolean takesMore() {
        return !blocked && !windowFull && !closed;
    }

    /** Slots are not kept for a sender: whoever has something to send first gets them. */
    private int lendSlots(SliceSender<?> sender) {
        int available = slots.available();
        if (available == 0) {
            starve();
            return 0;
        }
        int given = Math.max(0, Math.max(1, available / 2) - sender.inHand());
        sender.expect(given);
        return given;
    }

    private int lendBuffers(CopySender sender, int share) {
        int lendable = lendable();
        int most = Math.min(lendable, share - sender.inHand());
        int given = 0;
        while (given < most) {
            SendBuffer buffer = backend.getBuffer(endpoint);
            if (buffer == null) {
                break;
            }
            sender.reserve(buffer);
            given++;
        }
        if (given == 0 && lendable <= 0) {
            starve();
            return (shared || sources.size() > 1) && sender.inHand() == 0 && sender.reserveStaging(bufferSize) ? 1 : 0;
        }
        return given;
    }

    public void starve() {
        if (!starving) {
            starving = true;
            counters.countNoResources();
        }
    }

    private void finish() {
        for (int i = sources.size() - 1; i >= 0; i--) {
            boolean done = true;
            try {
                done = sources.get(i).finishIfDone(acknowledgements.deliveredSequence());
            } catch (Throwable t) {
                loop.report(t);
            }
            if (done) {
                sources.remove(i);
            }
        }
    }

    /** The connection is over: every sender fails, except one whose data is known to be with the peer. */
    public void close(@Nullable Throwable cause, String what) {
        if (closed) {
            return;
        }
        closed = true;
        closeCause = cause;
        SendBuffer last = held.buffer();
        held.clear();
        if (last != null) {
            last.release();
        }
        slots.endAll(loop);
        finish();
        acknowledgements.close();
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
