// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The figures of all connections of the servers and clients it is given to with {@code metrics(…)}. Asking for them reads the
 * counters of each open connection; between questions it costs nothing. Any thread.
 */
public final class NetioMetrics implements MetricsRecorder {
    // guarded by this, and only for as long as it takes to copy them
    private final Set<NetioConnection> open = new LinkedHashSet<>();
    private NetioStatistics closed = NetioStatistics.NONE;

    /** Of nothing yet: give it to {@code metrics(…)}. */
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

    /** A snapshot. One that ends meanwhile is still among the open ones, never counted twice and never missing. */
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
