// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.examples.SpareTime;
import io.reactivenetio.testing.TestCertificates;
import io.reactivenetio.testing.TestSettings;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Files from one netio to another, whole. */
@Timeout(180)
class TransferTest {
    @TempDir
    private static Path shared;
    private static Path big = Path.of("/");

    @TempDir
    private Path directory;

    @BeforeAll
    static void createBigFile() throws IOException {
        big = TestFiles.create(shared, TestFiles.BIG);
    }

    @AfterAll
    static void deleteBigFile() throws IOException {
        Files.delete(big);
    }

    private void roundTrip(Path file, int messageSize, String... options) throws IOException {
        Path copy = directory.resolve("copy");
        try (NetioCall recv = NetioCall.receiver(args(options, "--json", "--out", copy.toString()));
                NetioCall send = NetioCall.start(args(options, "send", "--json", "--to", recv.address(),
                        "--message-size", Integer.toString(messageSize), file.toString()))) {
            send.expectSuccess();
            recv.expectSuccess();
            JsonReport sent = JsonReport.of(send);
            JsonReport received = JsonReport.of(recv);
            long size = Files.size(file);
            System.out.printf("%d bytes in messages of %d: send %.0f MB/s, recv %.0f MB/s, NO_RESOURCES %d%n", size, messageSize,
                    sent.mbPerSecond(), received.mbPerSecond(), sent.noResources());
            assertThat(Files.mismatch(file, copy)).isEqualTo(-1);
            assertThat(sent.sha256()).isEqualTo(received.sha256()).isEqualTo(TestFiles.sha256(file));
            assertThat(sent.bytes()).isEqualTo(received.bytes()).isEqualTo(size);
            assertThat(sent.messages()).isEqualTo(received.messages()).isEqualTo((size + messageSize - 1) / messageSize);
            assertThat(send.problems()).isEmpty();
            assertThat(recv.problems()).isEmpty();
        }
    }

    private static String[] args(String[] options, String... more) {
        return IntStream.range(0, more.length + options.length)
                .mapToObj(i -> i < more.length ? more[i] : options[i - more.length]).toArray(String[]::new);
    }

    @Test
    void shouldEncryptAFile() throws IOException {
        TestCertificates own = TestCertificates.local();
        roundTrip(TestFiles.create(directory, TestSettings.scaled(20_000_003)), 10_000, "--tls-cert",
                own.certificate().toString(), "--tls-key", own.key().toString(), "--tls-trust", own.certificate().toString());
    }

    /** The first of the two addresses refuses. */
    @Test
    void shouldConnectToAnyAddressOfAName() throws IOException {
        Path file = TestFiles.create(directory, 10_000);
        Path hosts = Files.writeString(directory.resolve("hosts"), "127.0.0.2 detector.test\n" + TestSettings.ADDRESS
                + " detector.test\n");
        try (NetioCall recv = NetioCall.receiver("--json");
                NetioProcess send = NetioProcess.start(List.of("-Djdk.net.hosts.file=" + hosts), Map.of(), "send", "--json",
                        "--to", recv.address().replace(TestSettings.ADDRESS, "detector.test"), file.toString())) {
            send.expectSuccess();
            recv.expectSuccess();
            assertThat(JsonReport.of(recv).sha256()).isEqualTo(TestFiles.sha256(file));
        }
    }

    @Test
    void shouldTransferSmallMessages() throws IOException {
        roundTrip(TestFiles.create(directory, TestSettings.scaled(3_000_001)), 100);
    }

    @Test
    void shouldTransferMessagesOfOneByte() throws IOException {
        SpareTime.require();
        roundTrip(TestFiles.create(directory, TestSettings.scaled(10_000)), 1);
    }

    @Test
    void shouldTransferBigFileRaw() throws IOException {
        roundTrip(big, 65_536, "--buffer-size", "65536", "--framing", "raw");
    }

    @ParameterizedTest
    @ValueSource(ints = {4096, 10_000_000})
    void shouldTransferBigFileInMessagesOfAnySize(int messageSize) throws IOException {
        SpareTime.requireUnless(messageSize > 100_000);
        roundTrip(big, messageSize);
    }

    @Test
    void shouldTransferInPages() throws IOException {
        roundTrip(TestFiles.create(directory, TestSettings.scaled(3_000_001)), 64, "--framing", "page");
    }

    /** The largest that fits a page. */
    @Test
    @DisabledIfSystemProperty(named = "netio.test.provider", matches = "verbs",
            disabledReason = "plain TCP uses no RDMA device: ./netio test has run this")
    void shouldTransferInFullPagesOverPlainTcp() throws IOException {
        roundTrip(TestFiles.create(directory, 3_000_001), 61_428, "--framing", "page", "--backend", "tcp");
    }

    @ParameterizedTest
    @ValueSource(strings = {"raw", "stream"})
    void shouldTransferWithOneBuffer(String framing) throws IOException {
        roundTrip(TestFiles.create(directory, TestSettings.scaled(1_000_003)), 5000, "--buffers", "1", "--framing", framing);
    }

    @Test
    @DisabledIfSystemProperty(named = "netio.test.provider", matches = "verbs",
            disabledReason = "plain TCP uses no RDMA device: ./netio test has run this")
    void shouldTransferOverPlainTcp() throws IOException {
        roundTrip(TestFiles.create(directory, 20_000_003), 50_000, "--backend", "tcp");
    }

    @Test
    void shouldTransferEmptyFile() throws IOException {
        SpareTime.require();
        roundTrip(TestFiles.create(directory, 0), 4096);
    }

    @Test
    void shouldPipeStdinToStdoutAndReportToStderr() throws IOException {
        SpareTime.require();
        byte[] data = Files.readAllBytes(TestFiles.create(directory, 300_001));
        try (NetioProcess recv = NetioProcess.receiver("--out", "-");
                NetioProcess send = NetioProcess.start("send", "--to", recv.address(), "-", "--message-size", "1000")) {
            try (OutputStream in = send.in()) {
                in.write(data);
            }
            send.expectSuccess();
            recv.expectSuccess();
            assertThat(recv.outBytes()).isEqualTo(data);
            assertThat(recv.err()).contains("messages      301\n", "SHA-256       ");
            assertThat(send.out()).contains("messages      301\n", "bytes         300001\n");
        }
    }

    @Test
    void shouldListenOnIpv6() throws IOException {
        Path file = TestFiles.create(directory, 1000);
        try (NetioCall recv = NetioCall.start("recv", "--listen", "[" + TestSettings.ADDRESS6 + "]:0", "--json");
                NetioCall send = NetioCall.start("send", "--to", recv.address(), file.toString())) {
            send.expectSuccess();
            recv.expectSuccess();
            assertThat(recv.address()).startsWith("[");
            assertThat(JsonReport.of(recv).bytes()).isEqualTo(1000);
        }
    }

    @Test
    void shouldStopAfterCountAndFailSenderThatHasMore() throws IOException {
        Path copy = directory.resolve("copy");
        try (NetioCall recv = NetioCall.receiver("--count", "100", "--out", copy.toString(), "--json");
                NetioCall send = NetioCall.endlessSender(recv)) {
            recv.expectSuccess();
            assertThat(JsonReport.of(recv).messages()).isEqualTo(100);
            assertThat(Files.size(copy)).isEqualTo(100 * 20_000);
            assertThat(send.exitCode()).isEqualTo(1);
            assertThat(send.problems()).hasSize(1);
            assertThat(send.out()).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"raw", "page", "stream"})
    void shouldEndWellForBothWhenCountIsAllThereIs(String framing) throws IOException {
        SpareTime.requireUnless(framing.equals("stream"));
        Path file = TestFiles.create(directory, 100_000);
        try (NetioCall recv = NetioCall.receiver("--framing", framing, "--count", "100");
                NetioCall send = NetioCall.start("send", "--framing", framing, "--to", recv.address(), "--message-size",
                        "1000", file.toString())) {
            send.expectSuccess();
            recv.expectSuccess();
        }
    }

    @Test
    void shouldEndQuietlyWhenInterrupted() throws Exception {
        SpareTime.require();
        try (NetioProcess recv = NetioProcess.receiver();
                NetioProcess send = NetioProcess.start("send", "--to", recv.address(), "-")) {
            recv.awaitConnection(send);
            new ProcessBuilder("kill", "-INT", Long.toString(send.pid())).start().waitFor();
            assertThat(send.exitCode()).isEqualTo(130);
            assertThat(send.problems()).isEmpty();
        }
    }
}
