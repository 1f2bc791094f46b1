// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.send;

import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.transport.backend.ConnectionParameters;
import io.reactivenetio.transport.backend.MemoryRegion;
import io.reactivenetio.transport.exceptions.MessageTooLargeException;
import org.jspecify.annotations.Nullable;

/**
 * The slots of a connection's zero-copy sends. A slot has the slice that is in flight there. Confined to the loop, unless said
 * otherwise.
 */
public final class SliceSlots {
    private final @Nullable MemoryRegion region;
    private final int largest;
    private final @Nullable SliceState[] slices;
    private final int[] free;
    private int available;

    /** Has as many slots as the parameters say, and none without a region. */
    public SliceSlots(ConnectionParameters parameters) {
        region = parameters.region();
        largest = parameters.zeroCopySize();
        available = region == null ? 0 : parameters.zeroCopySends();
        slices = new @Nullable SliceState[available];
        free = new int[available];
        for (int i = 0; i < available; i++) {
            free[i] = available - 1 - i;
        }
    }

    /** How many slots there are. Any thread. */
    int size() {
        return slices.length;
    }

    /** Why {@code slice} cannot be sent on this connection; null if it can. Any thread. */
    @Nullable RuntimeException refusal(SliceState slice, boolean emptyAllowed) {
        if (slice.region().isClosed()) {
            return new IllegalStateException(slice + ": its region is closed");
        } else if (slice.region().memory() != region) {
            return new IllegalArgumentException(slice + " is of another region than that of this connection, which its server or"
                    + " client was given with region(…)");
        } else if (slice.bytes() > largest) {
            return new MessageTooLargeException("a message of " + slice.bytes() + " bytes from a region; this connection was"
                    + " opened for at most " + largest + ": send less of it, or name the size with region(…)");
        } else if (slice.bytes() == 0 && !emptyAllowed) {
            return new IllegalArgumentException("an empty message ends the stream (EndSignal.EMPTY_MESSAGE): it cannot be data");
        }
        return null;
    }

    int available() {
        return available;
    }

    /** Puts {@code slice} into a free slot, of which there has to be one, and returns the index of that. */
    int take(SliceState slice) {
        int index = free[--available];
        slices[index] = slice;
        return index;
    }

    SliceState at(int index) {
        SliceState slice = slices[index];
        if (slice == null) {
            throw new IllegalStateException("no zero-copy send " + index + " is in flight");
        }
        return slice;
    }

    /** Frees the slot of a send that is over, or has never begun. The user owns its slice again. */
    void end(int index, EventLoop loop) {
        SliceState slice = slices[index];
        if (slice != null) {
            slices[index] = null;
            free[available++] = index;
            slice.end(loop);
        }
    }

    /** Frees all slots, because the connection is over. */
    void endAll(EventLoop loop) {
        for (int i = 0; i < slices.length; i++) {
            end(i, loop);
        }
    }
}
