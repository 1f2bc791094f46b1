// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.access;

import io.reactivenetio.transport.backend.Addresses;
import java.net.SocketAddress;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * How long an answer to an address has to wait, because others to it were refusals: so secrets cannot be tried out quickly. Of
 * IPv6 the network counts (the first 64 bits), in which one machine may have any address. Any thread.
 */
public final class FailureDelays {
    /** Addresses that are remembered; beyond that the one forgotten is that which has failed longest ago. */
    static final int MOST = 1_024;

    private static final long FIRST_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final int MOST_DOUBLINGS = 5;
    private static final long KEPT_NANOS = TimeUnit.MINUTES.toNanos(1);

    private record Failures(int number, long lastNanos) {
    }

    private final LongSupplier nanoTime;
    private final Map<Object, Failures> failures = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Object, Failures> eldest) {
            return size() > MOST;
        }
    };

    FailureDelays(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /** Notes one more refusal. */
    synchronized void failed(SocketAddress address) {
        Object key = Addresses.peer(address);
        Failures before = failures.remove(key);
        long now = nanoTime.getAsLong();
        int number = before == null || now - before.lastNanos > KEPT_NANOS ? 0 : before.number;
        failures.put(key, new Failures(number + 1, now));
    }

    /** How many nanoseconds the next answer has to wait. */
    synchronized long nanos(SocketAddress address) {
        Failures before = failures.get(Addresses.peer(address));
        if (before == null || nanoTime.getAsLong() - before.lastNanos > KEPT_NANOS) {
            return 0;
        }
        return FIRST_NANOS << Math.min(before.number - 1, MOST_DOUBLINGS);
    }
}
