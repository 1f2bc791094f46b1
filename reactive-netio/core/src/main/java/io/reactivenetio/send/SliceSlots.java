// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.send;

import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.transport.ConnectionParameters;
import io.reactivenetio.transport.MemoryRegion;
import io.reactivenetio.transport.exceptions.MessageTooLargeException;
import org.jspecify.annotations.Nullable;

/** The zero-copy sends of a connection: where their slices are while they are in flight. Confined to the loop, if not said. */
public final class SliceSlots {
    private final @Nullable MemoryRegion region;
    private final int largest;
    private final @Nullable SliceState[] slices;
    private final int[] free;
    private int available;

    /** As many as the parameters say; none without a region. */
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

    /** Any thread. */
    int size() {
        return slices.length;
    }

    /** Why it cannot be sent on this connection; null if it can. Any thread. */
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

    /** The index for one more in flight; there has to be one available. */
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

    /** A send is over, or never began: its slice is the user's. */
    void end(int index, EventLoop loop) {
        SliceState slice = slices[index];
        if (slice != null) {
            slices[index] = null;
            free[available++] = index;
            slice.end(loop);
        }
    }

    /** None is in flight any more. */
    void endAll(EventLoop loop) {
        for (int i = 0; i < slices.length; i++) {
            end(i, loop);
        }
    }
}
