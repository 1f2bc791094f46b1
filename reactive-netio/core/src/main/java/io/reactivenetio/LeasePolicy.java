// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import io.reactivenetio.flow.AtLeaseCap;

/**
 * What {@link NetioInbound#receiveLeased()} does when leases already hold three quarters of the connection's receive buffers and
 * one more message is asked for. The last quarter is never leased, so that operators that collect ({@code buffer},
 * {@code collectList}) cannot bring a connection to a stop unnoticed.
 */
public enum LeasePolicy {
    /** The lease is on a copy in the heap, and its receive buffer is posted again at once. */
    COPY(AtLeaseCap.COPY),

    /**
     * The message waits until a lease is given back, and so does the peer: the strictest bound on memory. An operator that
     * collects more leases than there are waits for ever; after a second without progress a warning names who holds them.
     */
    WAIT(AtLeaseCap.WAIT),

    /** The Flux fails with an overflow, as {@code onBackpressureError} does; see {@code reactor.core.Exceptions.isOverflow}. */
    ERROR(AtLeaseCap.FAIL);

    private final AtLeaseCap flow;

    LeasePolicy(AtLeaseCap flow) {
        this.flow = flow;
    }

    AtLeaseCap flow() {
        return flow;
    }
}
