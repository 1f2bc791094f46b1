// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.ffm.fabric;

import io.reactivenetio.ffm.RawMemory;
import java.lang.foreign.MemorySegment;

/**
 * A shared receive context: one queue of posted receives that all endpoints bound to it take from, first come, first served;
 * fi_srx_context(3). Used by the thread of its domain only. Needs no enabling.
 *
 * <p>A receive that an endpoint took completes, or fails, on that endpoint's completion queue, and the completion names no
 * endpoint but by its context. Posting wakes nobody: on tcp, read the completion queues of the endpoints that may be waiting
 * for a receive. What is still posted when this is closed comes back without a completion.
 *
 * <p>{@link FiInfo#rxSize()} of the info it was opened from says how many may be posted. Count them: providers take more
 * before they say -FI_EAGAIN, tcp at least 1024.
 */
public final class FiSharedReceive extends Fid {
    private final Fid domain;
    private final Runnable whenClosed;
    private final MemorySegment recv;
    private int endpoints;

    /** Wraps a shared context of {@code domain}, a {@link FiDomain}, which {@code whenClosed} tells that this is closed. */
    FiSharedReceive(FiFunctions functions, Fid domain, long address, Runnable whenClosed) {
        super(functions, address);
        this.domain = domain;
        this.whenClosed = whenClosed;
        this.recv = RawMemory.function(address, FiLayout.EP_MSG, FiLayout.OPS_MSG_RECV);
    }

    Fid domain() {
        return domain;
    }

    void endpointBound() {
        endpoints++;
    }

    void endpointClosed() {
        endpoints--;
    }

    /**
     * Posts a receive of at most {@code length} bytes. 0, -FI_EAGAIN if the queue of receives is full, or another negated
     * error. Allocates nothing; the buffer and its registration stay valid until the receive completes or this is closed.
     */
    public int recv(long address, long length, long descriptor, long context) {
        return (int) FiCalls.post(recv, open(), address, length, descriptor, context);
    }

    /** fi_close. FI_EBUSY while endpoints bound to it are open: tcp would follow a pointer to it, and does not count them. */
    @Override
    public void close() {
        if (isClosed()) {
            return;
        }
        if (endpoints > 0) {
            check("fi_close of " + this + " with " + endpoints + " endpoints bound to it", -Fi.FI_EBUSY);
        }
        try {
            super.close();
        } finally {
            if (isClosed()) {
                whenClosed.run();
            }
        }
    }
}
