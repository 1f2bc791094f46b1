// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import static io.reactivenetio.testing.TestSettings.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.api.NamedPrincipal;
import io.reactivenetio.api.NetioAuthenticator;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.api.NetioCredentials;
import io.reactivenetio.testing.TestCertificates;
import io.reactivenetio.transport.BackendType;
import io.reactivenetio.transport.exceptions.NetioAuthenticationException;
import io.reactivenetio.transport.exceptions.NetioException;
import io.reactivenetio.transport.exceptions.NetioProtocolException;
import io.reactivenetio.wire.AccessMessage;
import io.reactivenetio.wire.Handshake;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.Principal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Hooks;
import reactor.core.publisher.Mono;

/** Clients that show who they are, servers that look at it, and those that lie. */
@Timeout(120)
class AccessTest extends SecuredEnds {
    private static final byte[] SECRET = "sixteen random bytes or more".getBytes(StandardCharsets.UTF_8);
    private static final NetioAuthenticator KNOWN = NetioAuthenticator.secrets(Map.of("reader", SECRET));
    private static final NetioCredentials READER = NetioCredentials.secret("reader", SECRET);

    private NetioServer server(NetioAuthenticator authenticator) {
        return server().authenticate(authenticator);
    }

    private String acceptedName() throws InterruptedException {
        return Objects.requireNonNull(accepted().principal()).getName();
    }

    private static Tls tls() {
        return TwoEnds.tls();
    }

    // ---- those who may

    @ParameterizedTest
    @CsvSource({"TCP,false", "LIBFABRIC,false", "TCP,true", "LIBFABRIC,true"})
    void shouldLetInWhoKnowsTheSecret(BackendType backend, boolean secure) throws Exception {
        NetioServer listening = server(KNOWN).backend(backend).handle((in, out) ->
                out.send(in.receive()).then(out.completeOutbound()));
        DisposableServer server = bound(secure ? listening.secure(tls()) : listening);
        NetioClient connecting = client(server).backend(backend).credentials(READER);
        NetioConnection client = (secure ? connecting.secure(tls()) : connecting).connectNow(PATIENCE);
        assertThat(acceptedName()).isEqualTo("reader");
        client.send(Flux.range(0, 5_000).map(n -> ByteBuffer.allocate(4 + n % 500).putInt(0, n))).then(client.completeOutbound())
                .subscribe();
        assertThat(client.receive(buffer -> buffer.getInt(0)).collectList().block(PATIENCE))
                .isEqualTo(Flux.range(0, 5_000).collectList().block());
    }

    /** What is sent at once comes while the other side still waits for its own last message to leave. */
    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldLoseNothingThatIsSentAtOnce(BackendType backend) {
        DisposableServer server = bound(server(KNOWN).backend(backend).receiveBuffers(1_024, 2).sendBuffers(1_024, 2)
                .handle((in, out) -> out.send(Flux.range(0, 300).map(n -> ByteBuffer.allocate(1_000).putInt(0, n)))
                        .and(in.receive().then())));
        NetioClient client = client(server).backend(backend).credentials(READER).receiveBuffers(1_024, 2).sendBuffers(1_024, 2)
                .doOnConnected(made -> made.send(Flux.range(0, 300).map(n -> ByteBuffer.allocate(1_000)))
                        .then(made.completeOutbound()).subscribe());
        for (int i = 0; i < 30; i++) {
            NetioConnection connection = client.connectNow(PATIENCE);
            assertThat(connection.receive(buffer -> buffer.getInt(0)).collectList().block(PATIENCE))
                    .isEqualTo(Flux.range(0, 300).collectList().block());
        }
    }

    @Test
    void shouldShowTokens() throws Exception {
        AtomicReference<String> token = new AtomicReference<>("first");
        DisposableServer server = bound(server(shown -> Mono.justOrEmpty(shown.token())
                .filter(given -> given.length() > 2_000 || given.equals("first"))
                .delayElement(Duration.ofMillis(1))
                .map(given -> new NamedPrincipal("token of " + given.length()))).secure(tls()));
        NetioClient client = client(server).secure(tls()).credentials(NetioCredentials.token(Mono.fromSupplier(token::get)));
        client.connectNow(PATIENCE);
        assertThat(acceptedName()).isEqualTo("token of 5");
        token.set("ä".repeat(4_096));
        client.connectNow(PATIENCE);
        assertThat(acceptedName()).isEqualTo("token of 4096");
        token.set("other");
        assertRefused(client, NetioAuthenticationException.class, "has refused a token: not authenticated");
        token.set("ä".repeat(4_097));
        assertRefused(client, NetioAuthenticationException.class, "a token of 8194 bytes; 1 to 8192 can be sent");
        assertRefused(client.sendBuffers(1_024, 4).credentials(NetioCredentials.token(Mono.just("a".repeat(1_024)))),
                NetioAuthenticationException.class, "1 to 1023 can be sent");
        DisposableServer small = bound(server(shown -> Mono.empty()).secure(tls()).receiveBuffers(1_024, 4));
        assertRefused(client.port(small.port()).credentials(NetioCredentials.token(Mono.just("a".repeat(1_024)))),
                NetioAuthenticationException.class, "1 to 1023 can be sent");
        assertRefused(client.credentials(NetioCredentials.token(Mono.empty())), NetioAuthenticationException.class, "was empty");
        assertRefused(client.credentials(NetioCredentials.token(Mono.error(new IOException("no such file")))),
                NetioAuthenticationException.class, "no such file");
        assertThat(accepted).isEmpty();
    }

    @Test
    void shouldTakeTheSubjectOfACertificateWithoutAnAuthenticator() throws Exception {
        TestCertificates reader = TestCertificates.of("reader", "dns:reader.example.org");
        TestCertificates own = TestCertificates.local();
        DisposableServer server = bound(server().secure(Tls.create().certificate(own.certificate(), own.key())
                        .trust(reader.certificate()).clientCertificate(Tls.ClientCertificate.WANTED)));
        NetioClient client = client(server);
        NetioConnection known = client.secure(Tls.create().certificate(reader.certificate(), reader.key())
                .trust(own.certificate())).connectNow(PATIENCE);
        assertThat(acceptedName()).isEqualTo("CN=reader");
        assertThat(Objects.requireNonNull(known.principal()).getName()).isEqualTo("CN=local");
        client.secure(Tls.create().trust(own.certificate())).connectNow(PATIENCE);
        assertThat(Objects.requireNonNull(accepted.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS)).principal()).isNull();
    }

    // ---- those who may not

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldRefuseWhoDoesNotKnowTheSecret(BackendType backend) {
        DisposableServer server = bound(server(KNOWN).backend(backend));
        NetioClient client = client(server).backend(backend);
        byte[] nearly = SECRET.clone();
        nearly[nearly.length - 1] ^= 1;
        assertRefused(client.credentials(NetioCredentials.secret("reader", nearly)), NetioAuthenticationException.class,
                "has refused the secret of reader: not authenticated");
        assertRefused(client.credentials(NetioCredentials.secret("writer", SECRET)), NetioAuthenticationException.class,
                "not authenticated");
        assertRefused(client.credentials(NetioCredentials.secret("writer", new byte[16])), NetioAuthenticationException.class,
                "not authenticated");
        assertThat(accepted).isEmpty();
    }

    @Test
    void shouldRefuseAServerThatDoesNotKnowTheSecret() {
        DisposableServer server = bound(server(shown -> Mono.just(new NamedPrincipal(shown.name()))));
        assertRefused(client(server).credentials(READER), NetioAuthenticationException.class,
                "does not know the secret of reader");
    }

    @Test
    void shouldSayWhichSideDoesNotAskOrShow() {
        DisposableServer asking = bound(server(KNOWN));
        assertRefused(client(asking), NetioProtocolException.class, "configure credentials(…)");
        DisposableServer open = bound(NetioServer.create().backend(BackendType.TCP).runOn(loops));
        assertRefused(client(open).credentials(READER), NetioProtocolException.class, "configure authenticate(…)");
        assertThat(accepted).isEmpty();
    }

    @Test
    void shouldRefuseSettingsThatDoNotGoTogether() {
        NetioClient client = NetioClient.create().port(1);
        assertThatThrownBy(client.credentials(NetioCredentials.token(Mono.just("t")))::validate)
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("secure(…)");
        for (Framing framing : List.of(Framing.raw(), Framing.page())) {
            assertThatThrownBy(client.credentials(READER).framing(framing)::validate)
                    .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("STREAM framing");
            assertThatThrownBy(NetioServer.create().authorize((who, right, tags) -> true).framing(framing)::validate)
                    .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("STREAM framing");
        }
        assertThatThrownBy(() -> NetioCredentials.secret("reader", new byte[15])).hasMessageContaining("15 bytes can be guessed");
        assertThatThrownBy(() -> NetioCredentials.secret("", SECRET)).hasMessageContaining("1 to 255 bytes, and not 0");
        assertThatThrownBy(() -> NetioCredentials.secret("ä".repeat(128), SECRET)).hasMessageContaining("and not 256");
        assertThat(READER).hasToString("the secret of reader");
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldRefuseOtherNetworks(BackendType backend) throws Exception {
        NetioServer server = NetioServer.create().backend(backend).runOn(loops).doOnConnection(accepted::add);
        DisposableServer elsewhere = bound(server.allow("192.0.2.0/24", "::1"));
        try (Warnings warnings = new Warnings()) {
            assertThatThrownBy(() -> client(elsewhere).backend(backend).connectNow(PATIENCE)).isInstanceOf(NetioException.class);
            assertThat(warnings.text()).contains("a connection from 127.0.0.1").contains("in none of the networks of allow(…)");
        }
        DisposableServer here = bound(server.allow("127.0.0.0/8"));
        client(here).backend(backend).connectNow(PATIENCE);
        assertThat(accepted.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isNotNull();
        assertThat(accepted).isEmpty();
    }

    /** Nobody connects. */
    @Test
    void shouldWarnOfAServerThatLetsEverybodyIn() {
        NetioServer open = NetioServer.create().backend(BackendType.TCP).runOn(loops).framing(Framing.raw());
        try (Warnings warnings = new Warnings()) {
            open.host("127.0.0.1").bindNow(PATIENCE).disposeNow();
            open.host("0.0.0.0").allow("127.0.0.1").bindNow(PATIENCE).disposeNow();
            open.host("0.0.0.0").secure(tls()).bindNow(PATIENCE).disposeNow();
            open.host("0.0.0.0").framing(Framing.stream()).bindNow(PATIENCE).disposeNow();
            assertThat(warnings.text()).doesNotContain("everybody");
            open.host("0.0.0.0").bindNow(PATIENCE).disposeNow();
            assertThat(warnings.text()).contains("everybody who reaches 0.0.0.0:");
        }
    }

    // ---- authenticators that fail

    @Test
    void shouldRefuseWhenTheAuthenticatorDoesNotKnow() {
        for (NetioAuthenticator bad : List.<NetioAuthenticator>of(shown -> Mono.empty(), shown -> null, shown -> {
            throw new IllegalStateException("no secrets today");
        }, shown -> Mono.error(new IOException("no secrets today")), shown -> {
            throw new AssertionError("an Error");
        })) {
            DisposableServer server = bound(server(bad));
            assertRefused(client(server).credentials(READER), NetioAuthenticationException.class, "not authenticated");
        }
        assertThat(accepted).isEmpty();
    }

    @Test
    void shouldNotWaitForEverForAnAuthenticator() {
        DisposableServer server = bound(server(shown -> Mono.never()).connectTimeout(Duration.ofMillis(300)));
        assertRefused(client(server).credentials(READER), NetioAuthenticationException.class, "ended before it was known");
        assertThat(server.connections()).isZero();
    }

    @Test
    void shouldCancelTheAuthenticatorWhenTheClientHasGone() {
        AtomicReference<String> seen = new AtomicReference<>("");
        DisposableServer server = bound(server(shown -> Mono.<Principal>never().doOnSubscribe(s -> seen.set("asked"))
                .doOnCancel(() -> seen.set("cancelled"))));
        Disposable connecting = client(server).credentials(READER).connect().subscribe();
        Link.await(() -> seen.get().equals("asked"), seen::get);
        connecting.dispose();
        Link.await(() -> seen.get().equals("cancelled"), seen::get);
    }

    // ---- clients that are no clients

    @ParameterizedTest
    @ValueSource(strings = {"", "00", "01", "0700", "02", "0200", "0201", "0203656565", "03", "0361", "03ff", "04", "0561", "ff"})
    void shouldCloseWhenTheAnswerIsNone(String hex) throws Exception {
        DisposableServer server = bound(server(KNOWN));
        try (Warnings warnings = new Warnings(); AskedClient asked = new AskedClient(server)) {
            asked.say(HexFormat.of().parseHex(hex));
            assertThat(asked.rest()).isEmpty();
            Link.await(() -> warnings.text().contains("no connection with endpoint"), warnings::text);
        }
        assertThat(accepted).isEmpty();
    }

    /** As docs/wire-format.md has it. */
    private static byte[] proof(int side, byte[] accepting, byte[] connecting, byte[] challenge, byte[] answer) throws Exception {
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(SECRET, "HmacSHA256"));
        mac.update((byte) side);
        for (byte[] part : List.of(accepting, connecting, challenge, answer)) {
            mac.update(part);
        }
        return mac.doFinal("reader".getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void shouldRefuseAnAnswerThatIsRepeated() throws Exception {
        DisposableServer server = bound(server(KNOWN));
        byte[] random = new byte[AccessMessage.NONCE];
        byte[] answer;
        byte[] expected;
        try (AskedClient first = new AskedClient(server)) {
            answer = new AccessMessage.SecretAnswer("reader", random,
                    proof(1, first.accepting, first.connecting, first.challenge, random)).encode();
            expected = proof(2, first.accepting, first.connecting, first.challenge, random);
            first.say(answer);
            assertThat(first.next()).startsWith(4).endsWith(expected).hasSize(33);
            assertThat(acceptedName()).isEqualTo("reader");
        }
        try (AskedClient second = new AskedClient(server)) {
            second.say(answer);
            assertThat(new String(second.next(), 1, 17, StandardCharsets.UTF_8)).isEqualTo("not authenticated");
        }
        try (AskedClient third = new AskedClient(server)) { // the server's own proof, sent back
            byte[] mirrored = proof(2, third.accepting, third.connecting, third.challenge, random);
            third.say(new AccessMessage.SecretAnswer("reader", random, mirrored).encode());
            assertThat(third.next()).startsWith(5);
        }
        try (AskedClient fourth = new AskedClient(server)) { // of a handshake that was changed on its way
            byte[] changed = fourth.connecting.clone();
            changed[24] ^= 1;
            fourth.say(new AccessMessage.SecretAnswer("reader", random,
                    proof(1, fourth.accepting, changed, fourth.challenge, random)).encode());
            assertThat(fourth.next()).startsWith(5);
        }
        assertThat(accepted).isEmpty();
    }

    @Test
    void shouldAnswerAClientOnce() throws Exception {
        DisposableServer server = bound(server(shown -> Mono.<Principal>empty().delaySubscription(Duration.ofMillis(200))));
        byte[] wrong = new AccessMessage.SecretAnswer("reader", new byte[AccessMessage.NONCE], new byte[AccessMessage.PROOF])
                .encode();
        try (AskedClient asked = new AskedClient(server)) {
            asked.say(wrong);
            asked.say(wrong);
            assertThat(asked.rest()).isEmpty();
        }
        assertThat(accepted).isEmpty();
    }

    @Test
    void shouldGiveUpAClientThatSaysNothing() throws Exception {
        DisposableServer server = bound(server(KNOWN).connectTimeout(Duration.ofMillis(300)));
        try (AskedClient asked = new AskedClient(server)) {
            assertThat(asked.rest()).isEmpty();
        }
        assertThat(accepted).isEmpty();
    }

    @Test
    void shouldServeOthersBesideClientsThatStop() throws Exception {
        DisposableServer server = bound(server(KNOWN).connectTimeout(Duration.ofSeconds(4))
                .handle((in, out) -> out.send(in.receive()).then(out.completeOutbound())));
        DisposableServer secured = bound(server(KNOWN).connectTimeout(Duration.ofSeconds(4)).secure(tls()));
        List<Socket> silent = new ArrayList<>();
        List<AskedClient> asked = new ArrayList<>();
        try {
            for (int i = 0; i < 200; i++) {
                silent.add(new Socket(InetAddress.getLoopbackAddress(), server.port())); // before the handshake
                asked.add(new AskedClient(server)); // when asked who it is
                Socket socket = new Socket(InetAddress.getLoopbackAddress(), secured.port()); // before TLS
                socket.getOutputStream().write(AskedClient.handshake(Handshake.ACCESS | Handshake.TLS));
                silent.add(socket);
            }
            NetioConnection good = client(server).credentials(READER).connectNow(PATIENCE);
            good.send(Flux.range(0, 5_000).map(n -> ByteBuffer.allocate(100))).then(good.completeOutbound()).subscribe();
            assertThat(good.receive().count().block(PATIENCE)).isEqualTo(5_000);
            client(secured).secure(tls()).credentials(READER).connectNow(PATIENCE).dispose();
            for (AskedClient socket : asked) {
                assertThat(socket.rest()).isEmpty(); // the end comes, and nothing before it
            }
            for (Socket socket : silent) {
                socket.setSoTimeout((int) PATIENCE.toMillis());
                assertThat(socket.getInputStream().readAllBytes()).hasSizeLessThan(200); // the handshake, and an alert
            }
        } finally {
            for (Socket socket : silent) {
                socket.close();
            }
            for (AskedClient socket : asked) {
                socket.close();
            }
        }
    }

    @Test
    void shouldMakeAnAddressWaitThatHasFailed() {
        DisposableServer server = bound(server(KNOWN));
        NetioClient wrong = client(server).credentials(NetioCredentials.secret("nobody", SECRET));
        for (int i = 0; i < 3; i++) {
            assertRefused(wrong, NetioAuthenticationException.class, "not authenticated");
        }
        long began = System.nanoTime();
        client(server).credentials(READER).connectNow(PATIENCE);
        assertThat(System.nanoTime() - began).isGreaterThan(TimeUnit.MILLISECONDS.toNanos(400));
    }

    @ParameterizedTest
    @CsvSource({"TCP,false", "LIBFABRIC,false", "TCP,true"})
    void shouldLetManyInAtOnce(BackendType backend, boolean secure) {
        NetioServer listening = server(KNOWN).backend(backend).receiveBuffers(4_096, 2).sendBuffers(4_096, 2)
                .handle((in, out) -> out.send(in.receive()));
        DisposableServer server = bound(secure ? listening.secure(tls()) : listening);
        NetioClient connecting = client(server).backend(backend).credentials(READER).receiveBuffers(4_096, 2)
                .sendBuffers(4_096, 2).connectTimeout(PATIENCE).wiretap(true);
        NetioClient client = secure ? connecting.secure(tls()) : connecting;
        try (Warnings warnings = new Warnings()) {
            assertThat(Flux.range(0, 200).flatMap(n -> client.connect().flatMap(connection -> {
                connection.send(Mono.just(ByteBuffer.allocate(4).putInt(0, n))).subscribe();
                return connection.receive().next();
            }), 200).count().onErrorMap(error -> new AssertionError(warnings.text(), error)).block(PATIENCE)).isEqualTo(200);
        }
    }

    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldLeaveNothingOfConnectsThatAreCancelled(BackendType backend) throws InterruptedException {
        DisposableServer server = bound(server(KNOWN).backend(backend).handle((in, out) -> in.receive().then()));
        NetioClient client = client(server).backend(backend).credentials(READER);
        Hooks.onNextDropped(dropped -> ((NetioConnection) dropped).dispose()); // one that came at the moment of the cancel
        try {
            for (int i = 0; i < 100; i++) {
                Disposable connecting = client.connect().subscribe(NetioConnection::dispose, error -> { });
                TimeUnit.MICROSECONDS.sleep(37L * i);
                connecting.dispose();
            }
        } finally {
            Hooks.resetOnNextDropped();
        }
        Link.await(() -> server.connections() == 0, () -> server.connections() + " connections");
    }

    @Test
    void shouldBearWhatHooksAndAuthenticatorsDoMeanwhile() {
        DisposableServer server = bound(server(KNOWN).doOnConnection(connection -> connection.dispose()));
        NetioClient client = client(server).credentials(READER).doOnConnected(connection ->
                connection.send(Flux.range(0, 100).map(n -> ByteBuffer.allocate(1_000))).subscribe(done -> { }, error -> { }));
        for (int i = 0; i < 20; i++) {
            client.connect().flatMap(NetioConnection::onDispose).block(PATIENCE);
        }
        NetioClient leaving = client(server).credentials(READER).doOnConnected(NetioConnection::dispose);
        for (int i = 0; i < 20; i++) {
            leaving.connect().flatMap(NetioConnection::onDispose).block(PATIENCE);
        }
        DisposableServer throwing = bound(server(KNOWN).doOnConnection(connection -> {
            throw new IllegalStateException("a hook that throws");
        }));
        for (int i = 0; i < 20; i++) {
            client.port(throwing.port()).connect().flatMap(NetioConnection::onDispose).block(PATIENCE);
        }
        Link.await(() -> server.connections() + throwing.connections() == 0, () -> "connections stay open");
        AtomicReference<DisposableServer> closing = new AtomicReference<>();
        closing.set(bound(server(shown -> Mono.fromRunnable(closing.get()::disposeNow))));
        assertRefused(client(closing.get()).credentials(READER), NetioException.class, "");
    }

    @Test
    void shouldEndWithTheLoop() {
        NetioLoops own = NetioLoops.create("own", 1);
        AtomicReference<String> seen = new AtomicReference<>("");
        DisposableServer server = bound(server(shown -> Mono.<Principal>never().doOnSubscribe(s -> seen.set("asked"))));
        Mono<NetioConnection> connecting = client(server).runOn(own).credentials(READER).connect().cache();
        connecting.subscribe(made -> { }, error -> { });
        Link.await(() -> seen.get().equals("asked"), seen::get);
        own.dispose();
        assertThatThrownBy(() -> connecting.block(PATIENCE)).hasMessageContaining("before it was known who connects");
    }
}
