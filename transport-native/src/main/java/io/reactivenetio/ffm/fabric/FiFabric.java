// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.ffm.fabric;

import io.reactivenetio.ffm.RawMemory;
import io.reactivenetio.ffm.SockAddr;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.ref.Reference;

/**
 * A fabric: what domains, event queues and passive endpoints are opened from; fi_fabric(3). Unlike the other objects it
 * may be used by several threads at once, each with a domain and queues of its own: opening and closing exclude each other,
 * so that nothing is opened from a fabric that is being freed, and asking whether a queue may be slept on takes no lock.
 */
public final class FiFabric extends Fid {
    private final MemorySegment tryWait;

    FiFabric(FiFunctions functions, long address) {
        super(functions, address);
        this.tryWait = RawMemory.function(address, FiLayout.FABRIC_OPS, FiLayout.OPS_FABRIC_TRYWAIT);
    }

    /** Opens the domain (device) that {@code info} names; fi_domain(3). */
    public synchronized FiDomain openDomain(FiInfo info) {
        return new FiDomain(functions, openObject("fi_domain on " + info, operation(FiLayout.OPS_FABRIC_DOMAIN), info.address()));
    }

    /** Opens an event queue with a file descriptor to wait on; fi_eq(3). */
    public synchronized FiEventQueue openEventQueue() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment attributes = arena.allocate(FiLayout.ROOM, 8);
            attributes.set(ValueLayout.JAVA_INT, FiLayout.EQ_ATTR_WAIT_OBJ, Fi.FI_WAIT_FD);
            return FiQueue.usable(new FiEventQueue(functions,
                    openObject("fi_eq_open", operation(FiLayout.OPS_FABRIC_EQ_OPEN), attributes.address())));
        }
    }

    /** Opens an endpoint that listens at the source address of {@code info}; fi_passive_ep(3). */
    public synchronized FiPassiveEndpoint openPassiveEndpoint(FiInfo info) {
        String what = "fi_passive_ep on " + SockAddr.text(info.srcAddress());
        return new FiPassiveEndpoint(functions, openObject(what, operation(FiLayout.OPS_FABRIC_PASSIVE_EP), info.address()),
                SockAddr.text(info.srcAddress()));
    }

    /** fi_close, on any thread. Close what was opened from it first, also what providers do not count: passive endpoints,
     * and event queues of verbs. */
    @Override
    public synchronized void close() {
        super.close();
    }

    private MemorySegment operation(long offset) {
        return RawMemory.function(open(), FiLayout.FABRIC_OPS, offset);
    }

    /**
     * May the caller sleep on the queue's file descriptor? fi_trywait, fi_poll(3). Allocates nothing.
     *
     * @return 0 if so, -FI_EAGAIN if there is something to read first, or another negated error
     */
    public int tryWait(FiQueue queue) {
        try {
            return FiCalls.tryWait(tryWait, open(), queue.openSelf(), 1);
        } finally {
            Reference.reachabilityFence(queue);
        }
    }
}
