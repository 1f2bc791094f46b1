// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.cli;

import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Receives one stream of messages into a file. */
@Command(name = "recv", description = "Receive messages from one netio send and write them to a file.")
public final class RecvCommand implements Callable<Integer> {
    @Option(names = "--listen", paramLabel = "HOST:PORT", required = true, converter = HostPort.Converter.class,
            description = "Where to listen. Port 0 finds a free one; stderr says which.")
    private @Nullable HostPort listen;

    @Option(names = "--out", paramLabel = "FILE",
            description = "Where to write; - is stdout, the report is then on stderr, and cannot be --json."
                    + " Default: count and hash only.")
    private @Nullable String out;

    @Option(names = "--count", paramLabel = "N", description = "Stop after this many messages.")
    private @Nullable Long count;

    @Option(names = "--limit-rate", paramLabel = "N", description = "Receive no more than this many messages per second.")
    private @Nullable Double limitRate;

    @Mixin
    private FramedOptions options = new FramedOptions();

    /** Called by picocli. */
    public RecvCommand() {
    }

    @Override
    public Integer call() {
        options.check();
        TransferOptions.atLeastOne("--count", count == null ? 1 : count);
        if (limitRate != null && !(limitRate > 0 && limitRate < Double.POSITIVE_INFINITY)) {
            throw CliException.usage("--limit-rate must be more than 0: " + limitRate);
        }
        boolean toStdout = MessageFile.STDOUT.equals(out);
        if (toStdout && options.json()) {
            throw CliException.usage("--json and --out - both need stdout; write to a file, or leave --json out");
        }
        try (MessageFile file = MessageFile.open(out)) {
            Report report = new Receiver(Objects.requireNonNull(listen), options, file, count, limitRate).run();
            print(options.json() ? report.json() : report.text(), toStdout);
        }
        return 0;
    }

    @SuppressWarnings("SystemOut") // the result of a command
    private static void print(String report, boolean toStderr) {
        (toStderr ? System.err : System.out).println(report);
    }
}
