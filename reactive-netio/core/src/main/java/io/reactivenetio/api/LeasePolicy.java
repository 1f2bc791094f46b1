// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.api;

/**
 * What {@link io.reactivenetio.api.NetioInbound#receiveLeased()} does when leases hold three quarters of the connection's receive
 * buffers and one more message is asked for. The last quarter is never leased. So operators that collect ({@code buffer}, {@code
 * collectList}) cannot stop a connection unnoticed.
 */
public enum LeasePolicy {
    /**
     * The lease is on a copy in the heap, and its receive buffer is posted again at once. With {@link
     * io.reactivenetio.Framing#stream} this is also done when the connection's other receive buffers hold messages that nobody
     * has asked for yet.
     */
    COPY,

    /**
     * The message waits until a lease is given back, and so does the peer. This is the strictest bound on memory. An operator
     * that collects more leases than there are waits for ever. After a second without progress a warning names who holds them.
     */
    WAIT,

    /**
     * The Flux fails with an overflow as {@code onBackpressureError} does: {@link reactor.core.Exceptions#isOverflow} tells it.
     */
    ERROR
}
