// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.outside;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.testing.AtFullScale;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The applications of docs/spring.md, outside of the repository: built with the starter and run as a user would. */
@Timeout(300)
class OutsideTest {
    private static final String PAGE = "docs/spring.md";
    private static final Pattern LINES = Pattern.compile("That is (\\d+) lines for both sides");

    @TempDir
    private Path folder;

    private void write(Map<String, String> files, int port) throws IOException {
        for (Map.Entry<String, String> file : files.entrySet()) {
            Path path = folder.resolve(file.getKey());
            Files.createDirectories(path.getParent());
            Files.writeString(path, file.getValue().replace("7000", Integer.toString(port)));
        }
        for (String name : List.of("detector", "readout")) {
            Files.writeString(folder.resolve(name).resolve("pom.xml"), Pages.pom(name));
        }
        Files.writeString(folder.resolve("pom.xml"), """
                <project xmlns="http://maven.apache.org/POM/4.0.0">
                  <modelVersion>4.0.0</modelVersion>
                  <groupId>com.example</groupId>
                  <artifactId>both</artifactId>
                  <version>1</version>
                  <packaging>pom</packaging>
                  <modules>
                    <module>detector</module>
                    <module>readout</module>
                  </modules>
                </project>
                """);
    }

    private void build() throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(System.getProperty("netio.test.maven") + "/bin/mvn", "-B", "-ntp", "-q",
                "-T", "2"));
        if (System.getProperty("netio.test.offline").endsWith("true")) {
            command.add("-o");
        }
        command.addAll(new Repository(Pages.ROOT, folder.resolve("repository")).options());
        command.add("package");
        try (Running maven = Running.start(folder, command.toArray(String[]::new))) {
            assertThat(maven.status()).as(maven.said()).isZero();
        }
    }

    private Running run(String name) throws IOException {
        return Running.start(folder, System.getProperty("java.home") + "/bin/java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC",
                "-jar", name + "/target/" + name + "-1.jar");
    }

    @AtFullScale
    @Test
    void shouldReceiveATagAndAnAnswerWithWhatThePageShows() throws IOException, InterruptedException {
        Map<String, String> files = Pages.files(PAGE);
        assertThat(files).containsOnlyKeys("detector/src/main/java/com/example/Detector.java",
                "detector/src/main/resources/application.yaml", "readout/src/main/java/com/example/Readout.java",
                "readout/src/main/resources/application.yaml");
        write(files, Running.freePort());
        build();
        try (Running detector = run("detector")) {
            detector.await("netio.server listens on");
            try (Running readout = run("readout")) {
                readout.await("got hit", "the threshold is 42");
                readout.terminate();
                assertThat(readout.status()).as("SIGTERM").isEqualTo(143);
                assertThat(readout.said()).doesNotContain("WARNING", "native-access", "Exception");
                List<String> hits = readout.said().lines().filter(line -> line.startsWith("got hit ")).toList();
                long first = Long.parseLong(hits.getFirst().substring(8));
                for (int i = 0; i < hits.size(); i++) {
                    assertThat(hits.get(i)).as("in order, and each once").isEqualTo("got hit " + (first + i));
                }
            }
            detector.terminate();
            assertThat(detector.status()).as("SIGTERM").isEqualTo(143);
            assertThat(detector.said()).doesNotContain("WARNING", "native-access", "Exception");
        }
    }

    /** Whoever changes the applications counts again. */
    @Test
    void shouldSayHowManyLinesAUserWrites() throws IOException {
        long lines = Pages.files(PAGE).values().stream().flatMap(String::lines).filter(line -> !line.isBlank())
                .filter(line -> !line.startsWith("import ") && !line.startsWith("package ")).count();
        Matcher said = LINES.matcher(Pages.text(PAGE));
        assertThat(said.find()).isTrue();
        assertThat(Long.parseLong(said.group(1))).isEqualTo(lines);
    }
}
