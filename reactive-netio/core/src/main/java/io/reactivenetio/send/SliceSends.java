// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.send;

import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.transport.CompletionLevel;
import io.reactivenetio.transport.Endpoint;
import io.reactivenetio.transport.GatherList;
import io.reactivenetio.transport.NetworkBackend;
import io.reactivenetio.transport.SendStatus;
import org.jspecify.annotations.Nullable;

/**
 * Sends slices of a region from where they are. A slice is the connection's until its send is over, or has failed at once; then
 * it is the user's again. On the loop.
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

    /** Has the sender expect elements, which it is to request. No slot is kept for it: whoever has something first gets them. */
    int lend(SliceSender<?> sender) {
        int available = slots.available();
        if (available == 0) {
            noResources.starve();
            return 0;
        }
        int given = Math.max(0, Math.max(1, available / 2) - sender.inHand());
        sender.expect(given);
        return given;
    }

    /** Whether another slice can be in flight. */
    boolean hasSlot() {
        if (slots.available() == 0) {
            noResources.starve();
            return false;
        }
        return true;
    }

    /** The slot of the sender's next slice, or -1 if it has none. */
    int take(SliceSender<?> sender) {
        SliceState next = sender.next();
        return next == null ? -1 : slots.take(next);
    }

    long bytes(int slot) {
        return slots.at(slot).bytes();
    }

    SendStatus send(int slot, CompletionLevel level) {
        slots.at(slot).gatherInto(gather);
        return backend.sendZeroCopy(endpoint, gather, slot, level);
    }

    /** The provider will never take this slice: the send that it is of fails. */
    void refused(int slot, @Nullable SendSource owner, RuntimeException why) {
        slots.end(slot, loop);
        if (owner instanceof SliceSender<?> sender) {
            sender.terminate(why);
        }
    }

    /** The slice of this slot has left. */
    void completed(int slot) {
        slots.end(slot, loop);
        noResources.end();
    }

    /** The connection is over. */
    void endAll() {
        slots.endAll(loop);
    }
}
