// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.detector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.http.HttpStatus;

/** The application reads out the program that stands in the README of the end in C. Skipped where there is no gcc. */
@Timeout(300)
class CDetectorTest {
    private static final Path SOURCES = Path.of("../clients/c").toAbsolutePath().normalize();
    private static final Pattern PROGRAM = Pattern.compile("```c\n(.*?int main.*?)```", Pattern.DOTALL);
    private static final Pattern LISTENING = Pattern.compile("listening on port (\\d+)");

    @TempDir
    private Path directory;

    /** Compiles it. */
    private Path program() throws IOException, InterruptedException {
        Matcher program = PROGRAM.matcher(Files.readString(SOURCES.resolve("README.md")));
        assertThat(program.find()).isTrue();
        Files.writeString(directory.resolve("detector.c"), program.group(1));
        Path executable = directory.resolve("detector");
        Process gcc;
        try {
            gcc = new ProcessBuilder("gcc", "-std=gnu11", "-O2", "-I", SOURCES.toString(), "-o", executable.toString(),
                    directory.resolve("detector.c").toString(), SOURCES.resolve("netio.c").toString()).inheritIO().start();
        } catch (IOException e) {
            assumeTrue(false, "needs a C compiler: apt install gcc libc6-dev");
            throw e;
        }
        assertThat(gcc.waitFor(2, TimeUnit.MINUTES)).isTrue();
        assertThat(gcc.exitValue()).isZero();
        return executable;
    }

    private static int port(BufferedReader lines) throws IOException {
        Matcher line = LISTENING.matcher(String.valueOf(lines.readLine()));
        assertThat(line.matches()).isTrue();
        return Integer.parseInt(line.group(1));
    }

    @Test
    void shouldBuildEventsOfADetectorInC() throws Exception {
        Process detector = new ProcessBuilder(program().toString(), "0").start();
        try (BufferedReader lines = detector.inputReader();
                RunningApplication application = RunningApplication.start("--detector.port=" + port(lines))) {
            Sample sample = application.await("events", now -> now.events().complete() > 500);
            assertThat(sample.links()).hasSize(Fragment.LINKS).allMatch(link -> link.received() >= 500);
            assertThat(sample.hits()).filteredOn(hits -> hits > 0).as("channels of all links").hasSizeGreaterThan(400);
            assertThat(sample.source().simulated()).isFalse();
            assertThat(application.post("detector/kill")).isEqualTo(HttpStatus.CONFLICT);
        } finally {
            detector.destroyForcibly();
        }
    }
}
