// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.spring.sample.SampleApplication;
import io.reactivenetio.testing.Eventually;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/** The sample application in a JVM of its own. Its output goes to a file. */
final class SampleProcess {
    private static final List<SampleProcess> STARTED = new CopyOnWriteArrayList<>();

    private final Process process;
    private final Path output;

    private SampleProcess(Process process, Path output) {
        this.process = process;
        this.output = output;
    }

    /** Starts it from the class path, with these options of the JVM and these properties. */
    static SampleProcess start(List<String> options, String... properties) throws IOException {
        List<String> what = new ArrayList<>(options);
        what.addAll(List.of("-cp", System.getProperty("java.class.path"), SampleApplication.class.getName()));
        return java(what, properties);
    }

    /** Starts java with {@code options}, and these properties as arguments. */
    static SampleProcess java(List<String> options, String... properties) throws IOException {
        List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
        command.addAll(options);
        for (String property : properties) {
            command.add("--" + property);
        }
        Path output = Files.createTempFile("netio-sample", ".txt");
        Process process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile()).start();
        SampleProcess started = new SampleProcess(process, output);
        STARTED.add(started);
        return started;
    }

    /** Ends those that a test has left. */
    static void endAll() throws IOException {
        for (SampleProcess started : STARTED) {
            started.process.destroyForcibly().onExit().join();
            Files.deleteIfExists(started.output);
        }
        STARTED.clear();
    }

    /** What it has printed so far. */
    String output() throws IOException {
        return Files.readString(output);
    }

    /** Waits until it has printed {@code text}. */
    void await(String text) throws IOException {
        Eventually.within(Duration.ofSeconds(120), () -> output().contains(text) || !process.isAlive());
        assertThat(output()).as("alive: %s", process.isAlive()).contains(text);
    }

    private String lines() {
        try {
            return output();
        } catch (IOException e) {
            return e.toString();
        }
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** Asks it to end, as a container does. */
    void terminate() {
        process.destroy();
    }

    /** Waits for its end, and returns what it has printed. */
    String ended(int code) throws IOException, InterruptedException {
        assertThat(process.waitFor(120, TimeUnit.SECONDS)).as(this::lines).isTrue();
        assertThat(process.exitValue()).as(this::lines).isEqualTo(code);
        return output();
    }
}
