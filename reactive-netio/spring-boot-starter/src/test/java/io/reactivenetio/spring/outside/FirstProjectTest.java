// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.outside;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.testing.AtFullScale;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The programs of docs/first-project.md, with the commands that it prints. */
@Timeout(300)
class FirstProjectTest {
    private static final String PAGE = "docs/first-project.md";
    private static final String JARS = "\"$NETIO/examples/cli/target/app/*\"";
    private static final String JAVA = System.getProperty("java.home") + "/bin/java";

    @TempDir
    private Path folder;

    @BeforeEach
    void write() throws IOException {
        Map<String, String> files = Pages.files(PAGE);
        assertThat(files).containsOnlyKeys("Detector.java", "Readout.java", "readout/pom.xml",
                "readout/src/main/java/com/example/Readout.java", "readout/src/main/resources/application.yaml");
        String port = Integer.toString(Running.freePort());
        for (Map.Entry<String, String> file : files.entrySet()) {
            Path path = folder.resolve(file.getKey());
            Files.createDirectories(path.getParent());
            Files.writeString(path, file.getValue().replace("7000", port));
        }
        Files.writeString(folder.resolve("readout/pom.xml"), Pages.pom("readout"));
    }

    /** The command for this file as the page has it, with the jars of this test in place of those of the command line. */
    private Running program(String file) throws IOException {
        List<String> commands = Pages.commands(PAGE, "java --enable").stream().filter(line -> line.endsWith(" " + file)).toList();
        assertThat(commands).singleElement().asString().contains(JARS);
        List<String> words = new ArrayList<>(Arrays.asList(commands.getFirst().split(" ")));
        words.set(0, JAVA);
        words.set(words.indexOf(JARS), System.getProperty("java.class.path"));
        return Running.start(folder, words.toArray(String[]::new));
    }

    private void build() throws IOException, InterruptedException {
        assertThat(Pages.commands(PAGE, "mvn")).containsExactly("mvn -q -f readout/pom.xml package");
        List<String> command = new ArrayList<>(List.of(System.getProperty("netio.test.maven") + "/bin/mvn", "-B", "-ntp"));
        if (System.getProperty("netio.test.offline").endsWith("true")) {
            command.add("-o");
        }
        command.addAll(new Repository(Pages.ROOT, folder.resolve("repository")).options());
        command.addAll(List.of("-q", "-f", "readout/pom.xml", "package"));
        try (Running maven = Running.start(folder, command.toArray(String[]::new))) {
            assertThat(maven.status()).as(maven.said()).isZero();
        }
    }

    @AtFullScale
    @Test
    void shouldSendHitsFromOneFileToAnother() throws IOException, InterruptedException {
        try (Running detector = program("Detector.java")) {
            detector.await("publishing on port");
            try (Running one = program("Readout.java"); Running another = program("Readout.java")) {
                one.await("channel=3, charge=100]");
                another.await("channel=3, charge=100]");
                assertThat(one.said() + another.said()).doesNotContain("WARNING", "Exception");
                detector.terminate();
                assertThat(one.status()).isEqualTo(1);
                assertThat(one.said()).contains("NetioAbortedException", "the peer shuts down");
            }
            assertThat(detector.status()).as("SIGTERM").isEqualTo(143);
            assertThat(detector.said()).doesNotContain("WARNING", "Exception");
        }
    }

    @AtFullScale
    @Test
    void shouldReceiveTheHitsWithSpringBootAndAgainAfterARestart() throws IOException, InterruptedException {
        build();
        assertThat(Pages.commands(PAGE, "java -jar")).containsExactly("java -jar readout/target/readout-1.jar");
        try (Running readout = Running.start(folder, JAVA, "-jar", "readout/target/readout-1.jar")) {
            try (Running detector = program("Detector.java")) {
                detector.await("publishing on port");
                readout.await("is connected to", "got Hit[");
                assertThat(readout.said()).doesNotContain("WARNING");
            }
            readout.await("has lost its connection");
            int before = readout.said().length();
            try (Running detector = program("Detector.java")) {
                detector.await("publishing on port");
                readout.awaitFrom(before, "is connected to", "got Hit[");
            }
        }
    }
}
