// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.cli;

import io.reactivenetio.api.Network;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * How a transfer went.
 *
 * @param noResources how often sending found no free buffer or queue entry, and so stopped reading
 * @param maxBufferedBytes the most bytes that waited in this process, in receive buffers and in the queue to the writer
 * @param network what carried the messages; empty where it may have been several
 * @param more what only some commands count
 */
record Report(long messages, long bytes, double seconds, String sha256, long noResources, long maxBufferedBytes,
        String network, Map<String, Long> more) {
    private static final double MEGA = 1e6;

    double mbPerSecond() {
        return seconds > 0 ? bytes / MEGA / seconds : 0;
    }

    String json() {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("messages", messages);
        members.put("bytes", bytes);
        members.put("seconds", rounded(seconds));
        members.put("mbPerSecond", rounded(mbPerSecond()));
        members.put("sha256", sha256);
        members.put("noResources", noResources);
        members.put("maxBufferedBytes", maxBufferedBytes);
        if (!network.isEmpty()) {
            members.put("network", network);
        }
        members.putAll(more);
        return Json.write(members);
    }

    /** This report of messages that {@code by} carried. */
    Report over(Network by) {
        return new Report(messages, bytes, seconds, sha256, noResources, maxBufferedBytes, by.toString(), more);
    }

    /** This report with one more number, or with another {@code value} for it. */
    Report with(String name, long value) {
        Map<String, Long> all = new LinkedHashMap<>(more);
        all.put(name, value);
        return new Report(messages, bytes, seconds, sha256, noResources, maxBufferedBytes, network, all);
    }

    private static double rounded(double value) {
        return Math.round(value * MEGA) / MEGA;
    }

    String text() {
        StringBuilder rest = new StringBuilder(network.isEmpty() ? "" : String.format("%n%-13s %s", "network", network));
        more.forEach((name, value) -> rest.append(String.format(Locale.ROOT, "%n%-13s %d", name, value)));
        return String.format(Locale.ROOT, """
                messages      %d
                bytes         %d
                seconds       %.3f
                MB/s          %.1f
                SHA-256       %s
                NO_RESOURCES  %d
                max buffered  %d bytes""", messages, bytes, seconds, mbPerSecond(), sha256, noResources, maxBufferedBytes) + rest;
    }
}
