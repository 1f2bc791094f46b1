// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.benchmarks.MicroCommand;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** What the documents name is there: pages and headings, tests, commands with their options, settings. */
class DocumentsTest {
    private static final Path ROOT = Path.of("../..").toAbsolutePath().normalize();
    private static final Pattern LINK = Pattern.compile("]\\((?!https?:)([^)#]*)(?:#([^)]*))?\\)");
    private static final Pattern TEST = Pattern.compile("\\b([A-Z]\\w*Test)\\b|\\b(should[A-Z]\\w*)");
    private static final Pattern COMMAND_LINE = Pattern.compile("(?m)(?:^ {4}|`|-- )\\./netio ([^`#\n]+)");
    private static final Pattern INSTALLED = Pattern.compile("(?<![./\\w])netio ((?:send|recv|publish|subscribe) --[^`&|\n]+)");
    private static final Pattern PROPERTY = Pattern.compile("-D((?:io\\.reactivenetio|netio)\\.[A-Za-z.]*[A-Za-z])");
    private static final Pattern SETTING = Pattern.compile(
            "(?:getProperty|getInteger|getBoolean|getLong|getenv)\\(\"((?:io\\.reactivenetio|netio|NETIO)[^\"]+)\"");
    private static final Pattern BLOCK = Pattern.compile("(?ms)^```.*?^```$");
    private static final Pattern PAGE = Pattern.compile("\\bdocs/([a-z-]+\\.md)\\b");
    private static final List<String> PLACEHOLDERS = List.of("NameTest", "TckTest", "shouldX");
    /** The launcher's own commands. */
    private static final List<String> LAUNCHER = List.of("test", "rdma", "spring", "docs", "bridge", "record", "replay",
            "cluster-demo", "event-page", "image-series", "package", "soak");

    /** Every document's text by its path. */
    private static Map<Path, String> documents() throws IOException {
        Map<Path, String> texts = new TreeMap<>();
        for (Path folder : List.of(ROOT, ROOT.resolve("docs"), ROOT.resolve(".github"))) {
            try (Stream<Path> files = Files.list(folder)) {
                files.filter(file -> file.toString().endsWith(".md")).forEach(file -> texts.put(file, read(file)));
            }
        }
        assertThat(texts).hasSizeGreaterThan(8);
        return texts;
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** All sources whose path is {@code wanted}, one after the other. */
    private static String sources(Predicate<String> wanted) throws IOException {
        StringBuilder all = new StringBuilder();
        for (String folder : List.of("transport-native", "reactive-netio", "examples", "tck-tests")) {
            try (Stream<Path> files = Files.walk(ROOT.resolve(folder))) {
                files.filter(file -> wanted.test(file.toString()) && Files.isRegularFile(file))
                        .forEach(file -> all.append(file.getFileName()).append('\n').append(read(file)).append('\n'));
            }
        }
        return all.toString();
    }

    /** What {@code problem} says, if anything, of each match in each document, with the document's name. */
    private static List<String> problems(Pattern pattern, Function<MatchResult, String> problem) throws IOException {
        List<String> found = new ArrayList<>();
        documents().forEach((file, text) -> pattern.matcher(text).results().map(problem).filter(p -> !p.isEmpty())
                .forEach(p -> found.add(file.getFileName() + ": " + p)));
        return found;
    }

    @Test
    void shouldLinkToWhatIsThere() throws IOException {
        List<String> broken = new ArrayList<>();
        documents().forEach((file, text) -> LINK.matcher(text).results().forEach(link -> {
            Path target = link.group(1).isEmpty() ? file : file.resolveSibling(link.group(1)).normalize();
            String anchor = link.group(2);
            if (!Files.exists(target) || anchor != null && !anchors(read(target)).contains(anchor)) {
                broken.add(file.getFileName() + ": " + link.group());
            }
        }));
        assertThat(broken).isEmpty();
    }

    /** As GitHub makes them of headings. What begins with # in a block of code is none. */
    private static List<String> anchors(String text) {
        return BLOCK.matcher(text).replaceAll("").lines().filter(line -> line.startsWith("#"))
                .map(line -> line.replaceFirst("^#+ ", "").toLowerCase(Locale.ROOT))
                .map(heading -> heading.replaceAll("[^\\w\\- ]", "").replace(' ', '-')).toList();
    }

    @Test
    void shouldHaveAListOfAllPages() throws IOException {
        String list = read(ROOT.resolve("docs/README.md"));
        try (Stream<Path> pages = Files.list(ROOT.resolve("docs"))) {
            assertThat(pages.map(page -> page.getFileName().toString())
                    .filter(page -> page.endsWith(".md") && !page.equals("README.md") && !list.contains("](" + page + ")")))
                    .isEmpty();
        }
    }

    /** Javadoc, comments, scripts and messages name pages, too. */
    @Test
    void shouldHaveThePagesThatTheSourcesName() throws IOException {
        String sources = sources(file -> file.matches(".*\\.(java|xml|c)|.*/launcher/.*") && !file.contains("/target/"));
        assertThat(PAGE.matcher(sources).results().map(page -> page.group(1)).distinct()
                .filter(page -> !Files.exists(ROOT.resolve("docs").resolve(page)))).isEmpty();
    }

    @Test
    void shouldHaveAnEditorconfigThatAgreesWithCheckstyle() {
        String editors = read(ROOT.resolve(".editorconfig"));
        String checkstyle = read(ROOT.resolve(".mvn/checkstyle.xml")).replaceAll("\\s+", " ");
        assertThat(editors).contains("max_line_length = 130", "indent_size = 4", "end_of_line = lf", "indent_style = space",
                "trim_trailing_whitespace = true", "insert_final_newline = true");
        assertThat(checkstyle).contains("<module name=\"LineLength\"> <property name=\"max\" value=\"130\"/>",
                "<property name=\"basicOffset\" value=\"4\"/>", "<property name=\"lineSeparator\" value=\"lf\"/>",
                "FileTabCharacter", "NewlineAtEndOfFile", "AvoidStarImport", "NeedBraces");
    }

    /** A class that is no longer there would be left out of nothing. */
    @Test
    void shouldLeaveOutSlowTestsThatAreThere() throws IOException {
        String tests = sources(file -> file.endsWith("Test.java"));
        assertThat(read(ROOT.resolve("tck-tests/launcher/slow")).lines()
                .filter(line -> !line.startsWith("#") && !line.endsWith("/**"))
                .map(line -> line.replaceAll(".*/|\\.java", "")).filter(name -> !tests.contains("class " + name + " ")))
                .isEmpty();
    }

    @Test
    void shouldNameTestsThatAreThere() throws IOException {
        String tests = sources(file -> file.endsWith("Test.java") || file.contains("tck-tests/guest"));
        assertThat(problems(TEST, name -> PLACEHOLDERS.contains(name.group())
                || tests.contains(name.group(2) == null ? "class " + name.group() + " " : name.group()) ? "" : name.group()))
                .isEmpty();
    }

    private static Map<String, CommandLine> commands() {
        return Arrays.stream(Netio.class.getAnnotation(Command.class).subcommands())
                .collect(Collectors.toMap(type -> type.getAnnotation(Command.class).name(), CommandLine::new));
    }

    /** Whether the command has these options. What follows {@code --} is another's. */
    private static boolean hasOptions(CommandLine command, List<String> words) {
        return words.stream().takeWhile(word -> !word.equals("--"))
                .filter(word -> word.startsWith("--") && !word.matches("--help|--verbose|--micro"))
                .allMatch(option -> command.getCommandSpec().findOption(option) != null);
    }

    @Test
    void shouldShowCommandsAndOptionsThatAreThere() throws IOException {
        Map<String, CommandLine> commands = commands();
        assertThat(problems(COMMAND_LINE, line -> {
            List<String> words = Arrays.stream(line.group(1).strip().split("[\\s\\[\\]]+")).toList();
            if (words.contains("--peers")) {
                return ""; // a command of another module, which looks for itself
            }
            CommandLine command = words.contains("--micro") ? new CommandLine(new MicroCommand())
                    : commands.get(words.getFirst());
            if (command == null) {
                return LAUNCHER.contains(words.getFirst()) || words.getFirst().matches("--help|--version|COMMAND")
                        ? "" : line.group();
            }
            return hasOptions(command, words) ? "" : line.group();
        })).isEmpty();
    }

    /** The manual page and the container have commands, too, of the netio that is installed. */
    @Test
    void shouldShowInstalledCommandsAndOptionsThatAreThere() {
        Map<String, CommandLine> commands = commands();
        for (String file : List.of("examples/cli/package/netio.1", "examples/cli/package/Containerfile", "docs/install.md")) {
            String text = read(ROOT.resolve(file)).replace("\\-", "-");
            List<String> wrong = new ArrayList<>();
            assertThat(INSTALLED.matcher(text).results().peek(line -> {
                List<String> words = Arrays.stream(line.group(1).split("\\s+")).toList();
                CommandLine command = commands.get(words.getFirst());
                if (command == null || !hasOptions(command, words)) {
                    wrong.add(line.group());
                }
            }).count()).as(file).isPositive();
            assertThat(wrong).as(file).isEmpty();
        }
    }

    @Test
    void shouldNameSettingsThatAreRead() throws IOException {
        String sources = sources(file -> file.endsWith(".java") || file.endsWith("pom.xml"));
        assertThat(problems(PROPERTY, name -> name.group(1).startsWith("netio.fi.")
                || sources.contains("\"" + name.group(1) + "\"") ? "" : name.group())).isEmpty();
    }

    @Test
    void shouldNameEverySettingOfTheLibrary() throws IOException {
        String documents = String.join("\n", documents().values());
        String library = sources(file -> file.contains("src/main") && !file.matches(".*/(examples|testing)/.*"));
        Set<String> settings = SETTING.matcher(library).results()
                .map(setting -> setting.group(1)).collect(Collectors.toSet());
        assertThat(settings).isNotEmpty().allMatch(documents::contains);
    }
}
