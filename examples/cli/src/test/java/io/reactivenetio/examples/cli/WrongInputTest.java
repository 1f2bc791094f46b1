// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.examples.Netio;
import io.reactivenetio.testing.TestSettings;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** One clear line on stderr for each mistake, and the documented exit code. */
@Timeout(300)
class WrongInputTest {
    private static final Map<String, String> NO_LIBFABRIC = Map.of("NETIO_LIBFABRIC", "/nonexistent/libfabric.so.1");
    private static final String LISTEN = "127.0.0.1:0";

    @TempDir
    private Path directory;

    private Path file() throws IOException {
        return TestFiles.create(directory, 1000);
    }

    private static void expect(int code, String text, String... args) {
        expect(code, text, Map.of(), args);
    }

    private static void expect(int code, String text, Map<String, String> environment, String... args) {
        try (NetioProcess netio = NetioProcess.start(List.of(), environment, args)) {
            assertRefused(code, text, netio.exitCode(), netio.out(), netio.err());
        }
    }

    private static void assertRefused(int code, String text, int exitCode, String out, String err) {
        assertThat(exitCode).as(err).isEqualTo(code);
        assertThat(out).isEmpty();
        assertThat(err.lines()).hasSize(1);
        assertThat(err).startsWith("netio: ").contains(text);
    }

    /** Expects a refusal without starting a process: for what is refused before anything is opened. */
    private static void refuse(int code, String text, String... args) {
        PrintStream out = System.out;
        PrintStream err = System.err;
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        int result;
        try {
            System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
            System.setErr(new PrintStream(said, true, StandardCharsets.UTF_8));
            result = Netio.run(args);
        } finally {
            System.setOut(out);
            System.setErr(err);
        }
        assertRefused(code, text, result, printed.toString(StandardCharsets.UTF_8), said.toString(StandardCharsets.UTF_8));
    }

    @Test
    void shouldRefuseUnknownProvider() throws IOException {
        expect(1, "provider 'nonsense' is not available", "recv", "--listen", LISTEN, "--provider", "nonsense");
        expect(1, "provider 'nonsense' is not available", "send", "--to", "127.0.0.1:1", "--provider", "nonsense",
                file().toString());
    }

    @Test
    void shouldRefuseTheProviderThatLibfabricHasRemoved() throws IOException {
        refuse(2, "use tcp", "recv", "--listen", LISTEN, "--provider", "sockets");
        refuse(2, "use tcp", "send", "--to", "127.0.0.1:1", "--provider", "sockets", file().toString());
    }

    @Test
    void shouldRefuseUnknownHost() throws IOException {
        expect(1, "cannot resolve host 'nowhere.invalid'", "recv", "--listen", "nowhere.invalid:0");
        expect(1, "cannot resolve host 'nowhere.invalid'", "send", "--to", "nowhere.invalid:7", file().toString());
    }

    @Test
    void shouldRefusePortInUse() {
        try (NetioProcess recv = NetioProcess.receiver()) {
            expect(1, "Address already in use", "recv", "--listen", recv.address());
        }
    }

    @Test
    void shouldSayThatNobodyListens() throws IOException {
        try (Socket reserved = NetioProcess.reservedPort()) {
            String address = TestSettings.ADDRESS + ":" + reserved.getLocalPort();
            expect(1, "nobody listens on " + address, "send", "--to", address, file().toString());
        }
    }

    @Test
    void shouldSayWhatToInstallWithoutLibfabric() throws IOException {
        expect(1, "apt install libfabric1", NO_LIBFABRIC, "recv", "--listen", LISTEN);
        expect(1, "apt install libfabric1", NO_LIBFABRIC, "send", "--to", "127.0.0.1:1", file().toString());
    }

    @Test
    void shouldRefuseMessagesLargerThanSendBuffers() throws IOException {
        refuse(2, "--message-size 5000 does not fit --buffer-size 4096", "send", "--to", "127.0.0.1:1", "--message-size", "5000",
                "--buffer-size", "4096", "--framing", "raw", file().toString());
        refuse(2, "--buffer-size must be at least 1024 with stream framing: 1000", "send", "--to", "127.0.0.1:1",
                "--buffer-size", "1000", file().toString());
    }

    @Test
    void shouldFailOnBothSidesWhenMessagesExceedReceiveBuffers() throws IOException {
        try (NetioProcess recv = NetioProcess.receiver("--framing", "raw", "--buffer-size", "100");
                NetioProcess send = NetioProcess.start("send", "--framing", "raw", "--to", recv.address(), file().toString())) {
            assertThat(recv.exitCode()).isEqualTo(1);
            assertThat(recv.problems()).hasSize(1);
            assertThat(recv.problems().getFirst()).startsWith("netio: ").contains("100");
            assertThat(send.exitCode()).isEqualTo(1);
            assertThat(send.problems()).hasSize(1);
        }
    }

    @Test
    void shouldSayThatBothSidesNeedTheSameFraming() throws IOException {
        try (NetioProcess recv = NetioProcess.receiver("--framing", "raw")) {
            expect(1, "does not use STREAM framing; configure both sides alike", "send", "--to", recv.address(),
                    file().toString());
            recv.awaitProblem("WARN io.reactivenetio.refused - no RAW connection");
            assertThat(recv.isAlive()).isTrue();
        }
        for (String backend : List.of("libfabric", "tcp")) {
            try (NetioProcess recv = NetioProcess.receiver("--backend", backend)) {
                expect(1, recv.address(), "send", "--backend", backend, "--framing", "raw", "--to", recv.address(),
                        file().toString());
                recv.awaitProblem("WARN io.reactivenetio.refused - ");
                assertThat(recv.isAlive()).isTrue();
            }
        }
    }

    @Test
    void shouldRefuseUnreadableFile() {
        refuse(1, "cannot read /nonexistent/file: no such file", "send", "--to", "127.0.0.1:1", "/nonexistent/file");
        refuse(1, "it is a directory", "send", "--to", "127.0.0.1:1", directory.toString());
    }

    @Test
    void shouldRefuseUnwritableFile() {
        refuse(1, "cannot write /nonexistent/file: no such file", "recv", "--listen", LISTEN, "--out", "/nonexistent/file");
    }

    @Test
    void shouldSayThatDiskIsFull() throws IOException {
        try (NetioProcess recv = NetioProcess.receiver("--out", "/dev/full");
                NetioProcess send = NetioProcess.start("send", "--to", recv.address(), file().toString())) {
            assertThat(recv.exitCode()).isEqualTo(1);
            assertThat(recv.problems()).containsExactly("netio: cannot write /dev/full: No space left on device");
            send.exitCode();
        }
    }

    @Test
    void shouldRefuseBadAddress() throws IOException {
        String file = file().toString();
        for (String address : List.of("localhost", "localhost:", ":7000", "::1:7000", "localhost:70000", "localhost:x")) {
            refuse(2, "'" + address + "'", "send", "--to", address, file);
        }
        refuse(2, "port 0", "send", "--to", LISTEN, file);
        refuse(2, "'7000'", "recv", "--listen", "7000");
    }

    @Test
    void shouldRefuseNonsenseOptions() {
        refuse(2, "--framing packed", "recv", "--listen", LISTEN, "--framing", "packed");
        refuse(2, "--buffers must be at least 1", "recv", "--listen", LISTEN, "--buffers", "0");
        refuse(2, "--limit-rate must be", "recv", "--listen", LISTEN, "--limit-rate", "0");
        refuse(2, "--count must be at least 1", "recv", "--listen", LISTEN, "--count", "0");
        refuse(2, "--json and --out -", "recv", "--listen", LISTEN, "--out", "-", "--json");
        refuse(2, "32 buffers of 2000000000 bytes", "recv", "--listen", LISTEN, "--buffer-size", "2000000000");
        refuse(2, "'--buffer-size'", "recv", "--listen", LISTEN, "--buffer-size", "many");
        expect(2, "nonsense", "nonsense");
        expect(2, "which command");
    }

    @Test
    void shouldShowStackTraceOnlyWhenVerbose() {
        for (List<String> args : List.of(List.of("--verbose", "recv", "--listen", "nowhere.invalid:0"),
                List.of("recv", "--listen", "nowhere.invalid:0", "--verbose"))) {
            try (NetioProcess netio = NetioProcess.start(args.toArray(String[]::new))) {
                assertThat(netio.exitCode()).isEqualTo(1);
                assertThat(netio.err()).contains("netio: cannot resolve host", "\tat io.reactivenetio.");
            }
        }
    }

    @Test
    void shouldDocumentExitCodes() throws IOException {
        Files.createDirectories(directory);
        try (NetioProcess netio = NetioProcess.start("send", "--help")) {
            assertThat(netio.exitCode()).isZero();
            assertThat(netio.out()).contains("Exit codes:", "--message-size", "--verbose");
        }
    }
}
