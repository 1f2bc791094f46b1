// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.testing.TestCertificates;
import io.reactivenetio.testing.TestSettings;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** One publisher, many subscribers. */
@Timeout(180)
class PublishTest {
    @TempDir
    private Path directory;

    private static NetioCall publisher(String... args) {
        String[] all = new String[args.length + 3];
        all[0] = "publish";
        all[1] = "--listen";
        all[2] = TestSettings.ADDRESS + ":0";
        System.arraycopy(args, 0, all, 3, args.length);
        return NetioCall.start(all);
    }

    private NetioCall subscriber(NetioCall publisher, String tags, String... args) {
        String[] all = new String[args.length + 6];
        all[0] = "subscribe";
        all[1] = "--to";
        all[2] = publisher.address();
        all[3] = "--tag";
        all[4] = tags;
        all[5] = "--json";
        System.arraycopy(args, 0, all, 6, args.length);
        return NetioCall.start(all);
    }

    @Test
    void shouldGiveTheWholeFileToEachSubscriber() throws IOException {
        Path file = TestFiles.create(directory, 20_000_003);
        Path copy = directory.resolve("copy");
        try (NetioCall publish = publisher("--tag", "0x2a", "--subscribers", "3", "--json", file.toString());
                NetioCall one = subscriber(publish, "42", "--out", copy.toString());
                NetioCall two = subscriber(publish, "40-50");
                NetioCall three = subscriber(publish, "0x20/0xf0", "--limit-rate", "2000")) {
            publish.expectSuccess();
            String hash = TestFiles.sha256(file);
            assertThat(JsonReport.of(publish).sha256()).isEqualTo(hash);
            for (NetioCall subscriber : new NetioCall[] {one, two, three}) {
                subscriber.expectSuccess();
                assertThat(JsonReport.of(subscriber).sha256()).isEqualTo(hash);
                assertThat(subscriber.out()).contains("\"dropped\":0", "\"missed\":0");
            }
            assertThat(Files.mismatch(file, copy)).isEqualTo(-1);
            assertThat(publish.problems()).isEmpty();
        }
    }

    @Test
    void shouldCountWhatIsDroppedForASlowSubscriber() throws IOException {
        Path file = TestFiles.create(directory, 10_000_000);
        try (NetioCall publish = publisher("--tag", "7", "--when-slow", "drop-oldest", "--queue", "16", "--message-size",
                "1000", "--json", file.toString());
                NetioCall slow = subscriber(publish, "7", "--limit-rate", "100")) {
            slow.expectSuccess();
            publish.expectSuccess();
            long got = JsonReport.of(slow).messages();
            assertThat(got).isLessThan(10_000);
            assertThat(slow.out()).contains("\"dropped\":" + (10_000 - got));
            assertThat(publish.out()).contains("\"dropped\":" + (10_000 - got));
        }
    }

    @Test
    void shouldSayThatNobodyServesTheTag() throws IOException {
        Path file = TestFiles.create(directory, 1_000);
        try (NetioCall publish = publisher("--tag", "7", file.toString());
                NetioCall other = subscriber(publish, "8")) {
            assertThat(other.exitCode()).isEqualTo(1);
            assertThat(other.problems()).hasSize(1);
            assertThat(other.problems().getFirst()).contains("nobody serves tag 8");
        }
    }

    @Test
    void shouldLetInOnlyWhoKnowsTheSecret() throws IOException {
        Path file = TestFiles.create(directory, 100_000);
        Path secret = Files.write(directory.resolve("secret"), new byte[32]);
        Path other = Files.writeString(directory.resolve("other"), "another secret, also long enough");
        Path small = Files.write(directory.resolve("small"), new byte[3]);
        try (NetioCall publish = publisher("--tag", "7", "--json", "--secret", "reader=" + secret, "--secret", "writer=" + other,
                "--allow", "127.0.0.0/8", file.toString());
                NetioCall nobody = subscriber(publish, "7");
                NetioCall stranger = subscriber(publish, "7", "--secret", "reader=" + other)) {
            assertThat(nobody.exitCode()).isEqualTo(1);
            assertThat(nobody.err()).contains("asks who connects");
            assertThat(stranger.exitCode()).isEqualTo(1);
            assertThat(stranger.err()).contains("has refused the secret of reader: not authenticated");
            try (NetioCall known = subscriber(publish, "7", "--secret", "reader=" + secret)) {
                known.expectSuccess();
                publish.expectSuccess();
                assertThat(JsonReport.of(known).sha256()).isEqualTo(TestFiles.sha256(file));
            }
        }
        try (NetioCall none = publisher("--tag", "7", "--secret", "a=" + directory.resolve("none"), file.toString());
                NetioCall short3 = publisher("--tag", "7", "--secret", "a=" + small, file.toString());
                NetioCall network = publisher("--tag", "7", "--allow", "here", file.toString())) {
            assertThat(List.of(none.exitCode(), short3.exitCode(), network.exitCode())).containsOnly(2);
            assertThat(none.err() + short3.err() + network.err()).contains("cannot read", "a secret of 3 bytes", "no network");
        }
    }

    @Test
    void shouldEncryptAndLetInOnlyWhoIsTrusted() throws IOException {
        Path file = TestFiles.create(directory, 3_000_000);
        TestCertificates own = TestCertificates.local();
        TestCertificates reader = TestCertificates.of("reader", "dns:reader.example.org");
        try (NetioCall publish = publisher("--tag", "7", "--json", "--tls-cert", own.certificate().toString(), "--tls-key",
                own.key().toString(), "--tls-trust", reader.certificate().toString(), file.toString());
                NetioCall plain = subscriber(publish, "7");
                NetioCall stranger = subscriber(publish, "7", "--tls-trust", own.certificate().toString())) {
            assertThat(plain.exitCode()).isEqualTo(1);
            assertThat(plain.err()).contains("the peer has TLS, and this side has none");
            assertThat(stranger.exitCode()).isEqualTo(1);
            assertThat(stranger.err()).contains("certificate_required");
            try (NetioCall known = subscriber(publish, "7", "--tls-trust", own.certificate().toString(), "--tls-cert",
                    reader.certificate().toString(), "--tls-key", reader.key().toString())) {
                known.expectSuccess();
                publish.expectSuccess();
                assertThat(JsonReport.of(known).sha256()).isEqualTo(TestFiles.sha256(file));
            }
        }
        try (NetioCall wrong = publisher("--tag", "7", "--tls", file.toString());
                NetioCall half = publisher("--tag", "7", "--tls-key", own.key().toString(), file.toString());
                NetioCall none = publisher("--tag", "7", "--tls-cert", "none.pem", "--tls-key", "none.key", file.toString())) {
            assertThat(wrong.exitCode()).isEqualTo(2);
            assertThat(half.exitCode()).isEqualTo(2);
            assertThat(none.exitCode()).isEqualTo(2);
            assertThat(none.err()).contains("none.pem cannot be read");
        }
    }

    @Test
    void shouldSubscribeAgainToAPublisherThatWasStartedAgain() throws IOException {
        Path file = TestFiles.create(directory, 1_000_000);
        try (Socket reserved = NetioRun.reservedPort()) {
            String address = TestSettings.ADDRESS + ":" + reserved.getLocalPort();
            try (NetioProcess first = NetioProcess.start("publish", "--listen", address, "--tag", "7", "-");
                    NetioCall subscribe = NetioCall.start("subscribe", "--to", first.address(), "--tag", "7",
                            "--reconnect", "60", "--json")) {
                first.awaitConnection(subscribe);
                first.kill();
                first.exitCode();
                try (NetioCall second = NetioCall.start("publish", "--listen", address, "--tag", "7", file.toString())) {
                    second.expectSuccess();
                    subscribe.expectSuccess();
                    assertThat(JsonReport.of(subscribe).sha256()).isEqualTo(TestFiles.sha256(file));
                }
            }
        }
    }

    @Test
    void shouldRefuseNonsense() {
        expect("no such command or option here: --framing (see: netio publish --help)", "publish", "--listen", "127.0.0.1:0",
                "--tag", "7", "--framing", "raw", "-");
        expect("--message-size must not exceed 67108864", "publish", "--listen", "127.0.0.1:0", "--tag", "7", "--message-size",
                "67108865", "-");
        expect("--tag: 'seven' is not a number", "publish", "--listen", "127.0.0.1:0", "--tag", "seven", "-");
        expect("'drop' is not backpressure, drop-newest, drop-oldest or error", "publish", "--listen", "127.0.0.1:0", "--tag",
                "7", "--when-slow", "drop", "-");
        expect("'1-x' is not a tag such as 7", "subscribe", "--to", "127.0.0.1:1", "--tag", "1-x");
        expect("a range must not end before it begins", "subscribe", "--to", "127.0.0.1:1", "--tag", "9-1");
    }

    private static void expect(String text, String... args) {
        try (NetioCall netio = NetioCall.start(args)) {
            assertThat(netio.exitCode()).as(netio.err()).isEqualTo(2);
            assertThat(netio.err().lines()).hasSize(1);
            assertThat(netio.err()).startsWith("netio: ").contains(text);
        }
    }
}
