// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.examples.Netio;
import io.reactivenetio.examples.TestJvm;
import io.reactivenetio.testing.AtFullScale;
import io.reactivenetio.testing.Eventually;
import io.reactivenetio.testing.TestSettings;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Whole runs, each in processes of its own. */
@Timeout(180)
class DemoTest {
    private static final Path SCRIPT = Path.of("/usr/bin/script");

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

    /** On a terminal of 40 columns and 20 lines that calls itself {@code term}; {@code more} is for the shell. */
    private void startOnTerminal(String term, String more, String... arguments) throws IOException {
        Assumptions.assumeTrue(Files.isExecutable(SCRIPT), "script(1) makes the terminal");
        List<String> command = new ArrayList<>(TestJvm.command(List.of("-Xmx256m")));
        command.addAll(List.of(Netio.class.getName(), "demo"));
        command.addAll(TestJvm.withProvider(arguments));
        command.addAll(List.of("--host", TestSettings.ADDRESS));
        String line = command.stream().map(word -> "'" + word + "'").collect(Collectors.joining(" "));
        // a shell that starts the tests in the background has them ignore SIGINT, and whom they start too
        ProcessBuilder builder = new ProcessBuilder(SCRIPT.toString(), "-qefc",
                "stty cols 40 rows 20; exec env --default-signal=INT " + line + more, "/dev/null")
                .redirectErrorStream(true).redirectOutput(output().toFile());
        builder.environment().put("TERM", term);
        process = builder.start();
    }

    /** The terminal after all that was written to it. */
    private FakeTerminal terminal() throws IOException {
        FakeTerminal terminal = new FakeTerminal(40, 20);
        terminal.write(Files.readAllBytes(output()));
        terminal.flush();
        return terminal;
    }

    private static List<String> all(FakeTerminal terminal) {
        List<String> all = new ArrayList<>(terminal.scrolled());
        all.addAll(terminal.shown());
        return all;
    }

    @AtFullScale
    @Test
    void shouldLeaveOneFrameAndTheSummaryOnANarrowTerminal() throws Exception {
        startOnTerminal("xterm", "", "--seconds", "2");

        assertThat(exitCode(60)).as("%s", lines()).isZero();
        assertThat(Files.readString(output())).contains("of 2 s"); // live frames, which are gone
        FakeTerminal terminal = terminal();
        assertThat(terminal.usual()).isTrue();
        assertThat(all(terminal).stream().filter(line -> line.contains("reactive-netio demo"))).singleElement().asString()
                .contains("in all");
        assertThat(all(terminal)).allMatch(line -> line.length() <= 40).noneMatch(line -> line.contains("of 2 s"))
                .anyMatch(line -> line.startsWith("link 0, sent ")).anyMatch(line -> line.startsWith("OK: "));
    }

    @Test
    void shouldGiveTheTerminalBackWhenItIsInterrupted() throws Exception {
        startOnTerminal("xterm", "", "--seconds", "600");
        Eventually.await("a live frame", () -> Files.readString(output(), StandardCharsets.ISO_8859_1).contains("frags/s"));
        ProcessHandle java = process.children().findFirst().orElseThrow();
        new ProcessBuilder("kill", "-INT", Long.toString(java.pid())).start().waitFor();

        assertThat(exitCode(60)).isEqualTo(130);
        FakeTerminal terminal = terminal();
        assertThat(terminal.usual() && terminal.wraps() && terminal.cursorShown()).isTrue();
        assertThat(all(terminal).stream().filter(line -> line.contains("of 600 s"))).hasSize(1);
    }

    @AtFullScale
    @Test
    void shouldPrintPlainLinesOnATerminalThatCannotMoveItsCursor() throws Exception {
        startOnTerminal("dumb", "", "--seconds", "3", "--no-legend");

        assertThat(exitCode(60)).as("%s", lines()).isZero();
        assertThat(Files.readString(output())).doesNotContain("\u001b").contains("in all   events ").doesNotContain("demand  ");
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

    private ProcessHandle detector() throws IOException {
        // a look at the children is one at all processes
        Eventually.within(TestSettings.PATIENCE, () -> !process.isAlive() || lines().stream().anyMatch(
                line -> line.contains("events ")) && process.children().findFirst().isPresent());
        return process.children().findFirst().orElseThrow(() -> new AssertionError("no detector"));
    }

    @AtFullScale
    @Test
    void shouldReceiveAllThatWasSentAndFindTheFaults() throws Exception {
        start("--seconds", "3");

        assertThat(exitCode(60)).as("%s", lines()).isZero();
        assertThat(lines().getLast()).startsWith("OK: ");
        assertThat(number("faults find", "the ([\\d,]+) injected faults")).isPositive();
        long events = number("events", "^events ([\\d,]+)");
        assertThat(events).isPositive();
        assertThat(lines()).anyMatch(line -> line.startsWith("in all   events " + events + " "))
                .anyMatch(line -> line.startsWith(" stalls     how often"));
    }

    @AtFullScale
    @Test
    void shouldPrintPlainLinesWhereStandardErrorIsNoTerminal() throws Exception {
        Path errors = folder.resolve("errors");
        startOnTerminal("xterm", " 2>'" + errors + "'", "--seconds", "2", "--json");

        assertThat(exitCode(60)).as("%s", lines()).isZero();
        assertThat(lines()).singleElement().asString().startsWith("{\"ok\":true,");
        assertThat(Files.readString(errors)).contains("in all   events ").doesNotContain("\u001b");
    }

    @Test
    void shouldHoldTheDetectorBackWhenTheConsumerIsSlow() throws Exception {
        start("--seconds", "3", "--slow");

        assertThat(exitCode(60)).as("%s", lines()).isZero();
        assertThat(lines().getLast()).startsWith("OK: ");
        assertThat(number("stalls", "stalls ([\\d,]+)")).isPositive();
        assertThat(number("rate", "^trigger ([\\d,]+) of 20,000 Hz")).isBetween(100L, 10_000L);
    }

    @AtFullScale
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

        assertThat(exitCode(60)).isEqualTo(1);
        assertThat(lines().getLast()).startsWith("netio: the detector was killed by signal 9");
        assertThat(lines()).allMatch(line -> line.contains("events ") || line.startsWith("netio: "));
    }

    @AtFullScale
    @Test
    void shouldTakeTheDetectorWithItWhenItIsKilled() throws Exception {
        start("--seconds", "600");
        ProcessHandle detector = detector();
        process.destroyForcibly();

        detector.onExit().get(60, TimeUnit.SECONDS);
        assertThat(detector.isAlive()).isFalse();
    }

    @AtFullScale
    @Test
    void shouldFailWithOneClearLineWhenThereIsNoSuchProvider() throws Exception {
        start("--provider", "nosuch");

        assertThat(exitCode(60)).isEqualTo(1);
        assertThat(lines()).singleElement().asString().startsWith("netio: ").contains("nosuch");
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
