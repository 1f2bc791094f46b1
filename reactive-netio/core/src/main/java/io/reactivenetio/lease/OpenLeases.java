// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.lease;

import io.reactivenetio.counters.ConnectionCounters;
import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.transport.backend.ReceivedBuffer;
import java.nio.ByteOrder;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The leases of one connection that are out: what is known of them, and what happens when the last one in a receive buffer is
 * given back, or is found lost. It holds no buffer. Any thread, but for {@link #trace}.
 */
final class OpenLeases {
    /** Writes under the name that docs/operations.md has. */
    private static final Logger LOG = LoggerFactory.getLogger("io.reactivenetio.lease.LeaseWindow");

    private final EventLoop loop;
    private final ConnectionCounters counters;
    private final ByteOrder byteOrder;
    private final boolean listsAll;
    private final Runnable resume;
    /** The leases in the sample, or all, if messages may have to wait for them. */
    private final Set<LeaseTrace> listed = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean lossReported = new AtomicBoolean();
    private int untilSampled = 1;
    private volatile boolean waiting;

    /**
     * {@code listsAll}: messages may have to wait for leases. {@code resume} is called on the loop when a lease was given back
     * that a message waits for.
     */
    OpenLeases(EventLoop loop, ConnectionCounters counters, ByteOrder byteOrder, boolean listsAll, Runnable resume) {
        this.loop = loop;
        this.counters = counters;
        this.byteOrder = byteOrder;
        this.listsAll = listsAll;
        this.resume = resume;
    }

    /** The byte order of the buffers that leases show. */
    ByteOrder byteOrder() {
        return byteOrder;
    }

    /** Has {@code resume} called when the next receive buffer goes back. */
    void awaitReturn() {
        waiting = true;
    }

    // ---- what is known of them

    /** What is to be known of a new lease in {@code buffer}, which came from {@code origin}; null if nothing. On the loop. */
    @Nullable LeaseTrace trace(Object buffer, String origin) {
        return trace(buffer, origin, isNextSampled());
    }

    /** What is to be known of a lease that the calling thread makes beside another one in {@code buffer}; null if nothing. */
    @Nullable LeaseTrace traceRetained(Object buffer) {
        int sampling = LeaseTrace.SAMPLING;
        if (sampling <= 0) {
            return null;
        }
        boolean sampled = sampling == 1 || ThreadLocalRandom.current().nextInt(sampling) == 0;
        return trace(buffer, LeaseTrace.retainedHere(sampled), sampled);
    }

    private @Nullable LeaseTrace trace(Object buffer, String origin, boolean sampled) {
        if (!sampled && (LeaseTrace.SAMPLING <= 0 || !listsAll)) {
            return null;
        }
        LeaseTrace trace = new LeaseTrace(listed, buffer, origin, sampled);
        listed.add(trace);
        return trace;
    }

    /** Returns true for one lease of a fixed number on average; the numbers between them differ. */
    private boolean isNextSampled() {
        if (LeaseTrace.SAMPLING <= 0 || --untilSampled > 0) {
            return false;
        }
        untilSampled = 1 + ThreadLocalRandom.current().nextInt(2 * LeaseTrace.SAMPLING - 1);
        return true;
    }

    /** Who holds the leases, as far as they are listed. */
    String holders() {
        Map<String, Integer> places = new TreeMap<>();
        listed.forEach(trace -> places.merge(trace.toString(), 1, Integer::sum));
        if (places.isEmpty()) {
            return " None of them was sampled: -Dio.reactivenetio.leaseSampling=1 tells who holds them.";
        }
        StringBuilder text = new StringBuilder(listsAll ? " They are:" : " Of those sampled:");
        places.forEach((place, number) -> text.append(' ').append(number).append(" x ").append(place).append(';'));
        text.setCharAt(text.length() - 1, '.');
        return text.toString();
    }

    // ---- their end

    /**
     * Reports that leases on messages in {@code buffer}, of which the first came from {@code origin}, are lost: the buffer is
     * about to be given back. On the cleaner's thread.
     */
    void lost(Object buffer, String origin) {
        boolean reported = false;
        for (LeaseTrace trace : listed) {
            reported |= trace.isOf(buffer) && trace.lost();
        }
        if (!reported && !lossReported.getAndSet(true)) { // one of many is enough
            LOG.warn("Leases were lost without having been released, and are given back now. The first in their receive buffer"
                    + " came from {}; -Dio.reactivenetio.leaseSampling=1 tells where each was last used", origin);
        }
    }

    /** The last lease in a receive buffer is gone; with null, it was on a copy. */
    void ended(@Nullable ReceivedBuffer slot) {
        if (slot == null) {
            counters.leasedCopyGone();
            return;
        }
        slot.release();
        counters.leasedBufferGone();
        if (waiting) {
            waiting = false;
            try {
                loop.execute(resume); // never inside the release
            } catch (RejectedExecutionException terminated) {
                // whoever waited has been told the end
            }
        }
    }
}
