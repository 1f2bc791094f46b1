// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import io.reactivenetio.flow.SliceState;
import java.nio.ByteBuffer;
import java.util.function.Consumer;

/**
 * A part of a {@link NetioRegion}, to be filled and then sent with {@link NetioOutbound#sendRegion}; after that to be filled
 * again, as often as one likes, each time it is told to be reusable. It can be handed from thread to thread, but is one owner's
 * at a time.
 */
public final class RegionSlice {
    private final SliceState state;

    RegionSlice(SliceState state) {
        this.state = state;
    }

    SliceState state() {
        return state;
    }

    /**
     * Its memory, little-endian; always the same object. From its position to its limit is what is sent: all of it at first, what
     * was written after a {@code clear()} and a {@code flip()}.
     */
    public ByteBuffer buffer() {
        return state.buffer();
    }

    /** Where in the region it begins. */
    public long offset() {
        return state.offset();
    }

    /**
     * Puts a copy of what remains in {@code data}, at most 16 bytes, before each message from this slice; an empty one, before
     * none. {@code data} stays as it is.
     *
     * @throws IllegalArgumentException if it is more than 16 bytes
     * @throws IllegalStateException if the slice is being sent
     */
    public RegionSlice header(ByteBuffer data) {
        state.header(data);
        return this;
    }

    /**
     * Calls {@code action} each time the slice has been sent, or will not be, and is the caller's again. On the connection's
     * loop, so it must not block; or where the slice was emitted, if it was refused. It can send the slice again. What it throws
     * is reported and ends nothing.
     *
     * @throws IllegalStateException if the slice is being sent
     */
    public RegionSlice onReusable(Consumer<? super RegionSlice> action) {
        state.whenReusable(() -> action.accept(this));
        return this;
    }

    /** Whether it was handed to a send and is not reusable yet. */
    public boolean isInUse() {
        return state.isInUse();
    }

    @Override
    public String toString() {
        return state.toString();
    }
}
