// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.conformance;

import io.reactivenetio.examples.cli.CliException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A program as the other end. It is killed when closed, unless it has ended by itself on quit. */
final class ProcessEnd extends End {
    private static final int COMPLAINTS = 8;
    private static final int QUIT_SECONDS = 5;
    private static final Duration LAST_WORDS = Duration.ofSeconds(1);

    private final Process process;
    private final Thread reader;
    private final Thread complaining;
    private final Deque<String> complaints = new ArrayDeque<>();

    private ProcessEnd(Process process) {
        super("the end");
        this.process = process;
        complaining = Thread.ofVirtual().start(this::listen); // first: the reader waits for it
        reader = Thread.ofVirtual().start(this::read);
    }

    static ProcessEnd start(List<String> command) {
        try {
            return new ProcessEnd(new ProcessBuilder(command).start());
        } catch (IOException e) {
            throw CliException.failure("the end cannot be started: " + e.getMessage(), e);
        }
    }

    private void read() {
        try (BufferedReader lines = process.inputReader(StandardCharsets.US_ASCII)) {
            lines.lines().forEach(line -> heard(Line.parse(line)));
        } catch (IOException | UncheckedIOException e) {
            // it was killed
        }
        try {
            int code = process.waitFor();
            complaining.join(LAST_WORDS); // a child of the end may have its stderr for longer
            ended("has ended with code " + code);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void listen() {
        try (BufferedReader lines = process.errorReader(StandardCharsets.UTF_8)) {
            lines.lines().forEach(this::complain);
        } catch (IOException | UncheckedIOException e) {
            // it was killed
        }
    }

    private void complain(String line) {
        synchronized (complaints) {
            complaints.add(line);
            if (complaints.size() > COMPLAINTS) {
                complaints.remove();
            }
        }
    }

    @Override
    String complaint() {
        synchronized (complaints) {
            return complaints.isEmpty() ? "" : "; it wrote: " + String.join(" | ", complaints);
        }
    }

    @Override
    void write(Line command) {
        try {
            process.getOutputStream().write((command + "\n").getBytes(StandardCharsets.US_ASCII));
            process.getOutputStream().flush();
        } catch (IOException e) {
            // the reader tells that it has ended, and with which code
        }
    }

    /** Ends it as it should end, and returns its exit code; null if it does not end. */
    @Nullable Integer quit() throws InterruptedException {
        write(Line.of("quit"));
        boolean ended = process.waitFor(QUIT_SECONDS, TimeUnit.SECONDS);
        return ended ? process.exitValue() : null;
    }

    @Override
    public void close() {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
        try {
            reader.join();
            complaining.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
