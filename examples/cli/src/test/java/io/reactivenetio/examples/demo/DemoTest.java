// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.examples.Netio;
import io.reactivenetio.examples.TestJvm;
import io.reactivenetio.testing.TestSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Whole runs, each in processes of its own. */
@Timeout(180)
class DemoTest {
    @TempDir
    private Path folder;
    private Process process;

    @AfterEach
    void end() {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }

    private void start(String... arguments) throws IOException {
        List<String> command = new ArrayList<>(TestJvm.command(List.of("-Xmx256m")));
        command.addAll(List.of(Netio.class.getName(), "demo"));
        command.addAll(TestJvm.withProvider(arguments));
        command.addAll(List.of("--host", TestSettings.ADDRESS));
        process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output().toFile()).start();
    }

    private Path output() {
        return folder.resolve("output");
    }

    private List<String> lines() throws IOException {
        return Files.readAllLines(output());
    }

    private int exitCode(int seconds) throws InterruptedException {
        Duration limit = TestSettings.patient(Duration.ofSeconds(seconds));
        assertThat(process.waitFor(limit)).as("ends within %s", limit).isTrue();
        return process.exitValue();
    }

    private ProcessHandle detector() throws InterruptedException, IOException {
        long deadline = System.nanoTime() + TestSettings.patient(Duration.ofSeconds(60)).toNanos();
        while (System.nanoTime() < deadline && process.isAlive()) {
            Optional<ProcessHandle> child = process.children().findFirst();
            if (child.isPresent() && lines().stream().anyMatch(line -> line.contains("events "))) {
                return child.get();
            }
            Thread.sleep(100);
        }
        throw new AssertionError("no detector: " + lines());
    }

    @Test
    void shouldReceiveAllThatWasSentAndFindTheFaults() throws Exception {
        start("--seconds", "3");

        assertThat(exitCode(60)).as("%s", lines()).isZero();
        assertThat(lines().getLast()).startsWith("OK: ");
        assertThat(number("faults find", "the ([\\d,]+) injected faults")).isPositive();
        assertThat(number("events", "^events ([\\d,]+)")).isPositive();
    }

    @Test
    void shouldHoldTheDetectorBackWhenTheConsumerIsSlow() throws Exception {
        start("--seconds", "3", "--slow");

        assertThat(exitCode(60)).as("%s", lines()).isZero();
        assertThat(lines().getLast()).startsWith("OK: ");
        assertThat(number("stalls", "stalls ([\\d,]+)")).isPositive();
        assertThat(number("rate", "^trigger ([\\d,]+) of 20,000 Hz")).isBetween(100L, 10_000L);
    }

    @Test
    void shouldPrintTheSummaryAsJson() throws Exception {
        start("--seconds", "1", "--links", "2", "--rate", "1000", "--json");

        assertThat(exitCode(60)).isZero();
        assertThat(lines().getLast()).startsWith("{\"ok\":true,").endsWith("\"complaints\":[]}");
    }

    @Test
    void shouldFailWithOneClearLineWhenTheDetectorIsKilled() throws Exception {
        start("--seconds", "600");
        detector().destroyForcibly();

        assertThat(exitCode(30)).isEqualTo(1);
        assertThat(lines().getLast()).startsWith("FAILED: the detector was killed by signal 9");
        assertThat(lines()).allMatch(line -> line.contains("events ") || line.startsWith("FAILED"));
    }

    @Test
    void shouldTakeTheDetectorWithItWhenItIsKilled() throws Exception {
        start("--seconds", "600");
        ProcessHandle detector = detector();
        process.destroyForcibly();

        detector.onExit().get(60, TimeUnit.SECONDS);
        assertThat(detector.isAlive()).isFalse();
    }

    @Test
    void shouldFailWithOneClearLineWhenThereIsNoSuchProvider() throws Exception {
        start("--provider", "nosuch");

        assertThat(exitCode(60)).isEqualTo(1);
        assertThat(lines()).singleElement().asString().startsWith("FAILED: ").contains("nosuch");
    }

    @Test
    void shouldRefuseArgumentsThatMakeNoSense() throws Exception {
        start("--links", "0");

        assertThat(exitCode(60)).isEqualTo(2);
        assertThat(lines().getFirst()).contains("--links");
    }

    private long number(String what, String pattern) throws IOException {
        for (String line : lines()) {
            Matcher matcher = Pattern.compile(pattern).matcher(line);
            if (matcher.find() && (line.startsWith("trigger") || line.startsWith("OK") || line.startsWith("events"))) {
                return Long.parseLong(matcher.group(1).replace(",", ""));
            }
        }
        throw new AssertionError("no " + what + " in " + lines());
    }
}
