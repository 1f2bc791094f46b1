// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Every warning of the library is on a page, as a rule docs/operations.md. What the pages quote is in the code. */
class OperationsPagesTest {
    private static final Path ROOT = Path.of("../..").toAbsolutePath().normalize();
    private static final Pattern ROW = Pattern.compile("(?m)^\\| (`.*|….*?`.*)$");
    private static final Pattern QUOTED = Pattern.compile("`([^`]+)`");
    private static final Pattern METER = Pattern.compile("`(netio\\.[a-z]+\\.[a-z.]+|netio\\.(?:requests|credits|connections))`");
    private static final Pattern CONCATENATION = Pattern.compile("\"\\s*\\+\\s*\"");
    private static final Pattern LOGGED = Pattern.compile(
            "(?:LOG|REFUSED)\\s*\\.(?:warn|error|atLevel\\([^;]*?\\)\\s*\\.log)\\(\\s*\"((?:[^\"\\\\]|\\\\.)*)\"");
    /** What the kernel, the JVM and Reactor say. */
    private static final List<String> FOREIGN = List.of("Address already in use", "Cannot assign requested address",
            "PKIX path building failed", "No subject alternative names matching", "certificate_required",
            "Connection refused", "Protocol not available", "Cannot allocate memory (12)",
            "WARNING: A restricted method in java.lang.foreign", "IllegalCallerException", "UnsupportedClassVersionError",
            "block()/blockFirst()/blockLast() are blocking, which is not supported in thread");
    private static final int SHORTEST = 4;

    private static String library = "";
    private static String operations = "";
    private static String troubleshooting = "";

    @BeforeAll
    static void read() throws IOException {
        StringBuilder all = new StringBuilder();
        for (String folder : List.of("transport-native", "reactive-netio")) {
            try (Stream<Path> files = Files.walk(ROOT.resolve(folder))) {
                files.filter(file -> file.toString().contains("src/main/java") && file.toString().endsWith(".java"))
                        .forEach(file -> all.append(read(file)).append('\n'));
            }
        }
        library = CONCATENATION.matcher(all).replaceAll("");
        operations = read(ROOT.resolve("docs/operations.md"));
        troubleshooting = read(ROOT.resolve("docs/troubleshooting.md"));
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** What stands between the places of values, {@code …} in the documents and {@code {}} in the code. */
    private static List<String> fragments(String text) {
        return Stream.of(text.split("…|\\{}")).map(String::strip).filter(part -> part.length() >= SHORTEST).toList();
    }

    @Test
    void shouldQuoteWhatTheLibrarySays() {
        List<String> unknown = new ArrayList<>();
        for (String page : List.of(operations, troubleshooting)) {
            List<String> quoted = ROW.matcher(page).results().map(row -> row.group(1).split(" \\| ")[0])
                    .flatMap(cell -> QUOTED.matcher(cell).results()).map(text -> text.group(1))
                    .filter(text -> !text.matches("netio\\.[a-z.]+")).toList();
            assertThat(quoted).hasSizeGreaterThan(20);
            quoted.stream().flatMap(text -> fragments(text).stream())
                    .filter(part -> !library.contains(part) && !FOREIGN.contains(part)).forEach(unknown::add);
        }
        assertThat(unknown).isEmpty();
    }

    @Test
    void shouldExplainEveryWarning() throws IOException {
        StringBuilder pages = new StringBuilder();
        try (Stream<Path> files = Files.list(ROOT.resolve("docs"))) {
            files.filter(file -> file.toString().endsWith(".md")).forEach(file -> pages.append(read(file)));
        }
        List<String> warnings = LOGGED.matcher(library).results().map(line -> line.group(1)).toList();
        assertThat(warnings).hasSizeGreaterThan(20);
        assertThat(warnings.stream().flatMap(text -> fragments(text).stream()).filter(part -> pages.indexOf(part) < 0))
                .isEmpty();
    }

    @Test
    void shouldNameMetersThatThereAre() {
        String guide = read(ROOT.resolve("docs/guide.md"));
        List<String> named = Stream.of("operations", "tuning", "troubleshooting")
                .map(page -> read(ROOT.resolve("docs/" + page + ".md")))
                .flatMap(page -> METER.matcher(page).results()).map((MatchResult meter) -> meter.group(1)).distinct()
                .filter(name -> !name.startsWith("netio.server") && !name.startsWith("netio.fi")
                        && !name.startsWith("netio.loops.")).toList(); // which are properties
        assertThat(named).hasSizeGreaterThan(15);
        assertThat(named.stream().filter(name -> !guide.contains("| `" + name + "` |")).collect(Collectors.toSet())).isEmpty();
    }
}
