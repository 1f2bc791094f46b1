// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A process whose standard output and error are read together. */
final class Program implements AutoCloseable {
    private static final Pattern LISTENING = Pattern.compile("listening on port (\\d+)");
    private static final int PATIENCE_S = 60;

    private final Process process;
    private final BufferedReader lines;

    Program(Path directory, String... command) throws IOException {
        process = new ProcessBuilder(command).directory(directory.toFile()).redirectErrorStream(true).start();
        lines = process.inputReader(StandardCharsets.UTF_8);
    }

    /** Whether a command can be run, and ends with code 0. */
    static boolean runs(String... command) throws InterruptedException {
        try {
            return new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD).start()
                    .waitFor() == 0;
        } catch (IOException e) {
            return false;
        }
    }

    /** The port that its first line says. */
    int port() throws IOException {
        Matcher line = LISTENING.matcher(String.valueOf(lines.readLine()));
        assertThat(line.matches()).isTrue();
        return Integer.parseInt(line.group(1));
    }

    /** What it prints from here on, when it has ended with this code. */
    String ended(int code) throws IOException, InterruptedException {
        StringBuilder rest = new StringBuilder();
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            rest.append(line).append('\n');
        }
        assertThat(process.waitFor(PATIENCE_S, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).as(rest.toString()).isEqualTo(code);
        return rest.toString();
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
