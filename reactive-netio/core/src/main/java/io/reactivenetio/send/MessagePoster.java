// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.send;

import io.reactivenetio.counters.ConnectionCounters;
import io.reactivenetio.transport.SendCompletion;
import io.reactivenetio.transport.backend.Endpoint;
import io.reactivenetio.transport.backend.NetworkBackend;
import io.reactivenetio.transport.backend.SendBuffer;
import io.reactivenetio.transport.backend.SendKind;
import io.reactivenetio.transport.backend.SendStatus;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Posts the messages of a connection to the backend, one after the other. The last one is held until it is known what follows it;
 * {@link Outbound} says why. The backend owns a send buffer from the post to the completion; before that the held message owns
 * it. On the loop.
 */
final class MessagePoster {
    private final NetworkBackend backend;
    private final Endpoint endpoint;
    private final ConnectionCounters counters;
    private final int buffers;
    private final SliceSends slices;
    private final FullWindows fullWindows;
    private final NoResources noResources;
    private final AcknowledgementTracker acknowledgements;
    private final HeldMessage held;
    private final LateQuestion question;
    private final Runnable schedule;
    private final Runnable wake = this::wake;
    private boolean blocked;
    private boolean windowFull;
    private boolean waiting;

    /** Calls {@code schedule} when a full window counts no more, as no receive is posted. */
    MessagePoster(NetworkBackend backend, Endpoint endpoint, ConnectionCounters counters, int buffers,
            SliceSends slices, FullWindows fullWindows, NoResources noResources, AcknowledgementTracker acknowledgements,
            HeldMessage held, LateQuestion question, Runnable schedule) {
        this.backend = backend;
        this.endpoint = endpoint;
        this.counters = counters;
        this.buffers = buffers;
        this.slices = slices;
        this.fullWindows = fullWindows;
        this.noResources = noResources;
        this.acknowledgements = acknowledgements;
        this.held = held;
        this.question = question;
        this.schedule = schedule;
    }

    /** Whether the backend takes another message, and the window has room for it. */
    boolean takesMore() {
        return !blocked && !windowFull;
    }

    boolean isBlocked() {
        return blocked;
    }

    /** The sequence number of the last message that is known to be with the peer, as all before it are. */
    long deliveredSequence() {
        return acknowledgements.deliveredSequence();
    }

    void completed(SendKind kind, int key) {
        if (kind == SendKind.BUFFERED) {
            acknowledgements.completed(key);
        } else {
            acknowledgements.completed(buffers + key);
            slices.completed(key);
        }
    }

    /** The peer has all that was posted before the question. */
    void acknowledged() {
        acknowledgements.answered();
    }

    void resourcesAvailable() {
        blocked = false;
        noResources.end();
    }

    void checkWindow() {
        boolean full = acknowledgements.isWindowFull(held.isThere()) && backend.creditsPosted(endpoint) > 0;
        if (full && !windowFull) {
            counters.countNoResources();
        }
        windowFull = full;
    }

    /**
     * Wakes those who wait for an acknowledgement if the message that has arrived has taken the last posted receive. No
     * acknowledgement can arrive then, and nobody may wait for one.
     */
    void messageReceived() {
        if (fullWindows.someoneWaits() && backend.creditsPosted(endpoint) == 0) {
            fullWindows.wake();
        }
    }

    // ---- one message after the other

    /**
     * Makes the next message of {@code source} the held message, and posts the one that was. Returns false if that is not
     * possible at the moment.
     */
    boolean stage(SendSource source) {
        return source instanceof CopySource copying ? stageBuffer(copying) : stageSlice((SliceSender) source);
    }

    private boolean stageBuffer(CopySource source) {
        @Nullable SendBuffer copy = null;
        if (source.isNextStaged()) {
            copy = backend.getBuffer(endpoint);
            if (copy == null) {
                noResources.starve();
                return false; // the others go on
            }
        }
        if (!makeRoom()) {
            if (copy != null) {
                copy.release();
            }
            return false;
        }
        SendBuffer next = copy == null ? source.next() : source.nextInto(copy);
        if (next != null) {
            held.begin(next, source);
        }
        return true;
    }

    private boolean stageSlice(SliceSender sender) {
        if (!slices.hasSlot()) {
            return false; // the others go on
        }
        if (!makeRoom()) {
            return false;
        }
        int slot = slices.take(sender);
        if (slot >= 0) {
            held.begin(buffers + slot, sender);
        }
        return true;
    }

    /** Posts the held message, because another one follows it. Returns false if that is not possible now. */
    private boolean makeRoom() {
        if (held.isThere()) {
            post(SendCompletion.TRANSMITTED);
        }
        return !held.isThere() && !blocked;
    }

    // ---- the last message of a turn

    /** Posts the held message. {@code awaited}: whether a send has ended, and waits for an acknowledgement. */
    void postHeld(BooleanSupplier awaited) {
        if (held.isThere() && !blocked) {
            SendSource owner = held.owner();
            boolean asks = acknowledgements.isOwed() || owner != null && owner.untilDelivered();
            post(asks && !question.follows(awaited, held.index()) ? SendCompletion.DELIVERED : SendCompletion.TRANSMITTED);
        }
        if (!held.isThere()) {
            question.follow(awaited);
        }
        if (windowFull && !waiting) {
            waiting = true;
            fullWindows.await(wake);
        }
    }

    private void wake() {
        waiting = false;
        schedule.run();
    }

    // ---- the backend

    private void post(SendCompletion level) {
        SendBuffer buffer = held.buffer();
        int index = held.index();
        SendSource owner = held.owner();
        acknowledgements.posting(index, level == SendCompletion.DELIVERED);
        long bytes = buffer != null ? buffer.length() : slices.bytes(index - buffers);
        @Nullable SendStatus status = buffer != null ? backend.sendBuffer(endpoint, buffer, level)
                : sendSlice(index - buffers, level, owner);
        if (status == null) {
            return;
        }
        if (status == SendStatus.NO_RESOURCES) {
            blocked = true;
            counters.countNoResources();
        } else {
            held.clear();
            posted(status == SendStatus.OK, index, owner, bytes);
        }
    }

    /** Posts the slice in {@code slot}. Returns null if the provider will never take it, and its send has failed. */
    private @Nullable SendStatus sendSlice(int slot, SendCompletion level, @Nullable SendSource owner) {
        try {
            return slices.send(slot, level);
        } catch (IllegalArgumentException e) { // more entries than the provider gathers
            held.clear();
            slices.refused(slot, owner, e);
            return null;
        }
    }

    private void posted(boolean accepted, int index, @Nullable SendSource owner, long bytes) {
        if (!accepted) {
            blocked = true; // the closed callback follows, and with it the end of a slice
            return;
        }
        acknowledgements.posted(index, owner);
        if (!(owner instanceof PageSource)) { // the messages in pages are counted
            counters.countSent(1, bytes);
        }
    }

    // ---- its end

    /** Stops posting, because the connection is over, and releases the buffer of the held message. */
    void stop() {
        blocked = true;
        question.close();
        SendBuffer last = held.buffer();
        held.clear();
        if (last != null) {
            last.release();
        }
        slices.endAll();
    }
}
