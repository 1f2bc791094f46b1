// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** A running {@code raw_peer}, the C program that talks to us in these tests. Bounded: it dies by itself after 60 s. */
final class RawPeer implements AutoCloseable {
    private static final String NEEDS = "this test needs a C compiler and libfabric's headers: apt install gcc libfabric-dev";
    private static final Path SOURCE = Path.of("src/test/c/raw_peer.c");

    private final Process process;
    private final Path errors;
    private final List<String> lines = new ArrayList<>();
    private final CompletableFuture<Integer> port = new CompletableFuture<>();
    private final CompletableFuture<List<String>> output = new CompletableFuture<>();

    private RawPeer(Process process, Path errors) {
        this.process = process;
        this.errors = errors;
        Thread reader = new Thread(this::read, "raw_peer output");
        reader.setDaemon(true);
        reader.start();
    }

    /** Compiles it into {@code directory}. */
    static Path compile(Path directory) throws IOException, InterruptedException {
        Path program = directory.resolve("raw_peer");
        Path log = directory.resolve("gcc.log");
        List<String> command = List.of("gcc", "-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror", "-o", program.toString(),
                SOURCE.toString(), "-lfabric");
        Process gcc;
        try {
            gcc = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
        } catch (IOException e) {
            throw new AssertionError("cannot run gcc; " + NEEDS, e);
        }
        boolean ended = gcc.waitFor(60, TimeUnit.SECONDS);
        if (!ended) {
            gcc.destroyForcibly();
        }
        if (!ended || gcc.exitValue() != 0) {
            throw new AssertionError(String.join(" ", command) + (ended ? " failed; " : " took longer than 60 s; ") + NEEDS
                    + System.lineSeparator() + Files.readString(log));
        }
        return program;
    }

    /** Starts it; see raw_peer.c for the options. */
    static RawPeer start(Path program, Object... options) throws IOException {
        List<String> command = new ArrayList<>(List.of(program.toString(), "-t", "120"));
        Arrays.stream(options).map(Object::toString).forEach(command::add);
        Path errors = Files.createTempFile(program.getParent(), "raw_peer", ".log");
        return new RawPeer(new ProcessBuilder(command).redirectError(errors.toFile()).start(), errors);
    }

    private void read() {
        try (BufferedReader reader = process.inputReader()) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                if (line.startsWith("listening ")) {
                    port.complete(Integer.valueOf(line.substring(10)));
                } else {
                    lines.add(line);
                }
            }
        } catch (IOException e) {
            lines.add(e.toString());
        }
        port.completeExceptionally(new IllegalStateException("raw_peer ended without listening"));
        output.complete(lines);
    }

    /** Where it listens; waits until it does. */
    int port() {
        return port.orTimeout(50, TimeUnit.SECONDS).join();
    }

    /** How it ended by itself. */
    int exitCode() throws InterruptedException {
        if (!process.waitFor(50, TimeUnit.SECONDS)) {
            throw new AssertionError("raw_peer still runs");
        }
        return process.exitValue();
    }

    /** Its words, after it has ended by itself and well. */
    List<String> result() throws InterruptedException {
        int code = exitCode();
        List<String> words = output.orTimeout(30, TimeUnit.SECONDS).join();
        if (code != 0) {
            throw new AssertionError("raw_peer ended with " + code + ": " + words + " " + errors());
        }
        return words;
    }

    private String errors() {
        try {
            return Files.readString(errors);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Ends it with SIGKILL, as a crash would; returns when it is gone. */
    void kill() {
        process.destroyForcibly();
        try {
            process.waitFor(10, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    boolean isAlive() {
        return process.isAlive();
    }

    @Override
    public void close() {
        kill();
    }
}
