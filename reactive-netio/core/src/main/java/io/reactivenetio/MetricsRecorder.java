// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

/**
 * Gets to know the connections whose figures are to be recorded. The figures themselves are counted by each connection anyway and
 * are read whenever somebody wants to know, from any thread, by {@link NetioConnection#statistics}: nothing is called for a
 * message, and a connection without a recorder costs nothing. {@link NetioMetrics} adds them up.
 *
 * <p>Called on the connection's loop: it must not block.
 */
public interface MetricsRecorder {

    /** A connection was established. */
    void opened(NetioConnection connection);

    /** It is over. Messages that had arrived before, and leases, may still be with their receivers. */
    void closed(NetioConnection connection);
}
