// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.conformance;

import io.reactivenetio.Framing;
import io.reactivenetio.NetioLoops;
import io.reactivenetio.NetioTransport;
import io.reactivenetio.api.NetioPropagator;
import io.reactivenetio.api.SlowPolicy;
import io.reactivenetio.api.Tags;
import io.reactivenetio.transport.BackendType;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What the fields of a command mean for this library. */
final class EndSettings {
    /** The header of requests that have one. */
    static final String HEADER = "kit";

    private static final int PAGE = 61_440;
    private static final int PAGES = 28;
    private static final int FEW_PAGES = 4;
    private static final int LARGE_PAGE = 1 << 18;
    private static final int MESSAGE = 64 << 20;
    private static final int STREAMS = 4_096;
    private static final int MISSED = 3; // intervals of silence until a peer counts as dead

    private EndSettings() {
    }

    static <T extends NetioTransport<T>> T apply(Line line, T transport, NetioLoops loops) {
        int page = line.number("page", PAGE);
        int data = line.number("data", page > LARGE_PAGE ? FEW_PAGES : PAGES);
        Framing framing = framing(line);
        T set = transport.backend(line.is("transport", "libfabric") ? BackendType.LIBFABRIC : BackendType.TCP)
                .runOn(loops).framing(framing)
                .receiveBuffers(page, data).sendBuffers(page, Math.max(FEW_PAGES, data));
        int interval = line.number("keepalive", 0);
        set = interval == 0 ? set : set.keepAlive(Duration.ofMillis((long) MISSED * interval));
        return isStream(line) ? set.propagation(NetioPropagator.ofKeys(HEADER)) : set;
    }

    static boolean isStream(Line line) {
        return line.is("framing", "stream");
    }

    private static Framing framing(Line line) {
        return switch (line.get("framing")) {
            case "raw" -> Framing.raw();
            case "page" -> Framing.page();
            case "stream" -> Framing.stream().maxMessageSize(line.number("message", MESSAGE))
                    .maxStreams(line.number("streams", STREAMS)).checksums(line.is("checksums", "required"))
                    .prefetch(0).serveTimeout(Duration.ofSeconds(1));
            default -> throw new UnsupportedOperationException("framing");
        };
    }

    /** {@code 7}, {@code 16-31} or {@code 4608/65280}. */
    static Tags tags(String text) {
        int dash = text.indexOf('-');
        int slash = text.indexOf('/');
        if (dash > 0) {
            return Tags.range(tag(text.substring(0, dash)), tag(text.substring(dash + 1)));
        }
        return slash > 0 ? Tags.masked(tag(text.substring(0, slash)), tag(text.substring(slash + 1))) : Tags.of(tag(text));
    }

    static long tag(String text) {
        return Long.parseUnsignedLong(text);
    }

    /** Null is the publisher's choice. */
    static @Nullable SlowPolicy policy(String text) {
        return switch (text) {
            case "default" -> null;
            case "wait" -> SlowPolicy.BACKPRESSURE;
            case "newest" -> SlowPolicy.DROP_NEWEST;
            case "oldest" -> SlowPolicy.DROP_OLDEST;
            case "fail" -> SlowPolicy.ERROR;
            default -> throw new UnsupportedOperationException("policy");
        };
    }

    /** {@code max} is without bound. */
    static long demand(String text) {
        return text.equals("max") ? Long.MAX_VALUE : Long.parseLong(text);
    }
}
