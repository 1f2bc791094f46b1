// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * What {@code ./netio test} tells of the reports it finds, how {@code ./netio test --rdma} shares out its suites, and the
 * options of {@code ./netio spring}.
 */
@Timeout(180)
class LauncherScriptsTest {
    private static final Path SCRIPTS = Path.of("../../tck-tests/launcher").toAbsolutePath().normalize();
    private static final String FAILING = """
            <?xml version="1.0" encoding="UTF-8"?>
            <testsuite version="3.0" name="a.BrokenTest" time="1.5" tests="4" errors="1" skipped="1" failures="1" flakes="0">
              <testcase name="shouldHold" classname="a.BrokenTest" time="0.1"/>
              <testcase name="shouldWait" classname="a.BrokenTest" time="0.0">
                <skipped message="no time"/>
              </testcase>
              <testcase name="shouldAgree[2](libfabric/tcp PAGE)" classname="a.BrokenTest" time="0.2">
                <failure message="expected: &lt;1&gt;&#10;but: &quot;2&quot; &amp;amp; more" type="java.lang.AssertionError">\
            at a</failure>
              </testcase>
              <testcase name="shouldNotThrow" classname="a.BrokenTest" time="0.3">
                <error type="java.lang.IllegalStateException">at b</error>
              </testcase>
            </testsuite>
            """;
    private static final String PASSING = """
            <testsuite name="b.GoodTest" time="61.25" tests="2" errors="0" skipped="0" failures="0">
              <testcase name="one" classname="b.GoodTest" time="0.1"/>
              <testcase name="other" classname="b.GoodTest" time="0.1"/>
            </testsuite>
            """;
    /** Stands in for what runs a guest: notes the suite, and how many run at the moment. */
    private static final String RUN = """
            #!/usr/bin/env bash
            name=${!#}
            [ "$1" != --pair ] || name=link
            echo begin >>"$NOTES/$name"
            touch "$NOTES/running-$name"
            compgen -G "$NOTES/running-*" | wc -l >>"$NOTES/at-once"
            sleep 0.3
            rm "$NOTES/running-$name"
            echo "$name" >>"$NOTES/order"
            [ "$name" != kill ] || exit 3
            """;

    @TempDir
    Path directory;

    private record Outcome(int status, List<String> output) {
    }

    private static Outcome outcome(Process process) throws Exception {
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(120, TimeUnit.SECONDS)).isTrue();
        return new Outcome(process.exitValue(), output.lines().toList());
    }

    private Outcome report(String... reports) throws Exception {
        StringBuilder names = new StringBuilder();
        for (String report : reports) {
            names.append(Files.writeString(directory.resolve("TEST-" + names.length() + ".xml"), report)).append('\0');
        }
        Process process = new ProcessBuilder(SCRIPTS.resolve("report").toString()).redirectErrorStream(true)
                .redirectInput(Files.writeString(directory.resolve("names"), names).toFile()).start();
        return outcome(process);
    }

    private static String row(String suite, Object tests, Object failed, Object skipped, Object seconds) {
        return "%-72s %6s %7s %8s %9s".formatted(suite, tests, failed, skipped, seconds);
    }

    @Test
    void shouldHaveARowForEachSuiteAndSayWhatFailed() throws Exception {
        assertThat(report(FAILING, PASSING)).isEqualTo(new Outcome(0, List.of("",
                row("suite", "tests", "failed", "skipped", "seconds"),
                row("a.BrokenTest", 4, 2, 1, "1.5"),
                row("b.GoodTest", 2, 0, 0, "61.25"),
                row("2 suites", 6, 2, 1, ""),
                "",
                "failed: a.BrokenTest.shouldAgree[2](libfabric/tcp PAGE)",
                "    java.lang.AssertionError: expected: <1> but: \"2\" &amp; more",
                "failed: a.BrokenTest.shouldNotThrow",
                "    java.lang.IllegalStateException: ",
                "",
                "skipped:",
                "     1  no time",
                "3 passed, 2 failed, 1 skipped")));
    }

    @Test
    void shouldFailWhenNoTestRan() throws Exception {
        Outcome none = report();
        Outcome skipped = report("""
                <testsuite name="c.SkippedTest" time="0" tests="1" errors="0" skipped="1" failures="0">
                """);

        assertThat(none.status()).isEqualTo(1);
        assertThat(none.output()).endsWith(row("0 suites", 0, 0, 0, ""), "", "0 passed, 0 failed, 0 skipped");
        assertThat(skipped.status()).isEqualTo(1);
        assertThat(skipped.output()).endsWith("0 passed, 0 failed, 1 skipped");
    }

    @Test
    void shouldMakeAReportOfEachClassOfThatOfAnEngine() throws Exception {
        Path engine = Files.writeString(directory.resolve("engine.xml"), """
                <testsuite name="JUnit Jupiter" tests="3" skipped="1" failures="1" errors="0" time="9">
                <testcase name="shouldHold" classname="a.OneTest" time="0.25">
                </testcase>
                <testcase name="shouldBreak" classname="a.OtherTest" time="1">
                <failure message="no" type="E"/>
                </testcase>
                <testcase name="shouldSkip" classname="a.OneTest" time="0.25">
                <skipped/>
                </testcase>
                </testsuite>
                """);

        Outcome split = outcome(new ProcessBuilder("awk", "-v", "folder=" + directory, "-v", "label=2.6.0 tck ", "-f",
                SCRIPTS.resolve("split-report.awk").toString(), engine.toString()).redirectErrorStream(true).start());

        assertThat(split).isEqualTo(new Outcome(0, List.of()));
        assertThat(report(Files.readString(directory.resolve("TEST-a.OneTest.xml")),
                Files.readString(directory.resolve("TEST-a.OtherTest.xml"))).output()).contains(
                        row("2.6.0 tck a.OneTest", 2, 0, 1, "0.500"), row("2.6.0 tck a.OtherTest", 1, 1, 0, "1.000"),
                        "failed: 2.6.0 tck a.OtherTest.shouldBreak");
    }

    @Test
    void shouldSayHowTestsAndDocumentsAreMade() throws Exception {
        String launcher = SCRIPTS.resolve("../../netio").normalize().toString();

        Outcome tests = outcome(new ProcessBuilder(launcher, "test", "--help").redirectErrorStream(true).start());
        Outcome documents = outcome(new ProcessBuilder(launcher, "docs", "--help").redirectErrorStream(true).start());
        Outcome wrong = outcome(new ProcessBuilder(launcher, "docs", "--unknown").redirectErrorStream(true).start());

        assertThat(tests.status()).isZero();
        assertThat(tests.output()).anyMatch(line -> line.startsWith("  --fast "));
        assertThat(documents.status()).isZero();
        assertThat(documents.output().getFirst()).isEqualTo("usage: netio docs [--serve [PORT]]");
        assertThat(wrong).isEqualTo(new Outcome(2, documents.output()));
    }

    private Outcome guests(String... suites) throws Exception {
        Path guest = Files.createDirectories(directory.resolve("tck-tests/guest"));
        Files.createDirectories(directory.resolve("state/rdma"));
        assertThat(Files.writeString(guest.resolve("run"), RUN).toFile().setExecutable(true)).isTrue();
        ProcessBuilder builder = new ProcessBuilder("bash", "-c", """
                set -euo pipefail
                here=$1 state=$1/state
                say() { printf '%s\\n' "$*"; }
                . "$2/guests"
                guests_at_once() { echo 2; }
                shift 2
                run_suites_in_guests "$@"
                """, "guests", directory.toString(), SCRIPTS.toString());
        builder.command().addAll(Arrays.asList(suites));
        builder.environment().put("NOTES", directory.toString());
        return outcome(builder.redirectErrorStream(true).start());
    }

    private List<String> notes(String file) throws IOException {
        return Files.readAllLines(directory.resolve(file)).stream().map(String::strip).collect(Collectors.toList());
    }

    @Test
    void shouldRunEachSuiteInAGuestOfItsOwnAndTheLinkAlone() throws Exception {
        assertThat(guests()).isEqualTo(new Outcome(1, List.of("suite link, in two guests …", "suite kill failed, status 3")));

        assertThat(notes("order")).containsExactlyInAnyOrder("transfer", "tck", "backend", "kill", "demo", "connection", "auto",
                "spring", "link").endsWith("link");
        assertThat(notes("at-once")).contains("2").doesNotContain("3").last().isEqualTo("1");
    }

    @Test
    void shouldRunTheSuitesThatAreNamedAndSucceedWithThem() throws Exception {
        assertThat(guests("tck", "demo")).isEqualTo(new Outcome(0, List.of()));
        assertThat(notes("order")).containsExactlyInAnyOrder("tck", "demo");
    }

    private static Outcome spring(String... options) throws Exception {
        ProcessBuilder builder = new ProcessBuilder("bash", "-c", """
                set -euo pipefail
                say() { printf '%s\\n' "$*"; }
                . "$0"
                spring_options "$@"
                [ ${#spring[@]} -eq 0 ] || printf '%s\\n' "${spring[@]}"
                """, SCRIPTS.resolve("../../examples/spring-detector/launcher").toString());
        builder.command().addAll(Arrays.asList(options));
        return outcome(builder.redirectErrorStream(true).start());
    }

    @Test
    void shouldCallTheOptionsOfTheSpringExampleWhatSpringBootDoes() throws Exception {
        assertThat(spring()).isEqualTo(new Outcome(0, List.of()));
        assertThat(spring("--port", "0", "--backend=libfabric", "--rate", "10", "--address=::1")).isEqualTo(new Outcome(0,
                List.of("--server.port=0", "--netio.backend=libfabric", "--detector.rate=10", "--server.address=::1")));
        assertThat(spring("--port")).isEqualTo(new Outcome(2, List.of("--port needs a value (see: netio spring --help)")));
        assertThat(spring("--prot=1")).isEqualTo(new Outcome(2,
                List.of("no such option of netio spring: --prot=1 (see: netio spring --help)")));
        assertThat(spring("--rate", "1", "--help").output()).first().asString().startsWith("Usage: netio spring ");
    }

    /** What is not in the order of the scheduler would never run in a guest. */
    @Test
    void shouldKnowTheSuitesThatAreThere() throws Exception {
        Outcome known = outcome(new ProcessBuilder("bash", "-c", ". \"$1/guests\"; echo $rdma_suites", "guests",
                SCRIPTS.toString()).start());
        String suites = Files.readString(SCRIPTS.resolveSibling("guest/suites"));

        List<String> there = suites.lines().filter(line -> line.startsWith("suite ")).map(line -> line.split(" ")[1]).toList();
        assertThat(there).isNotEmpty();
        assertThat(known.output().getFirst().split(" ")).contains("link").containsAll(there).hasSize(there.size() + 1);
    }

    @Test
    void shouldSayHowToRunTestsWithoutRunningAny() throws Exception {
        for (String asked : List.of("-h", "--help")) {
            Outcome help = outcome(new ProcessBuilder("bash", "-c", "here=$1; . \"$2/tests\"; run_chosen_tests \"$3\"", "tests",
                    SCRIPTS.resolve("../..").toString(), SCRIPTS.toString(), asked).redirectErrorStream(true).start());
            assertThat(help.status()).as("%s", help.output()).isZero();
            assertThat(help.output()).contains("usage: netio test [MAVEN ARG…]");
        }
    }
}
