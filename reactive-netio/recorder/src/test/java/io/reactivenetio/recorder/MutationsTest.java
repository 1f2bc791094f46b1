// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.recorder;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The faults that {@code src/test/mutations/run} puts back fit today's sources, and found.md beside them has each. */
class MutationsTest {
    private static final Path MODULE = Path.of("").toAbsolutePath();
    private static final Path TOP = MODULE.resolve("../..").normalize();
    private static final String SOURCES = "+++ b/";

    static Stream<Path> patches() throws IOException {
        try (Stream<Path> files = Files.list(MODULE.resolve("src/test/mutations"))) {
            return files.filter(file -> file.toString().endsWith(".patch")).sorted().toList().stream();
        }
    }

    @ParameterizedTest
    @MethodSource("patches")
    void shouldApplyAndBeInTheTable(Path patch, @TempDir Path folder) throws Exception {
        String name = patch.getFileName().toString().replace(".patch", "");
        for (String line : Files.readAllLines(patch).stream().filter(each -> each.startsWith(SOURCES)).toList()) {
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
                + "%n%s", patch.getFileName(), name, said).isZero();
        assertThat(Files.readString(TOP.resolve("reactive-netio/recorder/src/test/mutations/found.md")))
                .contains("| " + name + " |");
    }
}
