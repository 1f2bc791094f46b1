// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.connection;

import java.net.SocketAddress;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Objects;
import java.util.SequencedSet;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * The attempts of a loop to connect to each address: so many at a time, and the others wait in order. When a server comes back
 * that thousands had lost, they would otherwise all begin at once, each with buffers and a handshake. The loop would then answer
 * no handshake in time, the server would give them up, and all would begin again, for ever. Confined to the loop.
 */
final class ConnectQueue {
    /** How many may be under way to one address: enough for a round trip of 10 ms at 5,000 connects a second. */
    static final int AT_A_TIME = 64;

    /** An attempt, which takes a place when it begins, and gives it to the {@link #next} when it has ended. */
    interface Attempt {
        void begin();

        /** The loop has ended before its turn came. */
        void reject(RejectedExecutionException reason);
    }

    /** The attempts to one address. */
    private static final class Line {
        private final SequencedSet<Attempt> waiting = new LinkedHashSet<>();
        private int running;
    }

    private final Map<SocketAddress, Line> lines = new HashMap<>();

    /** Begins {@code attempt} if there is a place for it, and returns whether there is. Otherwise it waits for one. */
    boolean begin(SocketAddress address, Attempt attempt) {
        Line line = lines.computeIfAbsent(address, key -> new Line());
        if (line.running == AT_A_TIME) {
            line.waiting.add(attempt);
            return false;
        }
        line.running++;
        attempt.begin();
        return true;
    }

    /** Takes an attempt out that waits. */
    void remove(SocketAddress address, Attempt attempt) {
        Line line = lines.get(address);
        if (line != null) {
            line.waiting.remove(attempt);
        }
    }

    /** Returns the attempt to begin in the place of one that has ended; null if none waits. */
    @Nullable Attempt next(SocketAddress address) {
        Line line = Objects.requireNonNull(lines.get(address));
        if (!line.waiting.isEmpty()) {
            return line.waiting.removeFirst();
        }
        if (--line.running == 0) {
            lines.remove(address);
        }
        return null;
    }
}
