// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ReadmeTest {

    @Test
    void shouldShowTheExampleThatIsCompiledHere() throws IOException {
        String readme = Files.readString(Path.of("../../README.md"));
        String source = Files.readString(Path.of("src/main/java/io/reactivenetio/examples/FirstStream.java"));
        String example = source.substring(source.indexOf("// README\n") + 10, source.indexOf("        // README end"))
                .lines().map(line -> line.substring(Math.min(8, line.length()))).collect(Collectors.joining("\n"));
        assertThat(readme).contains("```java\n" + example + "\n```");
    }

    @Test
    void shouldPrintTenEvents() {
        PrintStream before = System.out;
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
        try {
            FirstStream.main();
        } finally {
            System.setOut(before);
        }
        assertThat(printed.toString(StandardCharsets.UTF_8).lines()).hasSize(10).startsWith("event 1").endsWith("event 10");
    }
}
