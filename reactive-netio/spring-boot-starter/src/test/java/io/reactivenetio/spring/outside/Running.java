// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.outside;

import io.reactivenetio.testing.Eventually;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A process, and what it has said. */
final class Running implements AutoCloseable {
    private static final long LIMIT_S = 120;

    private final Process process;
    private final Thread reader;
    private final List<String> lines = Collections.synchronizedList(new ArrayList<>());

    private Running(Process process) {
        this.process = process;
        this.reader = Thread.ofVirtual().start(this::read);
    }

    /** Starts {@code command} in {@code folder}, with the JDK of this test and nothing of the Maven that has started it. */
    static Running start(Path folder, String... command) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true);
        builder.environment().keySet().removeIf(name -> name.startsWith("MAVEN_") || name.startsWith("JDK_JAVA"));
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        builder.environment().put("MAVEN_OPTS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC");
        return new Running(builder.start());
    }

    /** A port that nobody listens on. */
    static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private void read() {
        try (BufferedReader output = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = output.readLine(); line != null; line = output.readLine()) {
                lines.add(line);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Waits until it has said all of {@code texts}. */
    void await(String... texts) {
        awaitFrom(0, texts);
    }

    /** Waits until it has said all of {@code texts} behind its first {@code start} characters. */
    void awaitFrom(int start, String... texts) {
        Eventually.within(Duration.ofSeconds(LIMIT_S), () -> hasSaid(start, texts) || !process.isAlive() && !reader.isAlive());
        if (!hasSaid(start, texts)) {
            throw new AssertionError("it has not said " + List.of(texts) + ":\n" + said());
        }
    }

    private boolean hasSaid(int start, String... texts) {
        return Arrays.stream(texts).allMatch(text -> said().indexOf(text, start) >= 0);
    }

    /** Asks it to end, as Ctrl-C does. */
    void terminate() {
        process.destroy();
    }

    /** Waits for its end. */
    int status() throws InterruptedException {
        if (!process.waitFor(LIMIT_S, TimeUnit.SECONDS)) {
            throw new AssertionError("it has not ended:\n" + said());
        }
        reader.join();
        return process.exitValue();
    }

    String said() {
        synchronized (lines) {
            return String.join("\n", lines);
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
