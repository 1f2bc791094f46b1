// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Adds up the figures of all connections of the servers and clients that are given it with {@link NetioTransport#metrics}.
 * {@link #statistics} reads the counters of each open connection. Otherwise this costs nothing. All methods may be called on any
 * thread.
 */
public final class NetioMetrics implements MetricsRecorder {
    // guarded by this object, which is locked only for as long as it takes to copy the connections
    private final Set<NetioConnection> open = new LinkedHashSet<>();
    private NetioStatistics closed = NetioStatistics.NONE;

    /** Creates metrics without connections: give them to {@link NetioTransport#metrics}. */
    public NetioMetrics() {
    }

    @Override
    public synchronized void opened(NetioConnection connection) {
        open.add(connection);
    }

    @Override
    public synchronized void closed(NetioConnection connection) {
        if (open.remove(connection)) {
            closed = closed.withClosed(connection.statistics());
        }
    }

    /**
     * Returns a snapshot. A connection that ends meanwhile still counts among the open ones. It is never counted twice and never
     * missing.
     */
    public NetioStatistics statistics() {
        List<NetioConnection> connections;
        NetioStatistics sum;
        synchronized (this) {
            connections = new ArrayList<>(open);
            sum = closed;
        }
        for (NetioConnection connection : connections) {
            sum = sum.withOpen(connection.statistics());
        }
        return sum;
    }
}
