// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.test;

import io.reactivenetio.api.ConnectionStatistics;
import io.reactivenetio.api.NetioConnection;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/** All connections of a pair that are not over, or whose leases are not back. Any thread. */
final class PairConnections {

    /** One end of a connection. */
    private static final class End {
        private final PairSide side;
        private final NetioConnection connection;
        private volatile boolean over;

        End(PairSide side, NetioConnection connection) {
            this.side = side;
            this.connection = connection;
        }

        /** Receive buffers and copies with leases: one buffer may have those of many messages. */
        long buffersHeld() {
            ConnectionStatistics statistics = connection.statistics();
            return statistics.leasedBuffers() + statistics.leasedCopies();
        }

        boolean isQuiet() {
            return over && buffersHeld() == 0;
        }
    }

    private final Queue<End> ends = new ConcurrentLinkedQueue<>();
    private volatile @Nullable NetioConnection firstOfServer;

    void add(PairSide side, NetioConnection connection) {
        ends.removeIf(End::isQuiet); // a test may connect again and again
        End end = new End(side, connection);
        ends.add(end);
        connection.onDispose().subscribe(nothing -> { }, error -> { }, () -> end.over = true);
        if (side == PairSide.SERVER && firstOfServer == null) {
            firstOfServer = connection;
        }
    }

    /** The first that the server has accepted. */
    @Nullable NetioConnection firstOfServer() {
        return firstOfServer;
    }

    boolean areQuiet() {
        return ends.stream().allMatch(End::isQuiet);
    }

    /** What is left of them. {@code broken} says that some ends were not told that their connection is over. */
    List<String> left(boolean broken) {
        List<String> left = new ArrayList<>();
        for (End end : ends) {
            String which = "the " + end.side.name().toLowerCase(Locale.ROOT) + "'s " + end.connection;
            long held = end.buffersHeld();
            if (held > 0) {
                left.add(which + " has " + held + (held == 1 ? " buffer" : " buffers") + " with leases that nobody has given"
                        + " back: release or close each;"
                        + " -Dio.reactivenetio.leaseSampling=1 tells where a lost one was last used");
            }
            if (!end.over && (end.side == PairSide.CLIENT || !broken)) {
                left.add(which + " is still open: cancel who uses it, or dispose of it, before the pair is closed");
            }
        }
        return left;
    }
}
