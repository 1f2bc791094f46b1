// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.outside;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
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
    private static final Path ROOT = Path.of(System.getProperty("netio.test.root"));
    private static final Pattern FILE = Pattern.compile("```(?:java|yaml)\n(?://|#) (\\S+/\\S+)\n(.*?)```", Pattern.DOTALL);
    private static final Pattern LINES = Pattern.compile("That is (\\d+) lines for both sides");

    /** What a user writes beside the code: no more than the starter, and access to libfabric. */
    private static final String POM = """
            <project xmlns="http://maven.apache.org/POM/4.0.0">
              <modelVersion>4.0.0</modelVersion>
              <parent>
                <groupId>org.springframework.boot</groupId>
                <artifactId>spring-boot-starter-parent</artifactId>
                <version>4.1.0</version>
                <relativePath/>
              </parent>
              <groupId>com.example</groupId>
              <artifactId>@name@</artifactId>
              <version>1</version>
              <properties>
                <java.version>25</java.version>
              </properties>
              <dependencies>
                <dependency>
                  <groupId>io.reactivenetio</groupId>
                  <artifactId>reactive-netio-spring-boot-starter</artifactId>
                  <version>@version@</version>
                </dependency>
              </dependencies>
              <build>
                <plugins>
                  <plugin>
                    <groupId>org.apache.maven.plugins</groupId>
                    <artifactId>maven-jar-plugin</artifactId>
                    <configuration>
                      <archive>
                        <manifestEntries>
                          <Enable-Native-Access>ALL-UNNAMED</Enable-Native-Access>
                        </manifestEntries>
                      </archive>
                    </configuration>
                  </plugin>
                  <plugin>
                    <groupId>org.springframework.boot</groupId>
                    <artifactId>spring-boot-maven-plugin</artifactId>
                  </plugin>
                </plugins>
              </build>
            </project>
            """;

    @TempDir
    private Path folder;

    /** The files that the page shows, by their paths. */
    private static Map<String, String> shown() throws IOException {
        Map<String, String> files = new LinkedHashMap<>();
        for (Matcher file = FILE.matcher(page()); file.find();) {
            files.put(file.group(1), file.group(2));
        }
        return files;
    }

    private static String page() throws IOException {
        return Files.readString(ROOT.resolve("docs/spring.md"));
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private void write(Map<String, String> files, int port) throws IOException {
        for (Map.Entry<String, String> file : files.entrySet()) {
            Path path = folder.resolve(file.getKey());
            Files.createDirectories(path.getParent());
            Files.writeString(path, file.getValue().replace("7000", Integer.toString(port)));
        }
        for (String name : List.of("detector", "readout")) {
            Files.writeString(folder.resolve(name).resolve("pom.xml"), POM.replace("@name@", name)
                    .replace("@version@", Repository.VERSION));
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
        command.addAll(new Repository(ROOT, folder.resolve("repository")).options());
        command.add("package");
        try (Running maven = Running.start(folder, command.toArray(String[]::new))) {
            assertThat(maven.status()).as(maven.said()).isZero();
        }
    }

    private Running run(String name) throws IOException {
        return Running.start(folder, System.getProperty("java.home") + "/bin/java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC",
                "-jar", name + "/target/" + name + "-1.jar");
    }

    @Test
    void shouldReceiveATagAndAnAnswerWithWhatThePageShows() throws IOException, InterruptedException {
        Map<String, String> files = shown();
        assertThat(files).containsOnlyKeys("detector/src/main/java/com/example/Detector.java",
                "detector/src/main/resources/application.yaml", "readout/src/main/java/com/example/Readout.java",
                "readout/src/main/resources/application.yaml");
        write(files, freePort());
        build();
        try (Running detector = run("detector")) {
            detector.await("netio.server listens on");
            try (Running readout = run("readout")) {
                readout.await("got hit", "the threshold is 42");
                readout.terminate();
                assertThat(readout.status()).as("SIGTERM").isEqualTo(143);
                assertThat(readout.said()).doesNotContain("WARNING", "native", "Exception");
                List<String> hits = readout.said().lines().filter(line -> line.startsWith("got hit ")).toList();
                long first = Long.parseLong(hits.getFirst().substring(8));
                for (int i = 0; i < hits.size(); i++) {
                    assertThat(hits.get(i)).as("in order, and each once").isEqualTo("got hit " + (first + i));
                }
            }
            detector.terminate();
            assertThat(detector.status()).as("SIGTERM").isEqualTo(143);
            assertThat(detector.said()).doesNotContain("WARNING", "native", "Exception");
        }
    }

    /** Whoever changes the applications counts again. */
    @Test
    void shouldSayHowManyLinesAUserWrites() throws IOException {
        long lines = shown().values().stream().flatMap(String::lines).filter(line -> !line.isBlank())
                .filter(line -> !line.startsWith("import ") && !line.startsWith("package ")).count();
        Matcher said = LINES.matcher(page());
        assertThat(said.find()).isTrue();
        assertThat(Long.parseLong(said.group(1))).isEqualTo(lines);
    }
}
