// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.send;

import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.transport.SendCompletion;
import io.reactivenetio.transport.backend.Endpoint;
import io.reactivenetio.transport.backend.GatherList;
import io.reactivenetio.transport.backend.NetworkBackend;
import io.reactivenetio.transport.backend.SendStatus;
import org.jspecify.annotations.Nullable;

/**
 * Gives slices of a region to the backend. The connection owns a slice until its send is over or has failed; then the user owns
 * it again. On the loop.
 */
final class SliceSends {
    private final EventLoop loop;
    private final NetworkBackend backend;
    private final Endpoint endpoint;
    private final NoResources noResources;
    private final SliceSlots slots;
    private final GatherList gather = new GatherList();

    SliceSends(EventLoop loop, NetworkBackend backend, Endpoint endpoint, NoResources noResources, SliceSlots slots) {
        this.loop = loop;
        this.backend = backend;
        this.endpoint = endpoint;
        this.noResources = noResources;
        this.slots = slots;
    }

    /**
     * Has the sender expect elements, which the caller requests, and returns how many. No slot is reserved for them: whoever has
     * a slice first gets one.
     */
    int lend(SliceSender sender) {
        int available = slots.available();
        if (available == 0) {
            noResources.starve();
            return 0;
        }
        int given = Math.max(0, Math.max(1, available / 2) - sender.inHand());
        sender.expect(given);
        return given;
    }

    /** Whether a slot is free. */
    boolean hasSlot() {
        if (slots.available() == 0) {
            noResources.starve();
            return false;
        }
        return true;
    }

    /** Puts the sender's next slice into a slot and returns the index of that, or -1 if the sender has no slice. */
    int take(SliceSender sender) {
        SliceState next = sender.next();
        return next == null ? -1 : slots.take(next);
    }

    long bytes(int slot) {
        return slots.at(slot).bytes();
    }

    SendStatus send(int slot, SendCompletion level) {
        slots.at(slot).gatherInto(gather);
        return backend.sendZeroCopy(endpoint, gather, slot, level);
    }

    /** Fails the send of {@code owner}, whose slice in this slot the provider will never take. */
    void refused(int slot, @Nullable SendSource owner, RuntimeException why) {
        slots.end(slot, loop);
        if (owner instanceof SliceSender sender) {
            sender.terminate(why);
        }
    }

    /** Frees the slot of a send that is over. */
    void completed(int slot) {
        slots.end(slot, loop);
        noResources.end();
    }

    /** Frees all slots, because the connection is over. */
    void endAll() {
        slots.endAll(loop);
    }
}
