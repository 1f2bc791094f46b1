// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.conformance;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;

/** The end in Java, as a program that the kit can drive. */
@Command(name = "conformance-end", hidden = true,
        description = "The end in Java for netio conformance: answers the lines of docs/conformance.md.")
public final class ConformanceEndCommand implements Callable<Integer> {

    /** Called by picocli. */
    public ConformanceEndCommand() {
    }

    @Override
    @SuppressWarnings("SystemOut") // the protocol's lines
    public Integer call() throws Exception {
        PrintStream out = System.out;
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
        try (JavaEnd end = new JavaEnd(line -> write(out, line))) {
            @Nullable String line = in.readLine();
            while (line != null && end.command(Line.parse(line))) {
                line = in.readLine();
            }
        }
        return 0;
    }

    private static void write(PrintStream out, Line line) {
        synchronized (out) {
            out.println(line);
            out.flush();
        }
    }
}
