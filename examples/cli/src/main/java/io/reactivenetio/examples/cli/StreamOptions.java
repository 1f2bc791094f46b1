// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.cli;

import io.reactivenetio.Framing;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options of commands that need tags, and so speak STREAM framing only. */
final class StreamOptions extends TransferOptions {

    @Option(names = "--buffer-size", paramLabel = "BYTES",
            description = "Size of a buffer, which is a page of messages, at least 1024. Default: 61440.")
    private @Nullable Integer bufferSize;

    @Override
    Framing framing() {
        return Framing.stream();
    }

    @Override
    @Nullable Integer givenBufferSize() {
        return bufferSize;
    }
}
