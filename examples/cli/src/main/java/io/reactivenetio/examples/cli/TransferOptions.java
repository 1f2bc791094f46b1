// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.cli;

import io.reactivenetio.Framing;
import io.reactivenetio.NetioTransport;
import io.reactivenetio.transport.backend.ConnectionParameters;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * What commands that transfer messages have in common. Which buffers there are to choose depends on the framing, so those options
 * are in {@link FramedOptions} and {@link StreamOptions}.
 */
abstract sealed class TransferOptions permits FramedOptions, StreamOptions {
    /** The most that a receiver takes which does not say otherwise, as netio's own do not. */
    static final int LARGEST_MESSAGE = 64 << 20;

    private static final long MOST_MEMORY = 4L << 30;
    private static final int SMALLEST_PAGE = 1_024;

    @Mixin
    private NetworkOptions network = new NetworkOptions();

    @Option(names = "--buffers", paramLabel = "N", defaultValue = "32",
            description = "How many buffers: while all of them are in use, the sending side waits. Default: ${DEFAULT-VALUE}.")
    private int buffers = ConnectionParameters.DEFAULT_BUFFERS;

    @Option(names = "--json", description = "Report as one JSON object on stdout.")
    private boolean json;

    /** How messages lie in buffers. */
    abstract Framing framing();

    /** Returns the size as given, or null. */
    abstract @Nullable Integer givenBufferSize();

    /** Refuses what makes no sense, before anything is opened. */
    void check() {
        network.check();
        atLeastOne("--buffer-size", bufferSize());
        atLeastOne("--buffers", buffers);
        if (buffers > ConnectionParameters.MAX_BUFFERS) {
            throw CliException.usage("--buffers must not exceed " + ConnectionParameters.MAX_BUFFERS + ": " + buffers);
        }
        if (hasStreams() && bufferSize() < SMALLEST_PAGE) {
            throw CliException.usage("--buffer-size must be at least " + SMALLEST_PAGE + " with stream framing: " + bufferSize());
        }
        if (wholeMessage() < 1) {
            throw CliException.usage("--buffer-size must be more than a message's header, which has " + header()
                    + " bytes with this framing: " + bufferSize());
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

    /** Refuses a {@code --message-size} that no receiver of netio's takes with STREAM framing, whatever its buffers. */
    static void checkMessageSize(int size) {
        atLeastOne("--message-size", size);
        if (size > LARGEST_MESSAGE) {
            throw CliException.usage("--message-size must not exceed " + LARGEST_MESSAGE + ", which is all that a receiver"
                    + " takes: " + size);
        }
    }

    static void atLeastOne(String option, long value) {
        if (value < 1) {
            throw CliException.usage(option + " must be at least 1: " + value);
        }
    }

    /** Returns {@code transport} over the network that was asked for. */
    <T extends NetioTransport<T>> T network(T transport) {
        return network.of(transport);
    }

    /** The largest message that fits a buffer. */
    int wholeMessage() {
        return bufferSize() - header();
    }

    /** Bytes of a page that are not the message's, where it is alone in it. */
    int header() {
        return switch (framing()) {
            case Framing.Stream _ -> 16;
            case Framing.Page _ -> 12;
            case Framing.Raw _ -> 0;
        };
    }

    /** Whether demand and end are told, and large messages go in parts. */
    final boolean hasStreams() {
        return framing() instanceof Framing.Stream;
    }

    /** Enough for a direction that no messages go in: with STREAM framing, frames still do. */
    int smallBuffer() {
        return hasStreams() ? SMALLEST_PAGE : 64;
    }

    int bufferSize() {
        Integer given = givenBufferSize();
        return given == null ? ConnectionParameters.DEFAULT_BUFFER_SIZE : given;
    }

    int buffers() {
        return buffers;
    }

    boolean json() {
        return json;
    }
}
