// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.soak;

import io.reactivenetio.examples.conformance.Line;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A process that plays a role, as the program sees it. Any thread. */
final class Worker implements AutoCloseable {
    private static final Duration FACTS = Duration.ofSeconds(30);
    private static final int COMPLAINTS = 30;

    private final String role;
    private final Process process;
    private final Deque<Line> heard = new ArrayDeque<>();
    private final Deque<String> complaints = new ArrayDeque<>();
    private long complaintCount;
    private boolean silent;

    private Worker(String role, Process process) {
        this.role = role;
        this.process = process;
        Thread.ofVirtual().start(this::listen);
        Thread.ofVirtual().start(this::listenToComplaints);
    }

    /**
     * Starts a process.
     *
     * @param prefix a command that runs another one, such as prlimit(1) with its options; mostly none
     * @param options of the JVM, such as {@code -Xmx64m}
     */
    static Worker start(List<String> prefix, List<String> options, String role, List<String> arguments) {
        List<String> command = new ArrayList<>(prefix);
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), "--enable-native-access=ALL-UNNAMED",
                "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=" + System.getProperty("soak.tier", "4"),
                "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn"));
        command.addAll(options);
        command.addAll(List.of(WorkerMain.class.getName(), role));
        command.addAll(arguments);
        try {
            return new Worker(role, new ProcessBuilder(command).start());
        } catch (IOException e) {
            throw new UncheckedIOException("cannot start a process for " + role, e);
        }
    }

    private void listen() {
        try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
            for (String text; (text = lines.readLine()) != null; ) {
                synchronized (heard) {
                    heard.add(Line.parse(text));
                    heard.notifyAll();
                }
            }
        } catch (IOException e) {
            // it was killed
        }
        synchronized (heard) {
            silent = true;
            heard.notifyAll();
        }
    }

    private void listenToComplaints() {
        try (BufferedReader lines = process.errorReader(StandardCharsets.UTF_8)) {
            for (String text; (text = lines.readLine()) != null; ) {
                synchronized (complaints) {
                    complaintCount++;
                    complaints.add(text);
                    if (complaints.size() > COMPLAINTS) {
                        complaints.remove();
                    }
                }
            }
        } catch (IOException e) {
            // it was killed
        }
    }

    long pid() {
        return process.pid();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** Tells it a word, with names and values by turns; nothing happens if it has ended. */
    void tell(String word, Object... namesAndValues) {
        try {
            process.getOutputStream().write((Line.of(word, namesAndValues) + "\n").getBytes(StandardCharsets.UTF_8));
            process.getOutputStream().flush();
        } catch (IOException e) {
            // whoever waits for an answer is told that it has ended
        }
    }

    /**
     * Takes the first line with that word that has not been taken, and waits for it as long as {@code limit}.
     *
     * @throws IllegalStateException if it does not say so, with what it wrote to standard error last
     */
    Line await(String word, Duration limit) throws InterruptedException {
        Line line = poll(word, limit);
        if (line == null) {
            throw new IllegalStateException(this + " has not said '" + word + "' within " + limit.toSeconds() + " s"
                    + (isAlive() ? "" : ", and has ended with code " + process.exitValue()) + complaint());
        }
        return line;
    }

    /** Takes the first line with that word that has not been taken; null if it does not say so within {@code limit}. */
    @Nullable Line poll(String word, Duration limit) throws InterruptedException {
        long end = System.nanoTime() + limit.toNanos();
        synchronized (heard) {
            while (true) {
                for (Iterator<Line> lines = heard.iterator(); lines.hasNext(); ) {
                    Line line = lines.next();
                    if (line.head().equals(word)) {
                        lines.remove();
                        return line;
                    }
                }
                long left = end - System.nanoTime();
                if (silent || left <= 0) {
                    return null;
                }
                TimeUnit.NANOSECONDS.timedWait(heard, left);
            }
        }
    }

    /** What the process holds now, after a collection of its garbage. */
    ProcessFacts facts() throws InterruptedException {
        tell("facts");
        return ProcessFacts.parse(await("facts", FACTS));
    }

    /** Returns the processor time that it has taken, in nanoseconds. */
    long cpuNanos() {
        return process.info().totalCpuDuration().orElseThrow().toNanos();
    }

    /** Lines that it has written to standard error, which is where its log goes. */
    long complaints() {
        synchronized (complaints) {
            return complaintCount;
        }
    }

    private String complaint() {
        synchronized (complaints) {
            return complaints.isEmpty() ? "" : "; it wrote: " + String.join(" | ", complaints);
        }
    }

    /** Sends a signal by its name, such as STOP or CONT. */
    void signal(String name) throws InterruptedException {
        try {
            new ProcessBuilder("kill", "-" + name, Long.toString(pid())).start().waitFor();
        } catch (IOException e) {
            throw new UncheckedIOException("kill(1) is missing", e);
        }
    }

    /** Waits until it has ended; returns its exit code, or null if it goes on for longer than {@code limit}. */
    @Nullable Integer ended(Duration limit) throws InterruptedException {
        return process.waitFor(limit.toNanos(), TimeUnit.NANOSECONDS) ? process.exitValue() : null;
    }

    /** Kills it, as by SIGKILL, and waits for its end. */
    @Override
    public void close() {
        process.destroyForcibly();
        try {
            process.waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public String toString() {
        return role + " (process " + pid() + ')';
    }
}
