// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.backend;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.transport.BackendType;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What plain TCP peers cost, and may keep from others, that have yet to say their connection data. */
@Timeout(120)
class TcpHandshakeTest extends PlainSockets {
    private static final long BYTES_OF_A_CONNECTION = 2L * ConnectionParameters.DEFAULT_BUFFERS
            * ConnectionParameters.DEFAULT_BUFFER_SIZE;

    private Party listen(UnaryOperator<BackendConfig> change) {
        return listenFor(ConnectionData.of(SAID), change.apply(BackendConfig.defaults()
                .withConnectTimeout(Duration.ofMinutes(1))));
    }

    private Party listenFor(ConnectionData data, BackendConfig config) {
        Party party = listen(config, ConnectionParameters.defaults().withData(data));
        party.onEstablished = peer -> peer.numbered = false;
        return party;
    }

    /** A socket of another address than {@link #socket()}. */
    private Socket farSocket() throws IOException {
        Socket socket = new Socket();
        sockets.add(socket);
        socket.setSoTimeout(PATIENCE_MILLIS);
        socket.bind(new InetSocketAddress("127.0.0.2", 0));
        socket.connect(new InetSocketAddress("127.0.0.1", Addresses.port(listener.localAddress())));
        return socket;
    }

    /** The server says its part at once, so whoever has that was accepted. */
    private static void hear(Socket socket) throws IOException {
        assertThat(socket.getInputStream().readNBytes(SAID.length)).hasSize(SAID.length);
    }

    private static void say(Socket socket) throws IOException {
        socket.getOutputStream().write(SAID);
    }

    @Test
    void shouldGiveBuffersWhenThePeerHasSpoken() throws IOException {
        Party party = listen(config -> config);
        long before = NativeMemory.arenas();
        for (int i = 0; i < 100; i++) {
            hear(socket());
        }
        assertThat(NativeMemory.arenas() - before).isLessThan(BYTES_OF_A_CONNECTION);
        sockets.getFirst().getOutputStream().write(SAID, 0, 47);
        say(sockets.getLast());
        Peer peer = party.accepted();
        assertThat(peer.endpoint.peerData()).isEqualTo(ConnectionData.of(SAID));
        assertThat(party.peers).hasSize(1);
        long taken = NativeMemory.arenas() - before;
        assertThat(taken).as("of other tests some garbage may go meanwhile")
                .isBetween(BYTES_OF_A_CONNECTION - BYTES_OF_A_CONNECTION / 10, 2 * BYTES_OF_A_CONNECTION);
        sockets.getLast().close();
        Party.await(() -> peer.closed == 1);
        party.settle();
        assertThat(NativeMemory.arenas() - before).isLessThan(BYTES_OF_A_CONNECTION);
    }

    @Test
    void shouldCloseWhoIsSilentForTooLong() throws IOException {
        Party party = listen(config -> config.withConnectTimeout(Duration.ofMillis(100)));
        for (int i = 0; i < 10; i++) {
            socket();
        }
        for (Socket silent : sockets) {
            hear(silent);
            assertThat(silent.getInputStream().read()).isEqualTo(-1);
        }
        assertThat(party.peers).isEmpty();
    }

    /** In place of waiting for the rest of the connection data, which never comes, until the time is over. */
    @Test
    void shouldNotWaitForThoseWhoSpeakAnotherProtocol() throws IOException {
        Party party = listen(config -> config);
        for (byte[] first : List.of("GET / HTTP/1.0\r\n\r\n".getBytes(StandardCharsets.US_ASCII),
                "SSH-2.0-OpenSSH_9.2\r\n".getBytes(StandardCharsets.US_ASCII), OtherProtocolTest.libfabric(0))) {
            Socket other = socket();
            hear(other);
            other.getOutputStream().write(first);
            assertThat(other.getInputStream().read()).isEqualTo(-1);
        }
        assertThat(party.peers).isEmpty();
    }

    /** Connection data is the user's, and may begin with whatever both sides begin with. */
    @Test
    void shouldWaitForDataThatBeginsAsItsOwn() throws IOException {
        byte[] own = "GET / connection data".getBytes(StandardCharsets.US_ASCII);
        Party party = listenFor(ConnectionData.of(own), BackendConfig.defaults());
        Socket socket = socket();
        assertThat(socket.getInputStream().readNBytes(own.length)).isEqualTo(own);
        socket.getOutputStream().write(own, 0, 8);
        socket.getOutputStream().flush();
        Socket whole = socket();
        whole.getOutputStream().write(own);
        Party.await(() -> party.peers.size() == 1); // so what came before was read
        socket.getOutputStream().write(own, 8, own.length - 8);
        Party.await(() -> party.peers.size() == 2);
    }

    /** What takes the connection and says nothing, or what is not this protocol, is not a network that is black. */
    @Test
    void shouldSayWhatMayBeWrongWithTheServer() throws IOException {
        Party party = new Party("client", BackendType.TCP, BackendConfig.defaults().withConnectTimeout(Duration.ofMillis(200)));
        closes(party);
        ConnectionParameters parameters = ConnectionParameters.defaults().withData(ConnectionData.of(SAID));
        try (ServerSocket listening = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
            Peer silent = party.open((InetSocketAddress) listening.getLocalSocketAddress(), parameters);
            Party.await(() -> silent.refused == 1);
            assertThat(silent.reason).hasMessageContaining("took longer than 200 ms; the other side may use another backend");
            listening.accept().close();
            Peer told = party.open((InetSocketAddress) listening.getLocalSocketAddress(), parameters);
            try (Socket ssh = listening.accept()) {
                ssh.getOutputStream().write("SSH-2.0-a\r\n".getBytes(StandardCharsets.US_ASCII));
                Party.await(() -> told.refused == 1);
                assertThat(told.reason).hasMessageContaining("speaks SSH (\"SSH-2.0-a\"): is this the right host and port?");
            }
        }
    }

    @Test
    void shouldGiveTheSilentUpForOthers() throws IOException {
        Party party = listen(config -> config.withMaxHandshakes(2));
        for (int i = 0; i < 4; i++) {
            socket();
        }
        Socket last = socket();
        say(last);
        Party.await(() -> party.peers.size() == 1);
        hear(last);
        for (Socket silent : sockets.subList(0, 3)) { // all but those that there was still room for
            hear(silent);
            assertThat(silent.getInputStream().read()).isEqualTo(-1);
        }
    }

    /** The silent ones have the places of one address, which has most of them: they lose those, and not who came before. */
    @Test
    void shouldLetTheSilentOfOneAddressTakeTheirOwnPlaces() throws IOException {
        Party party = listen(config -> config.withMaxHandshakes(8));
        Socket far = farSocket();
        hear(far);
        for (int i = 0; i < 200; i++) {
            socket();
        }
        hear(sockets.getLast()); // so many have been given up for it
        assertThat(sockets.get(1).getInputStream().skip(SAID.length)).isEqualTo(SAID.length);
        assertThat(sockets.get(1).getInputStream().read()).isEqualTo(-1);
        say(far);
        Party.await(() -> party.peers.size() == 1);
    }

    /** Who has no more than half of the places is slow, and keeps them beside another that comes for more than its half. */
    @Test
    void shouldKeepHalfOfThePlacesBesideTheSilentOfOneAddress() throws IOException {
        Party party = listen(config -> config.withMaxHandshakes(8));
        List<Socket> far = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            far.add(farSocket());
            hear(far.getLast());
        }
        for (int i = 0; i < 200; i++) {
            socket();
        }
        hear(sockets.getLast()); // so many have been given up for it
        for (Socket slow : far) {
            say(slow);
        }
        Party.await(() -> party.peers.size() == 4);
    }

    /** The silent count as connections, too, so that nobody's handshake succeeds for nothing; but they keep nobody out. */
    @Test
    void shouldGiveTheSilentUpWhereConnectionsAreFew() throws IOException {
        Party party = listen(config -> config.withMaxConnections(1));
        Socket silent = socket();
        hear(silent);
        Socket other = socket();
        say(other);
        Party.await(() -> party.peers.size() == 1);
        assertThat(silent.getInputStream().read()).isEqualTo(-1);
        hear(other);
        assertThat(socket().getInputStream().read()).isEqualTo(-1); // the limit of connections
    }

    @Test
    void shouldTakeMoreAtATimeThanTheLimitIfTheySpeak() throws IOException {
        Party party = listen(config -> config.withMaxHandshakes(3));
        for (int i = 0; i < 50; i++) {
            say(socket());
        }
        for (Socket speaking : sockets) {
            hear(speaking);
        }
        Party.await(() -> party.peers.size() == 50);
        assertThat(party.peers).allMatch(peer -> peer.closed == 0);
    }

    @Test
    void shouldCloseTheSilentWithTheListener() throws IOException {
        Party party = listen(config -> config.withMaxHandshakes(2));
        for (int i = 0; i < 2; i++) {
            hear(socket());
        }
        long before = NativeMemory.sockets();
        party.run(() -> party.backend.stopListening(listener));
        for (Socket silent : sockets) {
            assertThat(silent.getInputStream().read()).isEqualTo(-1);
        }
        Party.await(() -> NativeMemory.sockets() <= before - 3); // the listener's own as well
    }
}
