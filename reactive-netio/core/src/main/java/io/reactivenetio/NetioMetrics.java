// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import io.reactivenetio.api.ConnectionStatistics;
import io.reactivenetio.api.MetricsRecorder;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.api.NetioStatistics;
import io.reactivenetio.api.Network;
import io.reactivenetio.api.RequestListener;
import io.reactivenetio.api.RequestOutcome;
import io.reactivenetio.api.RequestSide;
import io.reactivenetio.api.RequestStatistics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.concurrent.atomic.LongAccumulator;
import java.util.concurrent.atomic.LongAdder;

/**
 * Adds up the figures of all connections of the servers and clients that are given it with {@link NetioTransport#metrics}.
 * {@link #statistics} reads the counters of each open connection. Otherwise this costs nothing. All methods may be called on any
 * thread.
 */
public final class NetioMetrics implements MetricsRecorder {
    // guarded by this object, which is locked only for as long as it takes to copy the connections
    private final Set<NetioConnection> open = new LinkedHashSet<>();
    private ConnectionStatistics closed = ConnectionStatistics.NONE;
    private long closedConnections;
    private final RequestSums asked = new RequestSums();
    private final RequestSums answered = new RequestSums();
    private final Set<RequestListener> listeners = new CopyOnWriteArraySet<>();

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
            closed = closed.plus(connection.statistics().ended());
            closedConnections++;
        }
    }

    @Override
    public void requestBegun(NetioConnection connection, RequestSide side) {
        sums(side).begun();
    }

    @Override
    public void requestEnded(NetioConnection connection, RequestSide side, RequestOutcome outcome, long nanos) {
        sums(side).ended(outcome, nanos);
        for (RequestListener listener : listeners) {
            listener.ended(side, outcome, nanos);
        }
    }

    private RequestSums sums(RequestSide side) {
        return side == RequestSide.REQUESTER ? asked : answered;
    }

    /** Tells {@code listener} of each request that ends from now on: for a distribution of their times. Once, if it is equal. */
    public void addListener(RequestListener listener) {
        listeners.add(listener);
    }

    /** Tells {@code listener} no more. Nothing if it is not there. */
    public void removeListener(RequestListener listener) {
        listeners.remove(listener);
    }

    /**
     * Returns a snapshot. A connection that ends meanwhile still counts among the open ones. It is never counted twice and never
     * missing.
     */
    public NetioStatistics statistics() {
        List<NetioConnection> connections;
        ConnectionStatistics total;
        long opened;
        synchronized (this) {
            connections = new ArrayList<>(open);
            total = closed;
            opened = closedConnections + connections.size();
        }
        Map<Network, Integer> networks = new HashMap<>();
        for (NetioConnection connection : connections) {
            networks.merge(connection.network(), 1, Integer::sum);
            total = total.plus(connection.statistics());
        }
        return new NetioStatistics(opened, connections.size(), Map.copyOf(networks), total, asked.statistics(),
                answered.statistics());
    }

    /** Adds up the requests of one side. Any thread. */
    private static final class RequestSums {
        private final LongAdder begun = new LongAdder();
        private final Map<RequestOutcome, LongAdder> ended = new EnumMap<>(RequestOutcome.class);
        private final LongAdder nanos = new LongAdder();
        private final LongAccumulator longest = new LongAccumulator(Math::max, 0);

        RequestSums() {
            for (RequestOutcome outcome : RequestOutcome.values()) {
                ended.put(outcome, new LongAdder());
            }
        }

        void begun() {
            begun.increment();
        }

        void ended(RequestOutcome outcome, long time) {
            nanos.add(time);
            longest.accumulate(time);
            adder(outcome).increment();
        }

        private LongAdder adder(RequestOutcome outcome) {
            return Objects.requireNonNull(ended.get(outcome));
        }

        RequestStatistics statistics() {
            long answered = adder(RequestOutcome.ANSWERED).sum();
            long refused = adder(RequestOutcome.REFUSED).sum();
            long failed = adder(RequestOutcome.FAILED).sum();
            long cancelled = adder(RequestOutcome.CANCELLED).sum();
            long lost = adder(RequestOutcome.LOST).sum();
            long underWay = begun.sum() - answered - refused - failed - cancelled - lost; // read last, so not negative
            return new RequestStatistics(underWay, answered, refused, failed, cancelled, lost, Duration.ofNanos(nanos.sum()),
                    Duration.ofNanos(longest.get()));
        }
    }
}
