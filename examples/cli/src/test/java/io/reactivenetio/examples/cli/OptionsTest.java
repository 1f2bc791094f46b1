// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.examples.Netio;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the help of each command offers, it accepts; and what it refuses, it does not offer. */
@Timeout(120)
class OptionsTest {
    @TempDir
    private Path directory;

    private record Outcome(int code, String out, String err) {
    }

    private static Outcome run(String... args) {
        PrintStream out = System.out;
        PrintStream err = System.err;
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        int code;
        try {
            System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
            System.setErr(new PrintStream(said, true, StandardCharsets.UTF_8));
            code = Netio.run(args);
        } finally {
            System.setOut(out);
            System.setErr(err);
        }
        return new Outcome(code, printed.toString(StandardCharsets.UTF_8), said.toString(StandardCharsets.UTF_8));
    }

    /** The help as one line. */
    private static String help(String command) {
        Outcome help = run(command, "--help");
        assertThat(help.code()).isZero();
        return help.out().replaceAll("\\s+", " ");
    }

    /** A whole command line to which options can be added, and which fails to connect for want of a peer. */
    private List<String> calling(String command) throws IOException {
        return command.equals("send")
                ? List.of("send", "--to", "127.0.0.1:1", TestFiles.create(directory, 10).toString())
                : List.of("subscribe", "--to", "127.0.0.1:1", "--tag", "7");
    }

    private Outcome calling(String command, String... more) throws IOException {
        return run(Stream.concat(calling(command).stream(), Stream.of(more)).toArray(String[]::new));
    }

    @ParameterizedTest
    @ValueSource(strings = {"publish", "subscribe"})
    void shouldOfferNoFramingWhereOnlyOneHasTags(String command) {
        assertThat(help(command)).doesNotContain("--framing").doesNotContain("raw").doesNotContain("recv");
    }

    @ParameterizedTest
    @ValueSource(strings = {"stream", "page", "raw"})
    void shouldAcceptTheFramingsThatAreOffered(String framing) throws IOException {
        assertThat(help("send")).contains(framing + ":");
        assertThat(help("recv")).contains(framing + ":");
        assertThat(calling("send", "--backend", "tcp", "--framing", framing).err()).contains("nobody listens");
    }

    @Test
    void shouldAcceptThePoliciesThatAreOffered() throws IOException {
        for (String policy : List.of("backpressure", "drop-newest", "drop-oldest", "error")) {
            assertThat(help("subscribe")).contains(policy);
            assertThat(help("publish")).contains(policy);
            assertThat(calling("subscribe", "--backend", "tcp", "--when-slow", policy).err()).contains("nobody listens");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"send", "subscribe"})
    void shouldSayThatPlainTcpHasNoProvider(String command) throws IOException {
        assertThat(help(command)).contains("Not with --backend tcp");
        Outcome refused = calling(command, "--backend", "tcp", "--provider", "verbs");
        assertThat(refused.code()).isEqualTo(2);
        assertThat(refused.err()).contains("--provider verbs is one of libfabric's");
        assertThat(calling(command, "--backend", "tcp").err()).contains("nobody listens");
    }

    @Test
    void shouldOfferMessagesOfTheSizeThatIsTaken() throws IOException {
        for (String command : List.of("send", "publish")) {
            assertThat(help(command)).contains(Integer.toString(TransferOptions.LARGEST_MESSAGE));
        }
        String most = Integer.toString(TransferOptions.LARGEST_MESSAGE);
        assertThat(calling("send", "--backend", "tcp", "--message-size", most).err()).contains("nobody listens");
        String more = Integer.toString(TransferOptions.LARGEST_MESSAGE + 1);
        assertThat(calling("send", "--backend", "tcp", "--message-size", more).code()).isEqualTo(2);
        assertThat(calling("send", "--backend", "tcp", "--framing", "raw", "--buffers", "1", "--message-size", more).err())
                .contains("nobody listens");
    }

    @ParameterizedTest
    @ValueSource(strings = {"recv", "subscribe"})
    void shouldSayThatJsonNeedsStdoutForItself(String command) {
        assertThat(help(command)).contains("cannot be --json");
    }

    /** Every option of every command says what it is for. */
    @Test
    void shouldDescribeEveryOption() {
        List<String> silent = new ArrayList<>();
        Netio.commands().forEach((name, command) -> command.getCommandSpec().options().stream()
                .filter(option -> option.description().length == 0).forEach(option -> silent.add(name + " " + option)));
        assertThat(silent).isEmpty();
    }

    @Test
    void shouldNameTheCommandsThatThereAre() {
        Outcome none = run();
        assertThat(none.code()).isEqualTo(2);
        assertThat(none.err()).doesNotContain("detector");
        Netio.commands().forEach((name, command) -> assertThat(none.err().contains(name))
                .as(name).isEqualTo(!command.getCommandSpec().usageMessage().hidden()));
    }

    /** What follows an option that is not there may be its value. */
    @Test
    void shouldNameTheOptionThatIsNotThere() {
        assertThat(run("recv", "--listen", "127.0.0.1:0", "--wat", "5").err())
                .isEqualToNormalizingNewlines("netio: no such command or option here: --wat (see: netio recv --help)\n");
        assertThat(run("recv", "--listen", "127.0.0.1:0", "wat").err()).contains("here: wat (see");
    }
}
