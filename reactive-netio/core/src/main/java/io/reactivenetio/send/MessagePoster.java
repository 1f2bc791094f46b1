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
    private final SharedSendBudget budget;
    private final NoResources noResources;
    private final AcknowledgementTracker acknowledgements;
    private final HeldMessage held;
    private final Runnable schedule;
    private final Runnable wake = this::wake;
    private boolean blocked;
    private boolean windowFull;
    /** Whether the held message waits for an acknowledgement, and that is counted. */
    private boolean holding;
    private boolean awaitingBudget;

    /** Calls {@code schedule} when a message that waited for {@code budget} may go on. */
    MessagePoster(NetworkBackend backend, Endpoint endpoint, ConnectionCounters counters, int buffers,
            SliceSends slices, SharedSendBudget budget, NoResources noResources, AcknowledgementTracker acknowledgements,
            HeldMessage held, Runnable schedule) {
        this.backend = backend;
        this.endpoint = endpoint;
        this.counters = counters;
        this.buffers = buffers;
        this.slices = slices;
        this.budget = budget;
        this.noResources = noResources;
        this.acknowledgements = acknowledgements;
        this.held = held;
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
        if (budget.someoneWaits() && backend.creditsPosted(endpoint) == 0) {
            budget.wake();
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
        if (held.isParked() && !makeRoom()) {
            return false; // the parked message needs a buffer first
        }
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

    /** Posts the held message, unless it has to wait for an acknowledgement or, if {@code moreCanFollow}, for another message. */
    void postHeld(BooleanSupplier moreCanFollow) {
        if (held.isThere() && !blocked) {
            SendSource owner = held.owner();
            if (!acknowledgements.isOwed() && (owner == null || !owner.untilDelivered())) {
                post(SendCompletion.TRANSMITTED);
            } else if (acknowledgements.admits(held.index()) || !moreCanFollow.getAsBoolean()) {
                post(SendCompletion.DELIVERED);
            } else {
                hold();
            }
        }
        if (windowFull) {
            awaitBudget();
        }
    }

    private void hold() {
        if (!holding) {
            holding = true;
            counters.countNoResources();
        }
        held.park();
        awaitBudget();
    }

    /** Asks to be called when fewer buffers wait for acknowledgements, or no receive is posted any more. */
    private void awaitBudget() {
        if (!awaitingBudget) {
            awaitingBudget = true;
            budget.await(wake);
        }
    }

    private void wake() {
        awaitingBudget = false;
        schedule.run();
    }

    // ---- the backend

    /** Gets the held message a send buffer if it has none. Returns false if none is free. */
    private boolean unpark() {
        if (!held.isParked()) {
            return true;
        }
        SendBuffer buffer = backend.getBuffer(endpoint);
        if (buffer == null) {
            noResources.starve();
            return false;
        }
        held.unpark(buffer);
        return true;
    }

    private void post(SendCompletion level) {
        if (!unpark()) {
            return;
        }
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
        holding = false;
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
        SendBuffer last = held.buffer();
        held.clear();
        if (last != null) {
            last.release();
        }
        slices.endAll();
    }

    /** Forgets the messages that wait for acknowledgements: none will come. */
    void close() {
        acknowledgements.close();
    }
}
