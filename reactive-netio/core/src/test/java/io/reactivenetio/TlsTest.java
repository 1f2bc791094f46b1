// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import static io.reactivenetio.testing.TestSettings.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivenetio.Tls.ClientCertificate;
import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.api.EndSignal;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.testing.Eventually;
import io.reactivenetio.testing.TestCertificates;
import io.reactivenetio.testing.TestSettings;
import io.reactivenetio.transport.BackendType;
import io.reactivenetio.transport.exceptions.NetioException;
import io.reactivenetio.transport.exceptions.NetioTlsException;
import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.Principal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Who is let in with TLS, who is not, and what goes through. */
@Timeout(120)
class TlsTest extends SecuredEnds {
    private NetioServer server(Tls tls) {
        return server().secure(tls);
    }

    private static void assertRefused(NetioClient client, String... words) {
        assertRefused(client, NetioException.class, words);
    }

    // ---- what goes through

    @ParameterizedTest
    @CsvSource({"TCP,RAW", "TCP,PAGE", "TCP,STREAM", "LIBFABRIC,RAW", "LIBFABRIC,PAGE", "LIBFABRIC,STREAM"})
    void shouldEchoMessagesOfManySizes(BackendType backend, FramingKind kind) {
        Framing framing = kind == FramingKind.STREAM ? Framing.stream() : kind.framing(EndSignal.EMPTY_MESSAGE);
        int largest = kind == FramingKind.STREAM ? 300_000 : 50_000;
        DisposableServer server = bound(server(as(TestCertificates.local())).backend(backend).framing(framing)
                .handle((in, out) -> out.send(in.receive()).then(out.completeOutbound())));
        NetioConnection client = client(server).backend(backend).framing(framing).secure(trusting(TestCertificates.local()))
                .connectNow(PATIENCE);
        int number = TestSettings.scaled(600);
        client.send(Flux.range(0, number).map(n -> message(n, 4 + (int) ((long) n * n * 7919 % largest))))
                .then(client.completeOutbound()).subscribe();
        List<Integer> sums = client.receive(buffer -> buffer.getInt(0) * 31 + buffer.remaining()).collectList().block(PATIENCE);
        assertThat(sums).isEqualTo(Flux.range(0, number).map(n -> n * 31 + 4 + (int) ((long) n * n * 7919 % largest))
                .collectList().block());
        assertThat(Objects.requireNonNull(client.tlsSession()).getProtocol()).isEqualTo("TLSv1.3");
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384", "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256"})
    void shouldSpeakTheFormerVersionIfAskedTo(String cipher) throws Exception {
        Tls former = as(TestCertificates.local()).protocols("TLSv1.2").ciphers(cipher);
        DisposableServer server = bound(server(former));
        NetioConnection client = client(server).secure(trusting(TestCertificates.local()).protocols("TLSv1.2", "TLSv1.3"))
                .connectNow(PATIENCE);
        assertThat(Objects.requireNonNull(client.tlsSession()).getCipherSuite()).isEqualTo(cipher);
        int number = TestSettings.scaled(1_000);
        client.send(Flux.range(0, number).map(n -> message(n, 60_000))).then(client.completeOutbound()).subscribe();
        assertThat(accepted().receive().count().block(PATIENCE)).isEqualTo(number);
        assertRefused(client(server).secure(trusting(TestCertificates.local())), "protocol_version");
    }

    /** {@link TestCertificates} has keys renewed every 4 MiB. */
    @Test
    void shouldRenewKeysInBothDirections() throws Exception {
        DisposableServer server = bound(server(as(TestCertificates.local())).handle((in, out) ->
                out.send(in.receive()).then(out.completeOutbound())));
        NetioConnection client = client(server).secure(trusting(TestCertificates.local())).connectNow(PATIENCE);
        int number = TestSettings.scaled(3_000);
        client.send(Flux.range(0, number).map(n -> message(n, 60_000))).then(client.completeOutbound()).subscribe();
        assertThat(client.receive(buffer -> buffer.getInt(0)).collectList().block(PATIENCE))
                .isEqualTo(Flux.range(0, number).collectList().block());
    }

    @Test
    void shouldSendSlicesOfARegion() throws Exception {
        NetioRegion region = NetioRegion.allocate(1 << 20);
        Framing.Raw raw = Framing.raw().endSignal(EndSignal.EMPTY_MESSAGE);
        DisposableServer server = bound(server(as(TestCertificates.local())).framing(raw));
        NetioConnection client = client(server).secure(trusting(TestCertificates.local()))
                .framing(raw.region(region, 32 * 1024, 8)).connectNow(PATIENCE);
        ByteBuffer all = region.slice(0, 1 << 20).buffer();
        for (int i = 0; i < 1 << 20; i += 4) {
            all.putInt(i, i);
        }
        client.sendRegion(Flux.range(0, 200).map(n -> region.slice(n * 4L, 4 + n * 100))).then(client.completeOutbound())
                .subscribe();
        assertThat(accepted().receive(buffer -> buffer.getInt(0) + buffer.remaining()).collectList().block(PATIENCE))
                .isEqualTo(Flux.range(0, 200).map(n -> n * 4 + 4 + n * 100).collectList().block());
        region.close();
    }

    /** The engines' own messages are larger than these buffers. */
    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldReceiveIntoSmallBuffers(BackendType backend) throws Exception {
        Framing.Raw raw = Framing.raw().endSignal(EndSignal.EMPTY_MESSAGE);
        DisposableServer server = bound(server(as(TestCertificates.local())).backend(backend).framing(raw)
                .receiveBuffers(4, 2).sendBuffers(4, 1));
        NetioConnection client = client(server).backend(backend).framing(raw).receiveBuffers(4, 1).sendBuffers(4, 1)
                .secure(trusting(TestCertificates.local())).connectNow(PATIENCE);
        client.send(Flux.range(0, 500).map(n -> message(n, 4))).then(client.completeOutbound()).subscribe();
        assertThat(accepted().receive().count().block(PATIENCE)).isEqualTo(500);
    }

    // ---- who is who

    @Test
    void shouldTellEachSideWhoTheOtherIs() throws Exception {
        TestCertificates client = TestCertificates.of("reader", "dns:reader.example.org");
        DisposableServer server = bound(server(as(TestCertificates.local()).clientCertificate(ClientCertificate.REQUIRED)
                .trust(client.certificate())));
        NetioConnection connection = client(server).secure(as(client).trust(TestCertificates.local().certificate()))
                .connectNow(PATIENCE);
        assertThat(principal(connection).getName()).isEqualTo("CN=local");
        assertThat(principal(accepted()).getName()).isEqualTo("CN=reader");
    }

    private static Principal principal(NetioConnection connection) throws SSLPeerUnverifiedException {
        return Objects.requireNonNull(connection.tlsSession()).getPeerPrincipal();
    }

    @Test
    void shouldRefuseAServerThatIsNotTrusted() {
        DisposableServer server = bound(server(as(TestCertificates.local())));
        assertRefused(client(server).secure(trusting(TestCertificates.of("other", TestCertificates.LOCAL))),
                "PKIX path");
        assertRefused(client(server).secure(Tls.create()), "PKIX path");
        assertThat(accepted).isEmpty();
    }

    @Test
    void shouldRefuseACertificateOfAnotherHostUnlessToldOtherwise() {
        TestCertificates other = TestCertificates.of("elsewhere", "dns:elsewhere.example.org");
        DisposableServer server = bound(server(as(other)));
        assertRefused(client(server).secure(trusting(other)), "No subject alternative names matching IP address 127.0.0.1");
        assertRefused(client(server).host("localhost").secure(trusting(other)), "localhost");
        client(server).secure(trusting(other).verifyHost(false)).connectNow(PATIENCE).dispose();
        client(server).secure(trusting(other).serverName("elsewhere.example.org")).connectNow(PATIENCE).dispose();
    }

    @Test
    void shouldFindTheNameOfTheHostInTheCertificate() {
        TestCertificates named = TestCertificates.of("named", "dns:localhost");
        DisposableServer server = bound(server(as(named)));
        client(server).host("localhost").secure(trusting(named)).connectNow(PATIENCE).dispose();
        assertRefused(client(server).secure(trusting(named)), "127.0.0.1");
    }

    @Test
    void shouldRefuseACertificateThatHasExpired() {
        TestCertificates good = TestCertificates.signed("good", TestCertificates.LOCAL);
        client(bound(server(as(good)))).secure(Tls.create().trust(good.authority())).connectNow(PATIENCE).dispose();
        TestCertificates expired = TestCertificates.signed("expired", TestCertificates.LOCAL, "-startdate", "-10d", "-validity",
                "5");
        assertRefused(client(bound(server(as(expired)))).secure(Tls.create().trust(expired.authority())), "validity");
    }

    /** libfabric may drop the alert, which is the last thing before the close: the client is refused, and does not learn why. */
    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldTellAClientThatItIsRefused(BackendType backend) {
        TestCertificates known = TestCertificates.of("known", "dns:known.example.org");
        DisposableServer server = bound(server(as(TestCertificates.local()).clientCertificate(ClientCertificate.REQUIRED)
                .trust(known.certificate())).backend(backend));
        NetioClient client = client(server).backend(backend);
        boolean told = backend == BackendType.TCP;
        assertRefused(client.secure(trusting(TestCertificates.local())), told ? "certificate_required" : "TLS");
        assertRefused(client.secure(as(TestCertificates.of("stranger", "dns:stranger.example.org"))
                .trust(TestCertificates.local().certificate())), told ? "certificate" : "TLS");
        assertThat(accepted).isEmpty();
    }

    @Test
    void shouldTakeContextsOfTheProgram() throws Exception {
        DisposableServer server = bound(server(Tls.create().keyStore(TestCertificates.local().keyStore(),
                TestCertificates.PASSWORD)));
        SSLContext nobody = SSLContext.getInstance("TLS");
        nobody.init(null, null, null);
        assertRefused(client(server).secure(Tls.of(nobody)), "PKIX");
        assertRefused(client(server).secure(Tls.of(() -> {
            throw new IllegalStateException("no context today");
        })), "no context today");
        client(server).secure(Tls.create().trustStore(TestCertificates.local().keyStore(), TestCertificates.PASSWORD))
                .connectNow(PATIENCE).dispose();
    }

    // ---- files

    @Test
    void shouldSayWhatIsWrongWithFiles(@TempDir Path folder) throws IOException {
        TestCertificates own = TestCertificates.local();
        Path none = folder.resolve("none.pem");
        Path empty = Files.createFile(folder.resolve("empty.pem"));
        Path former = Files.writeString(folder.resolve("rsa.key"),
                "-----BEGIN RSA PRIVATE KEY-----\nAAAA\n-----END RSA PRIVATE KEY-----\n");
        Path nonsense = Files.writeString(folder.resolve("bad.key"),
                "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n");
        assertRefused(Tls.create().certificate(none, own.key()), none + " cannot be read");
        assertRefused(Tls.create().certificate(empty, own.key()), "no certificate in it");
        assertRefused(Tls.create().certificate(own.certificate(), empty), "no private key in it");
        assertRefused(Tls.create().certificate(own.certificate(), former), "openssl pkcs8 -topk8");
        assertRefused(Tls.create().certificate(own.certificate(), nonsense), "none of the algorithms");
        assertRefused(Tls.create().keyStore(own.keyStore(), "wrong"), own.keyStore() + " cannot be read");
        assertRefused(Tls.create(), "needs a certificate");
        assertRefused(as(own).clientCertificate(ClientCertificate.WANTED), "set Tls.trust");
        assertThatThrownBy(() -> Tls.create().protocols("SSLv9")).hasMessageContaining("it has").hasMessageContaining("TLSv1.3");
        assertThatThrownBy(() -> Tls.create().ciphers()).hasMessageContaining("no cipher suite");
    }

    private void assertRefused(Tls tls, String words) {
        assertThatThrownBy(() -> server(tls).validate()).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(words);
    }

    @Test
    void shouldReadKeysThatAreEncrypted(@TempDir Path folder) throws Exception {
        Path encrypted = folder.resolve("encrypted.key");
        Process openssl = new ProcessBuilder("openssl", "pkcs8", "-topk8", "-in", TestCertificates.local().key().toString(),
                "-passout", "pass:hush", "-out", encrypted.toString()).inheritIO().start();
        assertThat(openssl.waitFor()).isZero();
        Path chain = TestCertificates.local().certificate();
        server(Tls.create().certificate(chain, encrypted, "hush")).validate();
        assertRefused(Tls.create().certificate(chain, encrypted, "loud"), "cannot be used");
        assertRefused(Tls.create().certificate(chain, encrypted), "there is no password");
    }

    @Test
    void shouldUseFilesThatHaveChangedForNewConnections(@TempDir Path folder) throws Exception {
        TestCertificates changing = copyOf(TestCertificates.local(), folder);
        DisposableServer server = bound(server(as(changing)));
        NetioConnection before = client(server).secure(trusting(TestCertificates.local())).connectNow(PATIENCE);
        TestCertificates next = TestCertificates.of("next", TestCertificates.LOCAL);
        changing.becomes(next);
        Eventually.await("the new certificate", () -> connects(client(server).secure(trusting(next))));
        assertThat(before.isDisposed()).isFalse();
        Files.writeString(changing.key(), "gone wrong");
        Eventually.await("a second", () -> connects(client(server).secure(trusting(next))));
        before.dispose();
    }

    private static TestCertificates copyOf(TestCertificates other, Path folder) throws IOException {
        return new TestCertificates(Files.copy(other.certificate(), folder.resolve("own.pem")),
                Files.copy(other.key(), folder.resolve("own.key")), Files.copy(other.keyStore(), folder.resolve("own.p12")),
                other.authority());
    }

    private static boolean connects(NetioClient client) {
        try {
            client.connectNow(PATIENCE).dispose();
            return true;
        } catch (NetioTlsException e) {
            return false;
        }
    }

    // ---- sides that do not go together

    @Test
    void shouldSayThatOneSideOnlyHasTls() {
        DisposableServer with = bound(server(as(TestCertificates.local())));
        assertRefused(client(with), "the peer has TLS, and this side has none");
        DisposableServer without = bound(NetioServer.create().backend(BackendType.TCP).runOn(loops));
        assertRefused(client(without).secure(trusting(TestCertificates.local())), "the peer has no TLS, and this side has");
    }

    @Test
    void shouldRefuseAPeerOfRawFramingWithoutTls() throws Exception {
        DisposableServer server = bound(server(as(TestCertificates.local())).framing(Framing.raw())
                .connectTimeout(Duration.ofSeconds(2)));
        NetioConnection plain = client(server).framing(Framing.raw()).connectNow(PATIENCE);
        plain.send(Mono.just(message(1, 100))).onErrorComplete().block(PATIENCE);
        plain.onDispose().block(PATIENCE);
        NetioConnection silent = client(server).framing(Framing.raw()).connectNow(PATIENCE);
        silent.onDispose().block(PATIENCE);
        assertThat(accepted).isEmpty();
    }

    @Test
    void shouldNotWaitForEverForAHandshake() {
        DisposableServer silent = bound(NetioServer.create().backend(BackendType.TCP).runOn(loops).framing(Framing.raw()));
        assertRefused(client(silent).framing(Framing.raw()).secure(trusting(TestCertificates.local()))
                .connectTimeout(Duration.ofMillis(300)), "took longer than 300 ms");
    }

    @Test
    void shouldRefuseSharedBuffers() {
        assertThatThrownBy(() -> server(as(TestCertificates.local())).framing(Framing.raw().sharedReceiveBuffers(1024, 16))
                .validate()).isInstanceOf(IllegalArgumentException.class).hasMessageContaining("shared buffers");
    }

    @Test
    void shouldRefuseAMessageThatIsTooLarge() throws Exception {
        DisposableServer server = bound(server(as(TestCertificates.local())).framing(Framing.raw()).receiveBuffers(1000, 8));
        NetioConnection client = client(server).framing(Framing.raw()).secure(trusting(TestCertificates.local()))
                .connectNow(PATIENCE);
        CompletableFuture<Long> received = accepted().receive().count().toFuture();
        client.send(Mono.just(message(1, 1001))).onErrorComplete().block(PATIENCE);
        assertThatThrownBy(received::join).rootCause().hasMessageContaining("larger than the receive buffers of 1000 bytes");
    }

    // ---- the end

    @Test
    void shouldCompleteAtTheEndThatThePeerHasSaid() throws Exception {
        Framing raw = Framing.raw().endSignal(EndSignal.PEER_CLOSE);
        DisposableServer server = bound(server(as(TestCertificates.local())).framing(raw));
        for (int i = 0; i < 30; i++) {
            NetioConnection client = client(server).framing(raw).secure(trusting(TestCertificates.local())).connectNow(PATIENCE);
            client.send(Flux.range(0, 100).map(n -> message(n, 1_000))).block(PATIENCE);
            client.dispose();
            assertThat(accepted().receive().count().block(PATIENCE)).isEqualTo(100);
        }
    }

    @Test
    void shouldServeOthersWhileManySayNothing() throws Exception {
        DisposableServer server = bound(server(as(TestCertificates.local())).framing(Framing.raw())
                .connectTimeout(Duration.ofSeconds(5)));
        List<Socket> silent = new ArrayList<>();
        try {
            for (int i = 0; i < 100; i++) {
                silent.add(new Socket("127.0.0.1", server.port()));
            }
            for (int i = 0; i < 10; i++) {
                client(server).framing(Framing.raw()).secure(trusting(TestCertificates.local())).connectNow(PATIENCE).dispose();
            }
        } finally {
            for (Socket socket : silent) {
                socket.close();
            }
        }
    }

    @Test
    void shouldLetAnAddressInOfWhichManyHandshakesHaveFailed() {
        DisposableServer server = bound(server(as(TestCertificates.local())));
        NetioClient stranger = client(server).secure(trusting(TestCertificates.of("other", TestCertificates.LOCAL)));
        Flux.range(0, 100).flatMap(n -> stranger.connect().then().onErrorComplete(), 8).blockLast(PATIENCE);
        assertThat(accepted).isEmpty();
        NetioClient good = client(server).secure(trusting(TestCertificates.local()));
        assertThat(Flux.range(0, 100).flatMap(n -> good.connect()).doOnNext(NetioConnection::dispose).count().block(PATIENCE))
                .isEqualTo(100);
    }

    @Test
    void shouldBearCloseWithinCallbacks() throws Exception {
        List<Consumer<NetioConnection>> moments = List.of(NetioConnection::dispose,
                connection -> connection.receive().subscribe(any -> connection.dispose(), error -> { }),
                connection -> connection.receive().subscribe(any -> {
                    throw new IllegalStateException("a subscriber");
                }, error -> connection.dispose()));
        for (Consumer<NetioConnection> moment : moments) {
            DisposableServer server = bound(NetioServer.create().backend(BackendType.TCP).runOn(loops)
                    .secure(as(TestCertificates.local())).doOnConnection(moment::accept));
            NetioConnection client = client(server).secure(trusting(TestCertificates.local())).connectNow(PATIENCE);
            client.send(Flux.range(0, 10_000).map(n -> message(n, 100))).onErrorComplete().block(PATIENCE);
            client.dispose();
            client.onDispose().block(PATIENCE);
        }
    }
}
