// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.ladder;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.examples.ladder.Ladder.Example;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Each example prints what the file of its name in {@code printed} has, and says what it shows. */
@Timeout(300)
class LadderTest {
    private static final int MOST_LINES = 60;
    private static final Pattern JAVADOC = Pattern.compile("/\\*\\*\n((?: \\*.*\n)+) \\*/\npublic final class");
    private static final int LONGEST_SENTENCE = 200;
    private static final Pattern SENTENCE_END = Pattern.compile("[.!?](?= [A-Z]|$)");
    /** In what is printed: whatever differs from run to run. */
    private static final String ANYTHING = "…";

    static List<Example> examples() {
        return Ladder.all();
    }

    static Stream<Arguments> everywhere() {
        return Stream.of("tcp", "libfabric").flatMap(backend -> examples().stream()
                .map(example -> Arguments.of(example.name(), backend, example)));
    }

    private static String source(Example example) throws IOException {
        return Files.readString(Path.of("src/main/java", example.type().getName().replace('.', '/') + ".java"));
    }

    private static String printed(Example example) throws Exception {
        PrintStream before = System.out;
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        System.setOut(new PrintStream(bytes, true, StandardCharsets.UTF_8));
        try {
            example.main().run();
        } finally {
            System.setOut(before);
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }

    @ParameterizedTest(name = "{0} over {1}")
    @MethodSource("everywhere")
    void shouldPrintWhatItsFileHas(String name, String backend, Example example) throws Exception {
        String expected = Arrays.stream(Files.readString(Path.of("src/test/resources/printed", name + ".txt")).stripTrailing()
                .split(ANYTHING, -1)).map(Pattern::quote)
                .collect(Collectors.joining("[^\n]+"));
        System.setProperty(Backend.PROPERTY, backend);
        try {
            assertThat(printed(example).stripTrailing()).matches(expected);
        } finally {
            System.clearProperty(Backend.PROPERTY);
        }
    }

    @ParameterizedTest
    @MethodSource("examples")
    void shouldSayInAFewShortSentencesWhatOneSeesAndWhatToTry(Example example) throws IOException {
        var javadoc = JAVADOC.matcher(source(example));
        assertThat(javadoc.find()).isTrue();
        String words = javadoc.group(1).replaceAll("(?m)^ \\* ?", "").replaceAll("\\{@code\\s+([^}]*)}", "`$1`")
                .replaceAll("\\s+", " ").strip();
        assertThat(SENTENCE_END.matcher(words).results()).as(words).hasSizeBetween(3, 7);
        assertThat(words).contains(". Try ").doesNotContain(";");
        assertThat(SENTENCE_END.split(words)).as(words).allMatch(sentence -> sentence.length() < LONGEST_SENTENCE);
    }

    @ParameterizedTest
    @MethodSource("examples")
    void shouldBeShort(Example example) throws IOException {
        assertThat(source(example).lines().map(String::strip)
                .filter(line -> !line.isEmpty() && !line.matches("(//|/\\*|\\*|import |package ).*")))
                .hasSizeLessThanOrEqualTo(MOST_LINES);
    }

    @Test
    void shouldBeAllThatAreThere() throws IOException {
        try (Stream<Path> files = Files.list(Path.of("src/main/java/io/reactivenetio/examples/ladder"))) {
            List<String> mains = files.filter(file -> {
                try {
                    return Files.readString(file).contains("static void main(");
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }).map(file -> file.getFileName().toString().replace(".java", "")).toList();
            assertThat(mains).containsExactlyInAnyOrderElementsOf(
                    examples().stream().map(example -> example.type().getSimpleName()).toList());
        }
    }
}
