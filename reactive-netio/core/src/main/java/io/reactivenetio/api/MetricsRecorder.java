// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.api;

/**
 * Is told of the connections whose figures are to be recorded, and of their requests. Each connection counts its other figures
 * anyway, and {@link NetioConnection#statistics} reads them on any thread. So a recorder is not called for messages, and a
 * connection without a recorder costs nothing. {@link io.reactivenetio.NetioMetrics} is a recorder that adds the figures up.
 *
 * <p>A recorder must not block: it is called on the connection's loop, and about requests on the threads on which they begin and
 * end.
 */
public interface MetricsRecorder {

    /** A connection was established. */
    void opened(NetioConnection connection);

    /** A connection is over. Messages that arrived before, and leases, may still be with their receivers. */
    void closed(NetioConnection connection);

    /**
     * A request begins: it is subscribed to, or it has arrived. Called by any number of threads at a time. What it throws is
     * logged.
     */
    default void requestBegun(NetioConnection connection, RequestSide side) {
        // a recorder may not be interested
    }

    /**
     * A request has ended, of which {@link #requestBegun} was told. That may be after the connection. Called as that is.
     *
     * @param nanos how long it has taken, in nanoseconds; {@link RequestStatistics} says from when on
     */
    default void requestEnded(NetioConnection connection, RequestSide side, RequestOutcome outcome, long nanos) {
        // a recorder may not be interested
    }
}
