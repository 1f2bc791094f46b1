// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import static io.reactivenetio.testing.TestSettings.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.api.Network;
import io.reactivenetio.api.NetioAuthenticator;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.api.NetioCredentials;
import io.reactivenetio.api.SharedConnection;
import io.reactivenetio.loop.LoopMechanism;
import io.reactivenetio.testing.Eventually;
import io.reactivenetio.testing.TestCertificates;
import io.reactivenetio.transport.BackendType;
import io.reactivenetio.transport.SendCompletion;
import io.reactivenetio.transport.exceptions.InvalidEndpointAddressException;
import io.reactivenetio.transport.exceptions.NetioAuthenticationException;
import io.reactivenetio.transport.exceptions.NetioBindException;
import io.reactivenetio.transport.exceptions.NetioConnectException;
import java.io.IOException;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;

/** Servers and clients that meet at a file of the machine: unix(7). */
@Timeout(120)
class UnixSocketTest extends SecuredEnds {
    private static final String SECRET = "sixteen random bytes or more";

    @TempDir
    private Path directory;
    private Path file;
    private UnixDomainSocketAddress address;

    @BeforeEach
    void name() {
        file = directory.resolve("detector.sock");
        address = UnixDomainSocketAddress.of(file);
    }

    private NetioServer atFile() {
        return server().bindAddress(() -> address);
    }

    private NetioClient toFile() {
        return NetioClient.create().backend(BackendType.TCP).runOn(loops).remoteAddress(() -> address);
    }

    private static List<Integer> numbers(int number) {
        return Flux.range(0, number).collectList().block();
    }

    private static NetioServer echo(NetioServer server) {
        return server.handle((in, out) -> out.send(in.receive()).then(out.completeOutbound()));
    }

    private static void assertEchoes(NetioConnection client, int number) {
        client.send(Flux.range(0, number).map(n -> ByteBuffer.allocate(4 + n % 500).putInt(0, n)))
                .then(client.completeOutbound()).subscribe();
        assertThat(client.receive(buffer -> buffer.getInt(0)).take(number).collectList().block(PATIENCE))
                .isEqualTo(numbers(number));
    }

    private static void assertCannotBind(NetioServer server, String words) {
        assertThatThrownBy(() -> server.bindNow(PATIENCE)).isInstanceOf(NetioBindException.class).hasMessageContaining(words);
    }

    /** What a server leaves that dies. */
    private void leaveFile() throws IOException {
        ServerSocketChannel.open(StandardProtocolFamily.UNIX).bind(address).close();
        assertThat(file).exists();
    }

    // ---- messages

    @ParameterizedTest
    @CsvSource({"STREAM,TCP", "STREAM,AUTO", "RAW,TCP", "PAGE,TCP", "PAGE,AUTO"})
    void shouldCarryMessagesBothWays(FramingKind kind, BackendType backend) throws InterruptedException {
        DisposableServer server = bound(echo(atFile()).backend(backend).framing(kind.framing()));
        NetioConnection client = toFile().backend(backend).framing(kind.framing()).connectNow(PATIENCE);
        assertThat(client.network()).isEqualTo(Network.PLAIN_TCP);
        assertThat(server.address()).isEqualTo(address);
        assertThat(server.port()).isZero();
        assertThat(client.remoteAddress()).isEqualTo(address);
        assertThat(client.localAddress()).isEqualTo(UnixDomainSocketAddress.of(""));
        NetioConnection accepted = accepted();
        assertThat(accepted.localAddress()).isEqualTo(address);
        assertThat(accepted.remoteAddress()).isEqualTo(UnixDomainSocketAddress.of(""));
        assertThat(accepted).asString().contains("unix:(unnamed)");
        assertEchoes(client, 20_000);
    }

    @Test
    void shouldCompleteWhenThePeerHasWhatWasDelivered() {
        bound(atFile().handle((in, out) -> in.receive().then()));
        NetioConnection client = toFile().connectNow(PATIENCE);
        client.completion(SendCompletion.DELIVERED).send(Flux.range(0, 1_000).map(n -> message(n, 60_000))).block(PATIENCE);
        client.disposeNow();
    }

    /** Nothing is read, so the kernel's buffers fill up, and the sender stops asking. */
    @Test
    void shouldHoldASenderBack() throws InterruptedException {
        bound(atFile().framing(Framing.raw()).receiveBuffers(4_096, 4));
        NetioConnection client = toFile().framing(Framing.raw()).sendBuffers(4_096, 4).connectNow(PATIENCE);
        AtomicInteger asked = new AtomicInteger();
        client.send(Flux.range(0, 100_000).doOnNext(n -> asked.incrementAndGet()).map(n -> message(n, 4_000)))
                .subscribe(nothing -> { }, error -> { });
        NetioConnection accepted = accepted();
        Eventually.await("some are sent", () -> asked.get() > 4);
        assertThat(asked).hasValueLessThan(5_000);
        assertThat(accepted.receive(buffer -> buffer.getInt(0)).take(10_000).collectList().block(PATIENCE))
                .isEqualTo(numbers(10_000));
    }

    @Test
    void shouldTellBothOfTheEnd() throws InterruptedException {
        DisposableServer server = bound(atFile());
        NetioConnection first = toFile().connectNow(PATIENCE);
        NetioConnection of = accepted();
        first.dispose();
        of.onDispose().block(PATIENCE);
        NetioConnection second = toFile().connectNow(PATIENCE);
        accepted().dispose();
        second.onDispose().block(PATIENCE);
        server.disposeNow();
        assertThat(server.connections()).isZero();
    }

    @Test
    void shouldAcceptManyAtOnce() {
        bound(echo(atFile()));
        List<NetioConnection> clients = Flux.range(0, 500).flatMap(i -> toFile().connect(), 500).collectList().block(PATIENCE);
        assertThat(clients).hasSize(500);
        assertEchoes(clients.getLast(), 100);
        clients.forEach(NetioConnection::dispose);
    }

    // ---- the file

    @ParameterizedTest
    @EnumSource
    void shouldDeleteTheFileWhenItNoLongerListens(LoopMechanism mechanism) throws InterruptedException {
        mechanism.unavailability().ifPresent(Assumptions::abort);
        NetioLoops own = NetioLoops.builder().mechanism(mechanism).build();
        for (int i = 0; i < 5; i++) {
            DisposableServer server = bound(echo(atFile().runOn(own)));
            assertThat(file).exists();
            NetioConnection client = toFile().runOn(own).connectNow(PATIENCE);
            accepted();
            server.dispose(); // and the next server waits for that
            assertEchoes(client, 10);
        }
        servers.getLast().onDispose().block(PATIENCE);
        assertThat(file).doesNotExist();
        own.dispose();
        assertRefused(toFile(), NetioConnectException.class, "nobody listens on unix:" + file, "No such file");
    }

    @Test
    void shouldReplaceTheFileOfAServerThatHasDied() throws IOException {
        leaveFile();
        assertRefused(toFile(), NetioConnectException.class, "nobody listens on unix:" + file, "refused");
        bound(echo(atFile()));
        assertEchoes(toFile().connectNow(PATIENCE), 10);
    }

    @Test
    void shouldNotTakeTheFileOfAServerThatListens() {
        bound(echo(atFile()));
        assertCannotBind(atFile(), "cannot listen on unix:" + file + ": Address already in use");
        assertEchoes(toFile().connectNow(PATIENCE), 10);
    }

    @Test
    void shouldNotDeleteWhatIsNoSocket() throws IOException {
        Files.writeString(file, "data");
        assertCannotBind(atFile(), "Address already in use");
        assertThat(file).hasContent("data");
        Files.delete(file);
        Path other = Files.writeString(directory.resolve("other"), "more");
        Files.createSymbolicLink(file, other);
        assertCannotBind(atFile(), "Address already in use");
        assertThat(other).hasContent("more");
    }

    @Test
    void shouldNotDeleteWhatHasTakenThePlaceOfItsFile() throws IOException {
        DisposableServer server = bound(atFile());
        Files.delete(file);
        Files.writeString(file, "mine"); // which may have the number of the inode
        server.disposeNow();
        assertThat(file).hasContent("mine");
        Files.delete(file);
        DisposableServer before = bound(atFile());
        Files.delete(file);
        DisposableServer after = bound(echo(atFile()));
        before.disposeNow();
        assertEchoes(toFile().connectNow(PATIENCE), 10);
        after.disposeNow();
        assertThat(file).doesNotExist();
    }

    @Test
    void shouldEndWithItsFileGone() throws IOException {
        DisposableServer server = bound(echo(atFile()));
        NetioConnection client = toFile().connectNow(PATIENCE);
        Files.delete(file);
        assertEchoes(client, 10);
        server.disposeNow();
        assertThat(file).doesNotExist();
    }

    @Test
    void shouldSayWhereItCannotListen() {
        address = UnixDomainSocketAddress.of(directory.resolve("none/detector.sock"));
        assertCannotBind(atFile(), "No such file or directory");
        assertRefused(toFile(), NetioConnectException.class, "nobody listens on unix:" + address, "No such file");
    }

    // ---- addresses that are none

    @ParameterizedTest
    @ValueSource(ints = {0, 108, 5_000})
    void shouldSayHowLongAPathMayBe(int length) {
        address = UnixDomainSocketAddress.of("x".repeat(length));
        assertThatThrownBy(() -> atFile().bindNow(PATIENCE)).isInstanceOf(InvalidEndpointAddressException.class)
                .hasMessageContaining("1 to 107 bytes").hasMessageEndingWith("has " + length);
        assertRefused(toFile(), InvalidEndpointAddressException.class, "1 to 107 bytes");
    }

    @Test
    void shouldTakeTheLongestPath() {
        int left = 107 - directory.toString().length() - 1;
        address = UnixDomainSocketAddress.of(directory.resolve("ä".repeat(left / 2) + "x".repeat(left % 2)));
        assertThat(bound(echo(atFile())).address()).isEqualTo(address);
        assertEchoes(toFile().connectNow(PATIENCE), 10);
    }

    @Test
    void shouldSayWhichAddressesThereAre() {
        SocketAddress own = new SocketAddress() {
            private static final long serialVersionUID = 1L;

            @Override
            public String toString() {
                return "own";
            }
        };
        assertRefused(toFile().remoteAddress(() -> own), InvalidEndpointAddressException.class,
                "own is a " + own.getClass().getName(), "UnixDomainSocketAddress");
    }

    @Test
    void shouldSayThatLibfabricHasNone() {
        assertThatThrownBy(() -> atFile().backend(BackendType.LIBFABRIC).bindNow(PATIENCE))
                .isInstanceOf(InvalidEndpointAddressException.class).hasMessageContaining("over plain TCP only");
        assertRefused(toFile().backend(BackendType.LIBFABRIC), InvalidEndpointAddressException.class,
                "unix:" + file, "over plain TCP only");
        assertThat(file).doesNotExist();
    }

    // ---- who connects

    @Test
    void shouldSecureThem() throws IOException {
        TestCertificates own = TestCertificates.local();
        bound(echo(atFile().secure(as(own))));
        assertEchoes(toFile().secure(trusting(own).serverName("localhost")).connectNow(PATIENCE), 1_000);
        assertEchoes(toFile().secure(trusting(own).verifyHost(false)).connectNow(PATIENCE), 1_000);
        assertThatThrownBy(() -> toFile().secure(trusting(own)).connectNow(PATIENCE))
                .hasMessageContaining("a Unix socket (" + file + ")").hasMessageContaining("serverName(…)");
        try (SocketChannel silent = SocketChannel.open(address)) {
            silent.write(ByteBuffer.wrap("GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII)));
            assertThat(silent.read(ByteBuffer.allocate(10_000))).isLessThan(10_000);
        }
        assertEchoes(toFile().secure(trusting(own).verifyHost(false)).connectNow(PATIENCE), 1_000);
    }

    @Test
    void shouldAskWhoTheyAre() {
        byte[] secret = SECRET.getBytes(StandardCharsets.US_ASCII);
        bound(echo(atFile().authenticate(NetioAuthenticator.secrets(Map.of("reader", secret)))));
        byte[] wrong = SECRET.substring(1).getBytes(StandardCharsets.US_ASCII);
        assertRefused(toFile().credentials(NetioCredentials.secret("reader", wrong)),
                NetioAuthenticationException.class, "refused");
        assertEchoes(toFile().credentials(NetioCredentials.secret("reader", secret)).connectNow(PATIENCE), 10);
    }

    /** One that binds itself has a name, which could forge a line of a log, or make it another peer than it was before. */
    @Test
    void shouldNotTrustTheirNames() throws IOException, InterruptedException {
        bound(atFile().framing(Framing.raw()));
        try (SocketChannel client = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            client.bind(UnixDomainSocketAddress.of(directory.resolve("a\nname")));
            client.connect(address);
            NetioConnection accepted = accepted();
            assertThat(accepted.remoteAddress()).isEqualTo(UnixDomainSocketAddress.of(""));
            assertThat(accepted).asString().contains("unix:(unnamed)");
        }
    }

    @Test
    void shouldNotCountThemAsAnAddress() {
        bound(echo(atFile().allow("192.0.2.0/24").maxConnectionsPerAddress(1)));
        toFile().connectNow(PATIENCE);
        assertEchoes(toFile().connectNow(PATIENCE), 10);
    }

    @Test
    void shouldConnectAnewToTheNextServer() {
        DisposableServer first = bound(atFile());
        SharedConnection shared = toFile().shared();
        NetioConnection before = shared.get().block(PATIENCE);
        first.disposeNow(Duration.ZERO);
        before.onDispose().block(PATIENCE);
        bound(echo(atFile()));
        assertEchoes(shared.get().retry(3).block(PATIENCE), 10);
        shared.dispose();
    }

    /** With several loops of one's own each accepts. */
    @Test
    void shouldShareConnectionsAmongLoops() {
        bound(echo(atFile().maxHandshakes(1)));
        for (NetioConnection client : Flux.range(0, 20).flatMap(i -> toFile().connect()).collectList().block(PATIENCE)) {
            assertEchoes(client, 100);
        }
    }
}
