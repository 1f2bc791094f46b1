// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.cli;

import static io.reactivenetio.testing.TestSettings.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.examples.TestJvm;
import io.reactivenetio.testing.TestSettings;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** One netio process: what it wrote, how it ended, what it cost. Killed by its handle at the latest when closed. */
final class NetioProcess extends NetioRun {
    private final Process process;
    private final Output out;
    private final Output err;

    private NetioProcess(Process process) {
        this.process = process;
        this.out = new Output(process.getInputStream());
        this.err = new Output(process.getErrorStream());
    }

    static NetioProcess start(String... args) {
        return start(List.of(), Map.of(), args);
    }

    static NetioProcess start(List<String> jvmOptions, Map<String, String> environment, String... args) {
        // A shell that starts the tests in the background has them ignore SIGINT, and whom they start too.
        List<String> command = new ArrayList<>(List.of("env", "--default-signal=INT"));
        command.addAll(TestJvm.command(jvmOptions));
        command.add("io.reactivenetio.examples.Netio");
        command.addAll(TestJvm.netioArguments(args));
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().putAll(environment);
        builder.environment().keySet().removeAll(List.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS"));
        try {
            return new NetioProcess(builder.start());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A receiver on a free loopback port, listening already. */
    static NetioProcess receiver(String... args) {
        return receiver(List.of(), args);
    }

    static NetioProcess receiver(List<String> jvmOptions, String... args) {
        List<String> all = new ArrayList<>(List.of("recv", "--listen", TestSettings.ADDRESS + ":0"));
        all.addAll(List.of(args));
        NetioProcess receiver = start(jvmOptions, Map.of(), all.toArray(String[]::new));
        receiver.address();
        return receiver;
    }

    /** A sender of what never ends. */
    static NetioProcess endlessSender(NetioRun recv) {
        return start("send", "--to", recv.address(), "/dev/zero", "--message-size", "20000");
    }

    /**
     * Waits until it has a connection with {@code other}, which must not end before: only then it has a thread that reads what is
     * sent, or writes what is received.
     */
    void awaitConnection(NetioRun other) {
        await("a connection", () -> hasThread("netio-reader") || hasThread("netio-writer") || !other.isAlive());
        assertThat(other.isAlive()).as("the other side has ended: %s", other.err()).isTrue();
    }

    private boolean hasThread(String name) {
        try (DirectoryStream<Path> threads = Files.newDirectoryStream(proc("task"))) {
            for (Path thread : threads) {
                if (Files.readString(thread.resolve("comm")).startsWith(name)) {
                    return true;
                }
            }
        } catch (IOException | DirectoryIteratorException e) {
            // one has ended meanwhile, or all of it
        }
        return false;
    }

    @Override
    int exitCode(Duration limit) {
        try {
            assertThat(process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)).as("ended within %s; %s", limit, err.text())
                    .isTrue();
            out.join();
            err.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
        return process.exitValue();
    }

    @Override
    String out() {
        return out.text();
    }

    byte[] outBytes() {
        return out.bytes();
    }

    @Override
    String err() {
        return err.text();
    }

    OutputStream in() {
        return process.getOutputStream();
    }

    @Override
    boolean isAlive() {
        return process.isAlive();
    }

    long pid() {
        return process.pid();
    }

    /** SIGKILL. */
    void kill() {
        process.destroyForcibly();
    }

    /** The number of a line of /proc/PID/status, or 0 when the process has ended. */
    long status(String key) {
        try {
            Matcher line = Pattern.compile("(?m)^" + key + ":\\s+([0-9]+)").matcher(Files.readString(proc("status")));
            return line.find() ? Long.parseLong(line.group(1)) : 0;
        } catch (IOException e) {
            return 0;
        }
    }

    /** The largest resident set so far in KiB, sampled until the process ends. */
    long peakResidentKib() {
        long[] peak = new long[1];
        await("its end", () -> {
            peak[0] = Math.max(peak[0], status("VmHWM"));
            return !process.isAlive();
        });
        return peak[0];
    }

    /** CPU time so far in clock ticks of 10 ms. */
    long cpuTicks() throws IOException {
        String stat = Files.readString(proc("stat"));
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
        return Long.parseLong(fields[11]) + Long.parseLong(fields[12]);
    }

    private Path proc(String file) {
        return Path.of("/proc", Long.toString(process.pid()), file);
    }

    static void pause(Duration time) {
        try {
            Thread.sleep(time); // processor time is measured over it, or buffers fill
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }

    /** Reads a stream to its end on a thread of its own. */
    private static final class Output {
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        private final Thread reader;

        Output(InputStream stream) {
            reader = Thread.ofVirtual().start(() -> {
                try (stream) {
                    stream.transferTo(bytes);
                } catch (IOException e) {
                    // the process was killed
                }
            });
        }

        void join() throws InterruptedException {
            assertThat(reader.join(PATIENCE)).isTrue();
        }

        byte[] bytes() {
            return bytes.toByteArray();
        }

        String text() {
            return bytes.toString(StandardCharsets.UTF_8);
        }
    }
}
