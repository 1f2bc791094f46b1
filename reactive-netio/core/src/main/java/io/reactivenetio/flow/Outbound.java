// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.flow;

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
 * <p>The last message of each turn, the tail, is sent with {@link CompletionLevel#DELIVERY_COMPLETE} if one of those who wait for
 * delivery has sent since that was last done. Order lets it vouch for all before it, so that one acknowledgement tells every
 * sender when its data is with the peer.
 *
 * <p>On tcp an acknowledgement queues behind the peer's data, and that moves only while there is demand for it. Were all buffers
 * to wait for acknowledgements, an echo, whose demand comes from free send buffers, would never move again. So at most half of
 * the buffers do. Beyond that the tail is held until an acknowledgement comes, until a message follows (then it needs none), or
 * until no more can follow. While the peer has not received what is to be acknowledged it could not receive the tail either, so
 * only a connection that itself refuses to receive can make a message wait.
 *
 * <p>At most so many times as many messages as there are buffers are under way without being vouched for (the window), so that a
 * slow receiver holds this side back before the kernels' socket buffers are full of small messages. The window is for when an
 * acknowledgement is to come and can: while no receive is posted here it cannot, and it does not count.
 */
final class Outbound implements Runnable {
    /** Send buffers that are never lent to senders, only used for what these have staged. */
    private static final int COMMON = 1;
    /** Extra send buffers of each connection, so that the smallest pool can hold a tail, a vouching message and one more. */
    static final int RESERVE = 2 + COMMON;
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
    private final FlowCounters counters;
    private final int buffers;
    private final int bufferSize;
    private final boolean shared;
    private final int kept;
    private final SliceSlots slots;
    private final Siblings siblings;
    private final Vouching vouching;
    private final GatherList gather = new GatherList();
    private final List<Sender<?>> senders = new ArrayList<>();
    private @Nullable SendBuffer tail;
    /** What the tail is sent with: a buffer's key, or after them the index of a slice; negative if there is none. */
    private int tailIndex = -1;
    private @Nullable Sender<?> tailOwner;
    /** The tail, while it waits in no send buffer. */
    private @Nullable StagingBuffer parked;
    private boolean blocked;
    private boolean starving;
    private boolean windowFull;
    private boolean awaitingSiblings;
    private boolean scheduled;
    private boolean closed;
    private @Nullable Throwable closeCause;
    private int first;

    /** {@code shared}: the send buffers are the siblings' too. */
    Outbound(EventLoop loop, NetworkBackend backend, Endpoint endpoint, FlowCounters counters, int buffers, int bufferSize,
            SliceSlots slots, Siblings siblings, boolean shared) {
        this.loop = loop;
        this.backend = backend;
        this.endpoint = endpoint;
        this.counters = counters;
        this.buffers = buffers;
        this.bufferSize = bufferSize;
        this.shared = shared;
        this.kept = shared ? COMMON + Math.max(1, buffers / SHARED_KEPT_PART) : COMMON;
        this.slots = slots;
        this.siblings = siblings;
        this.vouching = new Vouching(buffers, buffers - COMMON, siblings, slots.size());
    }

    EventLoop loop() {
        return loop;
    }

    int buffers() {
        return buffers;
    }

    int bufferSize() {
        return bufferSize;
    }

    SliceSlots slots() {
        return slots;
    }

    boolean isClosed() {
        return closed;
    }

    void register(Sender<?> sender) {
        senders.add(sender);
    }

    /** For a sender that comes, or comes back, after the end. */
    void refuse(Sender<?> sender) {
        sender.connectionClosed(closeCause, "the connection to " + endpoint + " is closed");
    }

    /** Something changed: look at it at the end of this turn. */
    void schedule() {
        if (!scheduled && !closed) {
            scheduled = true;
            loop.atEndOfTurn(this);
        }
    }

    void onSendCompleted(SendKind kind, long key) {
        if (kind == SendKind.BUFFERED) {
            vouching.completed((int) key);
        } else {
            vouching.completed(buffers + (int) key);
            slots.end((int) key, loop);
            starving = false;
        }
        schedule();
    }

    void onResourcesAvailable() {
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
        if (tailIndex >= 0 && !blocked) {
            Sender<?> owner = tailOwner;
            if (!vouching.isOwed() && (owner == null || !owner.untilDelivered())) {
                post(CompletionLevel.TRANSMIT_COMPLETE);
            } else if (vouching.admits(tailIndex) || !moreCanFollow()) {
                post(CompletionLevel.DELIVERY_COMPLETE);
            } else {
                park();
                awaitSiblings();
            }
        }
        if (windowFull) {
            awaitSiblings();
        }
        finish();
    }

    /** A buffer that is others' too must not wait with the tail: theirs might be what has to come first. */
    private void park() {
        SendBuffer last = tail;
        if (shared && last != null && last != parked) {
            StagingBuffer own = parked;
            if (own == null) {
                own = new StagingBuffer(bufferSize);
                parked = own;
            }
            own.moveFrom(last);
            tail = own;
            tailIndex = 0; // some buffer's
        }
    }

    /** False if there is no buffer for it at the moment. */
    private boolean unpark() {
        StagingBuffer own = parked;
        if (own == null || tail != own) {
            return true;
        }
        SendBuffer buffer = backend.getBuffer(endpoint);
        if (buffer == null) {
            starve();
            return false;
        }
        own.copyTo(buffer);
        tail = buffer;
        tailIndex = buffer.key();
        return true;
    }

    /** To look again when less waits for acknowledgements, or no receive is posted any more. */
    private void awaitSiblings() {
        if (!awaitingSiblings) {
            awaitingSiblings = true;
            siblings.await(this);
        }
    }

    void wake() {
        awaitingSiblings = false;
        schedule();
    }

    private boolean moreCanFollow() {
        for (int i = 0; i < senders.size(); i++) {
            if (senders.get(i).canRequest()) {
                return true;
            }
        }
        return false;
    }

    /** Posts what the senders have filled, one message of each in turn, but for the last. */
    private void postFilled() {
        boolean any = true;
        while (any && !blocked && !windowFull) {
            any = false;
            for (int i = 0; i < senders.size() && !blocked && !windowFull; i++) {
                Sender<?> sender = senders.get((first + i) % senders.size());
                if (sender.hasNext() && stage(sender)) {
                    any = true;
                    checkWindow();
                }
            }
        }
        first++;
        if (first >= senders.size()) {
            first = 0;
        }
    }

    private void checkWindow() {
        boolean full = vouching.isWindowFull(tailIndex >= 0) && backend.creditsPosted(endpoint) > 0;
        if (full && !windowFull) {
            counters.noResources.add(1);
        }
        windowFull = full;
    }

    /** With the last receive slot taken no acknowledgement can come: what waits for one must not, or nothing ever moves. */
    void onMessageReceived() {
        if (siblings.someoneWaits() && backend.creditsPosted(endpoint) == 0) {
            siblings.wake();
        }
    }

    /** Makes a sender's next message the tail, and posts the one that was. False if there is no room for it at the moment. */
    private boolean stage(Sender<?> sender) {
        return sender instanceof SendSubscriber copying ? stageBuffer(copying) : stageSlice((SliceSender<?>) sender);
    }

    private boolean stageBuffer(SendSubscriber sender) {
        if (tail != null && tail == parked && !makeRoom()) {
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
            tail = next;
            tailIndex = next.key();
            tailOwner = sender;
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
            tailIndex = buffers + slots.take(next);
            tailOwner = sender;
        }
        return true;
    }

    /** Posts the tail, because another message follows it. False if that is not possible now. */
    private boolean makeRoom() {
        if (tailIndex >= 0) {
            post(CompletionLevel.TRANSMIT_COMPLETE);
        }
        return tailIndex < 0 && !blocked && !closed;
    }

    /** Posts the tail. */
    private void post(CompletionLevel level) {
        if (!unpark()) {
            return;
        }
        SendBuffer buffer = tail;
        int index = tailIndex;
        Sender<?> owner = tailOwner;
        vouching.posting(index, level == CompletionLevel.DELIVERY_COMPLETE);
        long bytes = buffer != null ? buffer.length() : slots.at(index - buffers).bytes();
        @Nullable SendStatus status = buffer != null ? backend.sendBuffer(endpoint, buffer, level)
                : sendSlice(index - buffers, level);
        if (status == null) {
            return;
        }
        if (status == SendStatus.NO_RESOURCES) {
            blocked = true;
            counters.noResources.add(1);
            return;
        }
        noTail();
        if (status == SendStatus.OK) {
            vouching.posted(index, owner);
            counters.sentMessages.add(1);
            counters.sentBytes.add(bytes);
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
            Sender<?> owner = tailOwner;
            noTail();
            slots.end(slot, loop);
            if (owner != null) {
                owner.terminate(e);
            }
            return null;
        }
    }

    private void noTail() {
        tail = null;
        tailIndex = -1;
        tailOwner = null;
    }

    /**
     * Lends each sender more buffers and has it request as many elements. One never gets more than half of what is free, so that
     * a slow upstream leaves something for senders that come later. When slow ones have it all nevertheless, the next stages one
     * message at a time.
     *
     * @return whether an upstream filled some at once
     */
    private boolean refill() {
        boolean filled = false;
        for (int i = 0; i < senders.size(); i++) {
            Sender<?> sender = senders.get((first + i) % senders.size());
            if (!sender.canRequest()) {
                continue;
            }
            int given = lend(sender);
            if (given > 0) {
                sender.requestUpstream(given);
                filled |= sender.hasNext();
            }
        }
        return filled && !blocked && !windowFull;
    }

    /** How many more elements the sender can take. */
    private int lend(Sender<?> sender) {
        return sender instanceof SendSubscriber copying ? lendBuffers(copying) : lendSlots((SliceSender<?>) sender);
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

    private int lendBuffers(SendSubscriber sender) {
        int lendable = backend.freeSendBuffers(endpoint) - kept;
        int share = lendable <= 0 ? 0 : Math.max(1, lendable / (shared ? SHARED_PART : 2));
        int given = 0;
        for (int inHand = sender.inHand(); inHand + given < share; given++) {
            SendBuffer buffer = backend.getBuffer(endpoint);
            if (buffer == null) {
                break;
            }
            sender.reserve(buffer);
        }
        if (given == 0 && lendable <= 0) {
            starve();
            return (shared || senders.size() > 1) && sender.inHand() == 0 && sender.reserveStaging(bufferSize) ? 1 : 0;
        }
        return given;
    }

    private void starve() {
        if (!starving) {
            starving = true;
            counters.noResources.add(1);
        }
    }

    private void finish() {
        for (int i = senders.size() - 1; i >= 0; i--) {
            boolean done = true;
            try {
                done = senders.get(i).finishIfDone(vouching.deliveredSequence());
            } catch (Throwable t) {
                loop.report(t);
            }
            if (done) {
                senders.remove(i);
            }
        }
    }

    /** The connection is over: every sender fails, except one whose data is known to be with the peer. */
    void close(@Nullable Throwable cause, String what) {
        if (closed) {
            return;
        }
        closed = true;
        closeCause = cause;
        SendBuffer last = tail;
        noTail();
        if (last != null) {
            last.release();
        }
        slots.endAll(loop);
        finish();
        vouching.close();
        List<Sender<?>> left = List.copyOf(senders);
        senders.clear();
        for (Sender<?> sender : left) {
            try {
                sender.connectionClosed(cause, what);
            } catch (Throwable t) { // a subscriber that throws at its end must not keep the others from theirs
                loop.report(t);
            }
        }
    }
}
