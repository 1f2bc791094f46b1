// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.cli;

import io.reactivenetio.Framing;
import io.reactivenetio.api.EndSignal;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options of commands that speak any framing. */
final class FramedOptions extends TransferOptions {
    private static final Map<String, Framing> FRAMINGS = Map.of("stream", Framing.stream(),
            "page", Framing.page().endSignal(EndSignal.EMPTY_MESSAGE), "raw", Framing.raw().endSignal(EndSignal.EMPTY_MESSAGE));

    @Option(names = "--framing", paramLabel = "NAME", defaultValue = "stream",
            description = "The same on both sides. stream: pages of small messages, large ones in parts, demand and end are"
                    + " told. page: netio3's pages, with tag 0. raw: each message is one of the fabric's."
                    + " Default: ${DEFAULT-VALUE}.")
    private String framing = "stream";

    @Option(names = "--buffer-size", paramLabel = "BYTES",
            description = "Size of a buffer: a page, of 1024 bytes at least with --framing stream, or with raw the largest"
                    + " message. Default: 61440.")
    private @Nullable Integer bufferSize;

    @Override
    void check() {
        if (!FRAMINGS.containsKey(framing)) {
            throw CliException.usage("--framing " + framing + " is not available; there are stream, page and raw");
        }
        super.check();
    }

    @Override
    Framing framing() {
        return FRAMINGS.getOrDefault(framing, Framing.stream());
    }

    @Override
    @Nullable Integer givenBufferSize() {
        return bufferSize;
    }
}
