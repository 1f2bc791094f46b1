// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.peers;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** What the command takes, and what the documents say that it takes. */
class PeersCommandTest {
    private static final Path DOCUMENTS = Path.of("../../docs");
    private static final Pattern LINE = Pattern.compile("\\./netio bench --peers([^`#\n]*)");
    private static final Pattern OPTION = Pattern.compile("--[a-z-]+");

    @Test
    void shouldTakeTheOptionsThatTheDocumentsShow() throws IOException {
        List<String> shown = new ArrayList<>();
        try (Stream<Path> files = Files.list(DOCUMENTS)) {
            for (Path file : files.filter(file -> file.toString().endsWith(".md")).toList()) {
                LINE.matcher(Files.readString(file)).results().map(line -> line.group(1)).flatMap(options ->
                        OPTION.matcher(options).results().map(MatchResult::group)).forEach(shown::add);
            }
        }
        CommandLine command = new CommandLine(new PeersCommand());
        assertThat(shown).contains("--quick").allSatisfy(option ->
                assertThat(command.getCommandSpec().findOption(option)).as(option).isNotNull());
    }

    @Test
    void shouldRefuseWhatItCannotDo() {
        assertThat(refused("--sizes", "7")).contains("--sizes", "8");
        assertThat(refused("--rounds", "0")).contains("--rounds");
        assertThat(refused("--seconds", "0")).contains("--seconds");
        assertThat(refused("--mode", "both")).contains("--mode both");
        assertThat(refused("--only", "nothing like that")).contains("--only nothing like that");
        assertThat(refused("--sizes", "many")).contains("many");
    }

    private static String refused(String... arguments) {
        StringWriter err = new StringWriter();
        int code = new CommandLine(new PeersCommand()).setErr(new PrintWriter(err)).execute(arguments);
        assertThat(code).isEqualTo(CommandLine.ExitCode.USAGE);
        return err.toString();
    }
}
