// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.cli;

import io.reactivenetio.Framing;
import io.reactivenetio.transport.BackendType;
import io.reactivenetio.transport.ConnectionParameters;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** What commands that transfer messages have in common. */
final class TransferOptions {
    private static final long MOST_MEMORY = 4L << 30;
    private static final int SMALLEST_PAGE = 1_024;
    /** Bytes of a page that are not the message's, where it is alone in it. */
    private static final Map<Framing, Integer> HEADERS = Map.of(Framing.STREAM, 16, Framing.PAGE, 12, Framing.RAW, 0);
    private static final Map<String, Framing> FRAMINGS =
            Map.of("stream", Framing.STREAM, "page", Framing.PAGE, "raw", Framing.RAW);
    private static final Map<String, BackendType> NAMES =
            Map.of("libfabric", BackendType.LIBFABRIC, "tcp", BackendType.TCP);

    @Option(names = "--provider", paramLabel = "NAME", defaultValue = "tcp",
            description = "libfabric's provider: tcp, verbs, …; netio info lists them. Default: ${DEFAULT-VALUE}.")
    private String provider = "tcp";

    @Option(names = "--backend", paramLabel = "NAME", defaultValue = "libfabric",
            description = "libfabric, or tcp: plain TCP sockets, without libfabric. Default: ${DEFAULT-VALUE}.")
    private String backend = "libfabric";

    @Option(names = "--framing", paramLabel = "NAME", defaultValue = "stream",
            description = "The same on both sides. stream: pages of small messages, large ones in parts, demand and end are told."
                    + " page: netio3's pages, with tag 0. raw: each message is one of the fabric's. Default: ${DEFAULT-VALUE}.")
    private String framing = "stream";

    @Option(names = "--buffer-size", paramLabel = "BYTES",
            description = "Size of a buffer: a page, or with raw the largest message. Default: 61440, or with raw"
                    + " and page what --message-size needs if that is more.")
    private @Nullable Integer bufferSize;

    @Option(names = "--buffers", paramLabel = "N", defaultValue = "32",
            description = "How many buffers: when recv has filled them, send waits. Default: ${DEFAULT-VALUE}.")
    private int buffers = ConnectionParameters.DEFAULT_BUFFERS;

    @Option(names = "--json", description = "Report as one JSON object on stdout.")
    private boolean json;

    /** Refuses what makes no sense, before anything is opened. */
    void check() {
        if (!FRAMINGS.containsKey(framing)) {
            throw CliException.usage("--framing " + framing + " is not available; there are stream, page and raw");
        }
        if (!NAMES.containsKey(backend)) {
            throw CliException.usage("--backend " + backend + " is not available; there are libfabric and tcp");
        }
        if (provider.isBlank()) {
            throw CliException.usage("--provider is blank; try tcp or verbs");
        }
        if (provider.equals("sockets")) {
            throw CliException.usage("--provider sockets is not supported, because libfabric 2 has removed it; use tcp");
        }
        atLeastOne("--buffer-size", bufferSize == null ? 1 : bufferSize);
        atLeastOne("--buffers", buffers);
        if (buffers > ConnectionParameters.MAX_BUFFERS) {
            throw CliException.usage("--buffers must not exceed " + ConnectionParameters.MAX_BUFFERS + ": " + buffers);
        }
        if (framing() == Framing.STREAM && bufferSize() < SMALLEST_PAGE) {
            throw CliException.usage("--buffer-size must be at least " + SMALLEST_PAGE + " with --framing stream: " + bufferSize);
        }
        if (wholeMessage() < 1) {
            throw CliException.usage("--buffer-size must be more than a message's header with --framing " + framing + ", of "
                    + header() + " bytes: " + bufferSize);
        }
        checkMemory(bufferSize());
    }

    /** All buffers are allocated when the connection is made. */
    void checkMemory(int size) {
        if ((long) size * buffers > MOST_MEMORY) {
            throw CliException.usage(buffers + " buffers of " + size + " bytes are more than " + MOST_MEMORY
                    + " bytes; choose less of --buffers or --buffer-size");
        }
    }

    static void atLeastOne(String option, long value) {
        if (value < 1) {
            throw CliException.usage(option + " must be at least 1: " + value);
        }
    }

    BackendType backend() {
        return NAMES.getOrDefault(backend, BackendType.LIBFABRIC);
    }

    /** Checks the options of a command that only STREAM framing can serve. */
    void checkStream() {
        check();
        if (framing() != Framing.STREAM) {
            throw CliException.usage("--framing " + framing + " has no tags; leave it at stream");
        }
    }

    /** The largest message that fits a buffer. */
    int wholeMessage() {
        return bufferSize() - header();
    }

    int header() {
        return HEADERS.getOrDefault(framing(), 0);
    }

    Framing framing() {
        return FRAMINGS.getOrDefault(framing, Framing.STREAM);
    }

    /** Enough for a direction that no messages go in: with STREAM framing, frames still do. */
    int smallBuffer() {
        return framing() == Framing.STREAM ? SMALLEST_PAGE : 64;
    }

    String provider() {
        return provider;
    }

    /** As given, or null. */
    @Nullable Integer givenBufferSize() {
        return bufferSize;
    }

    int bufferSize() {
        return bufferSize == null ? ConnectionParameters.DEFAULT_BUFFER_SIZE : bufferSize;
    }

    int buffers() {
        return buffers;
    }

    boolean json() {
        return json;
    }
}
