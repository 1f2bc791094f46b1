// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.ffm.fabric;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.ref.Reference;

/**
 * An event or completion queue: something to sleep on by a file descriptor, after {@link FiFabric#tryWait(FiQueue)}
 * allows it.
 */
public abstract class FiQueue extends Fid {
    /** Freed when the queue is garbage, so that no call can meet freed memory. */
    final Arena memory = Arena.ofAuto();
    /** What readError fills: a struct fi_cq_err_entry or fi_eq_err_entry. */
    final MemorySegment errorEntry = memory.allocate(FiLayout.ROOM, 8);
    final FiError error;
    /** An array of one fid, for fi_trywait. */
    private final MemorySegment self = memory.allocateFrom(ValueLayout.JAVA_LONG, address());
    private int fd = -1;

    FiQueue(FiFunctions functions, long address) {
        super(functions, address);
        this.error = new FiError(functions);
    }

    /** The descriptor to wait on for input. libfabric's: it is closed with the queue and never by the caller. */
    public final int fd() {
        open();
        return fd;
    }

    /** Whether there is a descriptor. */
    public final boolean hasFd() {
        return fd >= 0;
    }

    /** Completes the opening of {@code queue}: asks for its descriptor, and closes it again if there is none. */
    static <Q extends FiQueue> Q usable(Q queue) {
        FiQueue opened = queue;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment out = arena.allocate(ValueLayout.JAVA_LONG);
            opened.check("fi_control FI_GETWAIT", opened.control(Fi.FI_GETWAIT, out.address()));
            opened.fd = out.get(ValueLayout.JAVA_INT, 0);
            return queue;
        } catch (RuntimeException e) {
            queue.close();
            throw e;
        }
    }

    /** Calls fi_eq_readerr or fi_cq_readerr; false if there is no error. */
    final boolean fillErrorEntry(MemorySegment readError) {
        long opened = open();
        errorEntry.fill((byte) 0);
        try {
            return FiCalls.transfer(readError, opened, errorEntry.address(), 0) > 0;
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    final long openSelf() {
        open();
        return self.address();
    }
}
