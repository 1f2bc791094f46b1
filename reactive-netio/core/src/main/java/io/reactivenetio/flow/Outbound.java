// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.flow;

import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.transport.CompletionLevel;
import io.reactivenetio.transport.Endpoint;
import io.reactivenetio.transport.NetworkBackend;
import io.reactivenetio.transport.SendBuffer;
import io.reactivenetio.transport.SendStatus;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The sending side of a connection: shares its send buffers among the senders, and their messages, one from each in turn, with
 * the backend. Confined to the loop, and does its work once per turn, at the turn's end, however often it is called.
 *
 * <p>The last message of each turn, the tail, is sent with {@link CompletionLevel#DELIVERY_COMPLETE}. Order lets it vouch for all
 * before it, so that one acknowledgement tells every sender when its data is with the peer.
 *
 * <p>On tcp an acknowledgement queues behind the peer's data, and that moves only while there is demand for it. Were all buffers
 * to wait for acknowledgements, an echo, whose demand comes from free send buffers, would never move again. So at most half of
 * the buffers do. Beyond that the tail is held until an acknowledgement comes, until a message follows (then it needs none), or
 * until no more can follow. While the peer has not received what is to be acknowledged it could not receive the tail either, so
 * only a connection that itself refuses to receive can make a message wait.
 *
 * <p>At most {@link #WINDOW} times as many messages as there are buffers are under way without being vouched for, so that a slow
 * receiver holds this side back before the kernels' socket buffers are full of small messages. The window is for when
 * acknowledgements can come: while no receive is posted here they cannot, and it does not count.
 */
final class Outbound implements Runnable {
    /** Send buffers that are never lent to senders, only used for what these have staged. */
    private static final int COMMON = 1;
    /** Extra send buffers of each connection, so that the smallest pool can hold a tail, a vouching message and one more. */
    static final int RESERVE = 2 + COMMON;
    private static final int WINDOW = 4;

    private final EventLoop loop;
    private final NetworkBackend backend;
    private final Endpoint endpoint;
    private final FlowCounters counters;
    private final int buffers;
    private final int bufferSize;
    private final long[] sequences;
    private final boolean[] vouching;
    private final List<SendSubscriber> senders = new ArrayList<>();
    private @Nullable SendBuffer tail;
    private @Nullable SendSubscriber tailOwner;
    private boolean blocked;
    private boolean starving;
    private boolean windowFull;
    private boolean scheduled;
    private boolean closed;
    private @Nullable Throwable closeCause;
    private long sequence;
    private long deliveredSequence;
    private int first;
    private int vouchingInFlight;

    Outbound(EventLoop loop, NetworkBackend backend, Endpoint endpoint, FlowCounters counters, int buffers, int bufferSize) {
        this.loop = loop;
        this.backend = backend;
        this.endpoint = endpoint;
        this.counters = counters;
        this.buffers = buffers;
        this.bufferSize = bufferSize;
        this.sequences = new long[buffers];
        this.vouching = new boolean[buffers];
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

    boolean isClosed() {
        return closed;
    }

    void register(SendSubscriber sender) {
        senders.add(sender);
    }

    /** For a sender that comes, or comes back, after the end. */
    void refuse(SendSubscriber sender) {
        sender.connectionClosed(closeCause, "the connection to " + endpoint + " is closed");
    }

    /** Something changed: look at it at the end of this turn. */
    void schedule() {
        if (!scheduled && !closed) {
            scheduled = true;
            loop.atEndOfTurn(this);
        }
    }

    void onSendCompleted(int key) {
        if (vouching[key]) {
            vouchingInFlight--;
            deliveredSequence = Math.max(deliveredSequence, sequences[key]);
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
        SendBuffer last = tail;
        if (last != null && !blocked && (vouchingInFlight < Math.max(1, (buffers - COMMON) / 2) || !moreCanFollow())) {
            post(last, CompletionLevel.DELIVERY_COMPLETE);
        }
        finish();
    }

    private boolean moreCanFollow() {
        for (int i = 0; i < senders.size(); i++) {
            if (senders.get(i).wantsMore()) {
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
                SendSubscriber sender = senders.get((first + i) % senders.size());
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
        boolean full = sequence - deliveredSequence >= (long) WINDOW * buffers && backend.creditsPosted(endpoint) > 0;
        if (full && !windowFull) {
            counters.noResources.add(1);
        }
        windowFull = full;
    }

    /** With the last receive slot taken no acknowledgement can come: what waits for one must not, or nothing ever moves. */
    void onMessageReceived() {
        if (windowFull && backend.creditsPosted(endpoint) == 0) {
            schedule();
        }
    }

    /** Makes a sender's next message the tail, and posts the one that was. False if there is no buffer for it at the moment. */
    private boolean stage(SendSubscriber sender) {
        @Nullable SendBuffer copy = null;
        if (sender.isNextStaged()) {
            copy = backend.getBuffer(endpoint);
            if (copy == null) {
                starve();
                return false; // the others go on
            }
        }
        SendBuffer previous = tail;
        if (previous != null) {
            post(previous, CompletionLevel.TRANSMIT_COMPLETE);
        }
        if (blocked || closed) {
            if (copy != null) {
                copy.release();
            }
            return false;
        }
        tail = copy == null ? sender.next() : sender.nextInto(copy);
        tailOwner = sender;
        return true;
    }

    private void post(SendBuffer buffer, CompletionLevel level) {
        int key = buffer.key();
        sequences[key] = sequence + 1;
        vouching[key] = level == CompletionLevel.DELIVERY_COMPLETE;
        int bytes = buffer.length();
        SendStatus status = backend.sendBuffer(endpoint, buffer, level);
        if (status == SendStatus.NO_RESOURCES) {
            blocked = true;
            counters.noResources.add(1);
            return;
        }
        if (status == SendStatus.OK) {
            sequence++;
            if (vouching[key]) {
                vouchingInFlight++;
            }
            counters.sentMessages.add(1);
            counters.sentBytes.add(bytes);
            SendSubscriber owner = tailOwner;
            if (owner != null) {
                owner.posted(sequence);
            }
        } else {
            blocked = true; // the closed callback follows
        }
        tail = null;
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
            SendSubscriber sender = senders.get((first + i) % senders.size());
            if (!sender.wantsMore()) {
                continue;
            }
            int given = lend(sender);
            if (given > 0) {
                sender.request(given);
                filled |= sender.hasNext();
            }
        }
        return filled && !blocked && !windowFull;
    }

    /** How many more elements the sender can take. */
    private int lend(SendSubscriber sender) {
        int lendable = backend.freeSendBuffers(endpoint) - COMMON;
        int share = lendable <= 0 ? 0 : Math.max(1, lendable / 2);
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
            return senders.size() > 1 && sender.inHand() == 0 && sender.reserveStaging(bufferSize) ? 1 : 0;
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
                done = senders.get(i).finishIfDone(deliveredSequence);
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
        tail = null;
        if (last != null) {
            last.release();
        }
        finish();
        List<SendSubscriber> left = List.copyOf(senders);
        senders.clear();
        for (SendSubscriber sender : left) {
            try {
                sender.connectionClosed(cause, what);
            } catch (Throwable t) { // a subscriber that throws at its end must not keep the others from theirs
                loop.report(t);
            }
        }
    }
}
