// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import io.reactivenetio.api.NetioOutbound;
import io.reactivenetio.api.RegionSlice;
import io.reactivenetio.send.RegionState;
import io.reactivenetio.send.SliceState;
import io.reactivenetio.transport.backend.GatherList;
import io.reactivenetio.transport.backend.MemoryRegion;
import java.lang.foreign.MemorySegment;

/**
 * Memory of the user's from which messages are sent without being copied. Servers and clients are given a region with
 * {@code region(…)} and register it with the network card when they make connections. {@link NetioOutbound#sendRegion} sends
 * slices of it. One region can serve any number of connections at the same time. All methods may be called on any thread.
 */
public final class NetioRegion implements AutoCloseable {
    private static final int LARGEST_MESSAGE = 8 << 20;

    private final RegionState state;

    private NetioRegion(MemoryRegion memory) {
        this.state = new RegionState(memory);
    }

    /**
     * Allocates a region of {@code bytes} bytes of native memory. The memory is page-aligned and filled with zeros.
     *
     * @throws IllegalArgumentException if {@code bytes} is less than 1
     * @throws OutOfMemoryError if there is not that much memory
     */
    public static NetioRegion allocate(long bytes) {
        return new NetioRegion(MemoryRegion.allocate(bytes));
    }

    /**
     * Makes a region of the memory of {@code segment}, for instance a mapped file or a device's buffers. A mapped file must not
     * become shorter than it was when it was mapped: sending the part that is gone may end the process (SIGBUS), see
     * {@link MemoryRegion#of}.
     *
     * @throws IllegalArgumentException if it is not native memory of {@link java.lang.foreign.Arena#global()}, because the card
     *     may still read other memory after it was unmapped
     */
    public static NetioRegion of(MemorySegment segment) {
        return new NetioRegion(MemoryRegion.of(segment));
    }

    /** The size of the region in bytes. */
    public long size() {
        return state.memory().size();
    }

    /**
     * Makes a slice of {@code length} bytes from byte {@code offset} on. Slices may overlap. Writing to one while another with
     * the same bytes is being sent sends a mixture.
     *
     * @throws IndexOutOfBoundsException if the slice is not inside the region
     * @throws IllegalStateException if the region is closed
     */
    public RegionSlice slice(long offset, int length) {
        return new SliceState(state, offset, length);
    }

    /**
     * Closes the region. Nothing more is sent from it, and no new connection can be made with it. Its memory is freed when the
     * last connection that was made with it is over. From then on the buffers of its slices throw
     * {@link IllegalStateException}. Closing it again does nothing.
     */
    @Override
    public void close() {
        state.close();
    }

    /** Whether {@link #close} was called. */
    public boolean isClosed() {
        return state.isClosed();
    }

    MemoryRegion memory() {
        return state.memory();
    }

    /** Bytes of the region and a header, but not more than every network card can send in one message. */
    int largestMessage() {
        return (int) Math.min(size() + GatherList.MAX_HEADER, LARGEST_MESSAGE);
    }

    @Override
    public String toString() {
        return "region of " + size() + " bytes" + (isClosed() ? ", closed" : "");
    }
}
