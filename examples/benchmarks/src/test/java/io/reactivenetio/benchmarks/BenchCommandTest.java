// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.testing.AtFullScale;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import picocli.CommandLine;

/** Runs the benchmark end to end. What it measures depends on the machine; that it measures does not. */
@Timeout(300)
class BenchCommandTest {
    /** Size, in flight, wait, two rates, ratio. */
    private static final Pattern STREAM = Pattern.compile(
            "(?m)^ +(\\d+) +8 (spin|sleep) +(\\d+|–) +(\\d+|–) +([0-9.]+ \\(|–)");
    private static final Pattern ROUND_TRIP = Pattern.compile(
            "(?m)^ +64 (spin|sleep) +([0-9.]+|–) +([0-9.]+|–) +([0-9.]+ \\(|–)");
    /** Of a round that has to measure something, also where others have the CPUs: a quick one may be over before its warm-up. */
    private static final String SECONDS = "1";
    private static final Pattern ROUND = Pattern.compile("\"perSecond\":([0-9.]+)");

    @AtFullScale
    @Test
    void shouldPrintARatioForEverySizeAndWait() {
        String sleeping = run("--quick", "--connection", "--wait", "sleep", "--seconds", SECONDS);
        List<MatchResult> measured = STREAM.matcher(sleeping).results().toList();
        assertThat(measured).as(sleeping).hasSize(2).allSatisfy(row -> {
            assertThat(row.group(2)).isEqualTo("sleep");
            assertThat(Long.parseLong(row.group(3))).as(sleeping).isPositive();
            assertThat(Long.parseLong(row.group(4))).as(sleeping).isPositive();
            assertThat(row.group(5)).as(sleeping).endsWith("(").doesNotStartWith("0.00");
        });
        // two that spin need both CPUs of a machine: where others have them, there may be nothing to tell, and no zero is told
        String spinning = run("--quick", "--wait", "spin");
        List<MatchResult> streams = STREAM.matcher(spinning).results().toList();
        assertThat(streams).as(spinning).hasSize(2);
        List<MatchResult> roundTrips = Stream.of(sleeping, spinning).flatMap(out -> ROUND_TRIP.matcher(out).results()).toList();
        assertThat(roundTrips).as(sleeping + spinning).extracting(row -> row.group(1)).containsExactly("sleep", "spin");
        assertThat(Stream.concat(streams.stream(), roundTrips.stream()).filter(row -> row.group(3).matches("[0.]+"))).isEmpty();
    }

    @Test
    void shouldPrintEveryRoundAsJson() {
        String out = run("--quick", "--json", "--rounds", "1", "--mode", "stream", "--wait", "sleep", "--sizes", "64",
                "--seconds", SECONDS);
        assertThat(out).startsWith("{\"libfabric\":\"").hasLineCount(1);
        assertThat(ROUND.matcher(out).results()).hasSize(2)
                .allSatisfy(round -> assertThat(Double.parseDouble(round.group(1))).isPositive());
    }

    @Test
    void shouldRefuseWhatMakesNoSense() {
        for (String argument : List.of("--mode=x", "--wait=x", "--sizes=7", "--in-flight=0", "--rounds=0", "--seconds=0",
                "--connection --wait=spin", "--connection --mode=roundtrip", "--sizes=64 --mode=roundtrip",
                "--in-flight=8 --mode=roundtrip", "--peers", "--micro")) {
            CommandLine line = new CommandLine(new BenchCommand()).setErr(new PrintWriter(new StringWriter()));
            assertThat(line.execute(argument.split(" "))).as(argument).isEqualTo(2);
        }
    }

    @AtFullScale
    @Test
    void shouldShowColumnsOfConnectionsOnlyIfTheyWereAskedFor() {
        String plain = run("--quick", "--sizes", "64", "--mode", "stream");
        assertThat(plain).doesNotContain("RAW msg/s", "with wait spin");
        String all = run("--quick", "--sizes", "64", "--connection", "--mode", "stream");
        assertThat(all).contains("RAW msg/s", "STREAM msg/s").contains("– not measured with wait spin: the loops");
    }

    private static String run(String... arguments) {
        PrintStream stdout = System.out;
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        System.setOut(new PrintStream(bytes, true, StandardCharsets.UTF_8));
        try {
            assertThat(new CommandLine(new BenchCommand()).execute(arguments)).isZero();
        } finally {
            System.setOut(stdout);
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }
}
