// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.ladder;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class ReadmeTest {
    private static final Path README = Path.of("../../README.md");

    /** All but the choice of a backend, which is for {@code ./netio example --backend}. */
    @Test
    void shouldShowTheFirstExample() throws IOException {
        String source = Files.readString(Path.of("src/main/java/io/reactivenetio/examples/ladder/Hello.java"));
        String example = source.substring(source.indexOf("// docs\n") + 8, source.indexOf("        // docs end"))
                .replace(".backend(Backend.chosen())", "")
                .lines().map(line -> line.substring(Math.min(8, line.length()))).collect(Collectors.joining("\n"));
        assertThat(Files.readString(README)).contains("```java\n" + example + "\n```");
    }

    @Test
    void shouldNameEveryExample() throws IOException {
        String readme = Files.readString(README);
        assertThat(readme).contains("./netio example hello");
        assertThat(Ladder.all()).allMatch(example -> readme.contains("`" + example.name() + "`"));
    }
}
