// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.stress;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;

/**
 * Runs the races of this module with jcstress, which repeats each of them some thousand times and reports every
 * outcome; a forbidden one fails this test. Short in the full run. At length, with all the compilers and an hour or so:
 * {@code ./mvnw verify -pl reactive-netio/stress -am -Dstress='-m default'}. The options are those of jcstress; {@code -t}
 * chooses tests. The report is in {@code target/jcstress}.
 */
class StressTest {
    /** One iteration in one JVM, compiled as it comes. */
    private static final String SHORT = "-f 1 -fsm 1 -sc false -iters 1 -time 200";
    private static final String OPTIONS = System.getProperty("stress", "");
    private static final Pattern RESULTS = Pattern.compile(
            "\\(Results: (?<planned>\\d+) planned; (?<passed>\\d+) passed, 0 failed, 0 soft errs, 0 hard errs\\)");
    private static final List<String> JVM = List.of("--enable-native-access=ALL-UNNAMED", "-Dio.reactivenetio.leaseSampling=0",
            "-Dorg.slf4j.simpleLogger.defaultLogLevel=off");

    static boolean isWanted() {
        return !OPTIONS.isBlank() || "1".equals(System.getProperty("netio.test.scale"));
    }

    @Test
    @EnabledIf(value = "isWanted", disabledReason = "left to the full run: ./netio test -Dnetio.test.scale=1")
    void shouldSeeNoForbiddenOutcome() throws Exception {
        Path directory = Files.createDirectories(Path.of("target", "jcstress"));
        Path log = directory.resolve("log.txt");
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(JVM);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), "org.openjdk.jcstress.Main", "-af", "NONE",
                "-strideSize", "64", "-strideCount", "4", "-r", "results", "-v",
                OPTIONS.isBlank() ? "-jvmArgs" : "-jvmArgsPrepend", String.join(" ", JVM)));
        command.addAll(Arrays.asList((OPTIONS.isBlank() ? SHORT : OPTIONS).trim().split("\\s+")));
        Process jcstress = new ProcessBuilder(command).directory(directory.toFile()).redirectErrorStream(true)
                .redirectOutput(log.toFile()).start();
        try {
            assertThat(jcstress.waitFor(OPTIONS.isBlank() ? 20 : 600, TimeUnit.MINUTES)).as("it ends; see " + log).isTrue();
        } finally {
            jcstress.descendants().forEach(ProcessHandle::destroyForcibly);
            jcstress.destroyForcibly();
        }
        check(jcstress.exitValue(), Files.readString(log), OPTIONS.isBlank());
    }

    private static void check(int code, String log, boolean all) throws IOException {
        assertThat(code).as(log).isZero();
        Matcher last = RESULTS.matcher(log.substring(log.lastIndexOf("(Results: ")));
        assertThat(last.lookingAt()).as(log).isTrue();
        assertThat(last.group("passed")).as(log).isEqualTo(last.group("planned")).isNotEqualTo("0");
        if (all) {
            assertThat(last.group("passed")).as(log).isEqualTo(String.valueOf(races()));
        }
    }

    /** How many there are: if one is skipped, that is not to pass unnoticed. */
    private static long races() throws IOException {
        try (Stream<Path> sources = Files.walk(Path.of("src", "test", "java"))) {
            return sources.filter(file -> file.toString().endsWith("Stress.java")).mapToLong(StressTest::racesIn).sum();
        }
    }

    private static long racesIn(Path source) {
        try (Stream<String> lines = Files.lines(source)) {
            return lines.filter(line -> line.strip().equals("@JCStressTest")).count();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
