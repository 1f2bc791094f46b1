// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

/**
 * Is told of the connections whose figures are to be recorded. Each connection counts its figures anyway, and
 * {@link NetioConnection#statistics} reads them on any thread. So a recorder is not called for messages, and a connection without
 * a recorder costs nothing. {@link NetioMetrics} is a recorder that adds the figures up.
 *
 * <p>A recorder is called on the connection's loop, so it must not block.
 */
public interface MetricsRecorder {

    /** A connection was established. */
    void opened(NetioConnection connection);

    /** A connection is over. Messages that arrived before, and leases, may still be with their receivers. */
    void closed(NetioConnection connection);
}
