// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The faults that {@code src/test/mutations/run} puts back fit today's sources, and found.md beside them has each. */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class MutationsTest {
    private static final Path MODULE = Path.of("").toAbsolutePath();
    private static final Path TOP = MODULE.resolve("../..").normalize();
    private static final String SOURCES = "+++ b/";

    static Stream<Path> patches() throws IOException {
        try (Stream<Path> files = Files.list(MODULE.resolve("src/test/mutations"))) {
            return files.filter(file -> file.toString().endsWith(".patch")).sorted().toList().stream();
        }
    }

    private static String name(Path patch) {
        return patch.getFileName().toString().replace(".patch", "");
    }

    @ParameterizedTest
    @MethodSource("patches")
    void shouldApply(Path patch, @TempDir Path folder) throws Exception {
        String text = Files.readString(patch);
        assertThat(text).as("%s says in its first line what it puts back, before the diff", patch.getFileName())
                .matches("(?s)[A-Za-z][^\n]*\n.*diff --git a/.*");
        for (String line : text.lines().filter(each -> each.startsWith(SOURCES)).toList()) {
            Path source = Path.of(line.substring(SOURCES.length()).strip());
            Files.createDirectories(folder.resolve(source).getParent());
            Files.copy(TOP.resolve(source), folder.resolve(source));
        }
        ProcessBuilder git = new ProcessBuilder("git", "apply", "--check", patch.toString()).directory(folder.toFile())
                .redirectErrorStream(true);
        git.environment().put("GIT_CEILING_DIRECTORIES", folder.getParent().toString()); // no repository, or it looks there
        Process process = git.start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as("%s does not apply to the sources as they are now. Put the fault back by hand, write"
                + " `git diff` into it below the lines that say what it is, and see that src/test/mutations/run %s finds it."
                + "%n%s", patch.getFileName(), name(patch), said).isZero();
    }

    @ParameterizedTest
    @MethodSource("patches")
    void shouldBeInTheTable(Path patch) throws IOException {
        Path found = TOP.resolve("reactive-netio/core/src/test/mutations/found.md");
        assertThat(Files.readString(found).contains("| " + name(patch) + " |"))
                .as("found.md has a row for %s, which src/test/mutations/run prints", name(patch)).isTrue();
    }
}
