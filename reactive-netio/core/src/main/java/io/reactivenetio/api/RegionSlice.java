// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.api;

import java.nio.ByteBuffer;
import java.util.function.Consumer;

/**
 * A part of a {@link io.reactivenetio.NetioRegion}. The user fills it and sends it with {@link NetioOutbound#sendRegion}. The
 * user may modify a slice only while owning it: until it is emitted to a send, and again after {@link #onReusable} is called.
 * Then it can be filled and sent again, any number of times. A slice can be handed from thread to thread, but has one owner at a
 * time.
 */
public interface RegionSlice {

    /**
     * The slice's memory as a buffer, big-endian as every new ByteBuffer. Each call returns the same object. The bytes from its
     * position to its limit are sent. At first these are all bytes of the slice. After {@code clear()}, writing and {@code
     * flip()} they are those that were written.
     */
    ByteBuffer buffer();

    /** The byte of the region at which the slice begins. */
    long offset();

    /**
     * Puts a header before each message from this slice: a copy of what remains in {@code data}. An empty buffer takes the header
     * away. The position of {@code data} is not moved.
     *
     * @return this slice
     * @throws IllegalArgumentException if it is more than 16 bytes
     * @throws IllegalStateException if the slice is being sent
     */
    RegionSlice header(ByteBuffer data);

    /**
     * Calls {@code action} each time the user owns the slice again, because it has been sent or will not be. The action is called
     * on the connection's loop, so it must not block. If the slice was refused, the action is called on the thread that emitted
     * the slice. The action may send the slice again. What it throws is reported and ends nothing.
     *
     * @return this slice
     * @throws IllegalStateException if the slice is being sent
     */
    RegionSlice onReusable(Consumer<? super RegionSlice> action);

    /** Whether the slice was emitted to a send and is not reusable yet. */
    boolean isInUse();
}
