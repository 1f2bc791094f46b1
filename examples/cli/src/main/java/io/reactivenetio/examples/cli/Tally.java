// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.cli;

import io.reactivenetio.api.ConnectionStatistics;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/** Counts and hashes the messages of one transfer: on one thread at a time, while any may read the counts. */
final class Tally {
    private final AtomicLong messages = new AtomicLong();
    private final AtomicLong bytes = new AtomicLong();
    private final MessageDigest digest;
    private volatile long start = System.nanoTime();

    Tally() {
        try {
            digest = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    /** The time runs from here. */
    void start() {
        start = System.nanoTime();
    }

    /** Counts a message and leaves its position alone. */
    void add(ByteBuffer message) {
        messages.lazySet(messages.get() + 1);
        bytes.lazySet(bytes.get() + message.remaining());
        digest.update(message.duplicate());
    }

    long messages() {
        return messages.get();
    }

    long bytes() {
        return bytes.get();
    }

    double seconds() {
        return (System.nanoTime() - start) / 1e9;
    }

    /** How far the transfer is, for a line on a terminal. */
    String progress() {
        double megabytes = bytes() / 1e6;
        return String.format(Locale.ROOT, "%.1f MB  %.1f MB/s", megabytes, megabytes / seconds());
    }

    /** Once, when the transfer is over. */
    Report report(ConnectionStatistics statistics, long queuedBytes) {
        return report(statistics.noResources(), statistics.maxHeldBytes() + queuedBytes);
    }

    /** The report of a transfer over several connections, once, when it is over. */
    Report report(long noResources, long maxBufferedBytes) {
        return new Report(messages(), bytes(), seconds(), HexFormat.of().formatHex(digest.digest()), noResources,
                maxBufferedBytes, "", Map.of());
    }
}
