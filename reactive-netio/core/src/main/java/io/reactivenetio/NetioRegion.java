// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import io.reactivenetio.flow.RegionState;
import io.reactivenetio.flow.SliceState;
import io.reactivenetio.transport.GatherList;
import io.reactivenetio.transport.MemoryRegion;
import java.lang.foreign.MemorySegment;

/**
 * Memory of the user's from which messages are sent without being copied. Servers and clients that are given it with {@code
 * region(…)} register it with the network card when they make connections; then {@link NetioOutbound#sendRegion} sends slices of
 * it. One region can serve any number of connections at the same time. Any thread.
 */
public final class NetioRegion implements AutoCloseable {
    private static final int LARGEST_MESSAGE = 8 << 20;

    private final RegionState state;

    private NetioRegion(MemoryRegion memory) {
        this.state = new RegionState(memory);
    }

    /**
     * {@code bytes} bytes of native memory, zero, page-aligned.
     *
     * @throws IllegalArgumentException if it is less than 1
     * @throws OutOfMemoryError if there is not that much
     */
    public static NetioRegion allocate(long bytes) {
        return new NetioRegion(MemoryRegion.allocate(bytes));
    }

    /**
     * The memory of {@code segment}, for instance a mapped file or a device's buffers. A mapped file must stay as long as it was
     * mapped: if it is truncated, sending what is gone may end the process (SIGBUS), see {@link MemoryRegion#of}.
     *
     * @throws IllegalArgumentException if it is not native memory of {@link java.lang.foreign.Arena#global()}: memory that
     *     somebody can unmap would be read by the card afterwards
     */
    public static NetioRegion of(MemorySegment segment) {
        return new NetioRegion(MemoryRegion.of(segment));
    }

    /** Its size in bytes. */
    public long size() {
        return state.memory().size();
    }

    /**
     * {@code length} bytes from {@code offset} on. Slices may overlap; whoever writes to one while another with the same bytes is
     * being sent sends a mixture.
     *
     * @throws IndexOutOfBoundsException if that is not all inside the region
     * @throws IllegalStateException if the region is closed
     */
    public RegionSlice slice(long offset, int length) {
        return new RegionSlice(new SliceState(state, offset, length));
    }

    /**
     * Closes it: nothing more is sent from it and no new connection can be made with it. Its memory goes when the last connection
     * that was made with it is over; its slices' buffers throw {@link IllegalStateException} from then on. Idempotent.
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

    /** The whole of it with a header, unless that is more than some network cards can. */
    int largestMessage() {
        return (int) Math.min(size() + GatherList.MAX_HEADER, LARGEST_MESSAGE);
    }

    @Override
    public String toString() {
        return "region of " + size() + " bytes" + (isClosed() ? ", closed" : "");
    }
}
