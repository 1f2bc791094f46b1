// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.testing.TestSettings;
import java.io.IOException;
import java.net.Socket;
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
        expect(code, text, NetioCall.start(args));
    }

    private static void expectWithoutLibfabric(int code, String text, String... args) {
        expect(code, text, NetioProcess.start(List.of(), NO_LIBFABRIC, args));
    }

    private static void expect(int code, String text, NetioRun run) {
        try (run) {
            assertThat(run.exitCode()).as(run.err()).isEqualTo(code);
            assertThat(run.out()).isEmpty();
            assertThat(run.err().lines()).hasSize(1);
            assertThat(run.err()).startsWith("netio: ").contains(text);
        }
    }

    @Test
    void shouldRefuseUnknownProvider() throws IOException {
        expect(1, "provider 'nonsense' is not available", "recv", "--listen", LISTEN, "--provider", "nonsense");
        expect(1, "provider 'nonsense' is not available", "send", "--to", "127.0.0.1:1", "--provider", "nonsense",
                file().toString());
    }

    @Test
    void shouldRefuseTheProviderThatLibfabricHasRemoved() throws IOException {
        expect(2, "use tcp", "recv", "--listen", LISTEN, "--provider", "sockets");
        expect(2, "use tcp", "send", "--to", "127.0.0.1:1", "--provider", "sockets", file().toString());
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
        try (Socket reserved = NetioRun.reservedPort()) {
            String address = TestSettings.ADDRESS + ":" + reserved.getLocalPort();
            expect(1, "nobody listens on " + address, "send", "--to", address, file().toString());
        }
    }

    @Test
    void shouldSayWhatToInstallWithoutLibfabric() throws IOException {
        expectWithoutLibfabric(1, "apt install libfabric1", "recv", "--listen", LISTEN);
        expectWithoutLibfabric(1, "apt install libfabric1", "send", "--to", "127.0.0.1:1", file().toString());
    }

    @Test
    void shouldRefuseMessagesLargerThanSendBuffers() throws IOException {
        expect(2, "--message-size 5000 does not fit --buffer-size 4096", "send", "--to", "127.0.0.1:1", "--message-size", "5000",
                "--buffer-size", "4096", "--framing", "raw", file().toString());
        expect(2, "--buffer-size must be at least 1024 with stream framing: 1000", "send", "--to", "127.0.0.1:1",
                "--buffer-size", "1000", file().toString());
    }

    @Test
    void shouldFailOnBothSidesWhenMessagesExceedReceiveBuffers() throws IOException {
        try (NetioCall recv = NetioCall.receiver("--framing", "raw", "--buffer-size", "100");
                NetioCall send = NetioCall.start("send", "--framing", "raw", "--to", recv.address(), file().toString())) {
            assertThat(recv.exitCode()).isEqualTo(1);
            assertThat(recv.problems()).hasSize(1);
            assertThat(recv.problems().getFirst()).startsWith("netio: ").contains("100");
            assertThat(send.exitCode()).isEqualTo(1);
            assertThat(send.problems()).hasSize(1);
        }
    }

    /** The receivers are processes of their own, because the log of their loops has to be on their stderr. */
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
        expect(1, "cannot read /nonexistent/file: no such file", "send", "--to", "127.0.0.1:1", "/nonexistent/file");
        expect(1, "it is a directory", "send", "--to", "127.0.0.1:1", directory.toString());
    }

    @Test
    void shouldRefuseUnwritableFile() {
        expect(1, "cannot write /nonexistent/file: no such file", "recv", "--listen", LISTEN, "--out", "/nonexistent/file");
    }

    @Test
    void shouldSayThatDiskIsFull() throws IOException {
        try (NetioCall recv = NetioCall.receiver("--out", "/dev/full");
                NetioCall send = NetioCall.start("send", "--to", recv.address(), file().toString())) {
            assertThat(recv.exitCode()).isEqualTo(1);
            assertThat(recv.problems()).containsExactly("netio: cannot write /dev/full: No space left on device");
            send.exitCode();
        }
    }

    @Test
    void shouldRefuseBadAddress() throws IOException {
        String file = file().toString();
        for (String address : List.of("localhost", "localhost:", ":7000", "::1:7000", "localhost:70000", "localhost:x")) {
            expect(2, "'" + address + "'", "send", "--to", address, file);
        }
        expect(2, "port 0", "send", "--to", LISTEN, file);
        expect(2, "'7000'", "recv", "--listen", "7000");
    }

    @Test
    void shouldRefuseNonsenseOptions() {
        expect(2, "--framing packed", "recv", "--listen", LISTEN, "--framing", "packed");
        expect(2, "--buffers must be at least 1", "recv", "--listen", LISTEN, "--buffers", "0");
        expect(2, "--limit-rate must be", "recv", "--listen", LISTEN, "--limit-rate", "0");
        expect(2, "--count must be at least 1", "recv", "--listen", LISTEN, "--count", "0");
        expect(2, "--json and --out -", "recv", "--listen", LISTEN, "--out", "-", "--json");
        expect(2, "32 buffers of 2000000000 bytes", "recv", "--listen", LISTEN, "--buffer-size", "2000000000");
        expect(2, "'--buffer-size'", "recv", "--listen", LISTEN, "--buffer-size", "many");
        expect(2, "--links", "demo", "--links", "0");
        expect(2, "nonsense", "nonsense");
        expect(2, "which command");
    }

    @Test
    void shouldShowStackTraceOnlyWhenVerbose() {
        for (List<String> args : List.of(List.of("--verbose", "recv", "--listen", "nowhere.invalid:0"),
                List.of("recv", "--listen", "nowhere.invalid:0", "--verbose"))) {
            try (NetioCall netio = NetioCall.start(args.toArray(String[]::new))) {
                assertThat(netio.exitCode()).isEqualTo(1);
                assertThat(netio.err()).contains("netio: cannot resolve host", "\tat io.reactivenetio.");
            }
        }
    }

    @Test
    void shouldDocumentExitCodes() throws IOException {
        Files.createDirectories(directory);
        try (NetioCall netio = NetioCall.start("send", "--help")) {
            assertThat(netio.exitCode()).isZero();
            assertThat(netio.out()).contains("Exit codes:", "--message-size", "--verbose");
        }
    }
}
