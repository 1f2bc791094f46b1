// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Connections of the sockets provider to a peer that accepts and then neither reads nor acknowledges anything: their sends never
 * end, and the provider has no way to take them back.
 */
@Timeout(60)
class MutePeerTest {
    private static final byte ACCEPT = 1;
    private static final byte SHUTDOWN = 3;
    private static final int HEADER = 8;
    private static final ConnectionParameters SMALL = Contract.SMALL;

    private ServerSocket requests;
    private ServerSocket data;
    private Socket request;
    private Socket received;

    @BeforeEach
    void listen() throws IOException {
        Assumptions.assumeTrue(Combination.SOCKETS, "libfabric without its provider sockets");
        requests = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
        data = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
    }

    /** Only now do the sends fail, long after their connection was left behind: nobody may be hurt. */
    @AfterEach
    void stop() throws IOException {
        for (AutoCloseable open : new AutoCloseable[] {received, request, data, requests}) {
            if (open instanceof Socket socket) {
                socket.close();
            } else if (open instanceof ServerSocket listener) {
                listener.close();
            }
        }
        Party.sleep(50);
    }

    private static Party party(UnaryOperator<BackendConfig> change) {
        return new Party("client", BackendType.LIBFABRIC, change.apply(BackendConfig.defaults().withProvider("sockets")));
    }

    /** A connection with {@code count} sends under way. */
    private Peer connect(Party client, int count) throws IOException {
        Peer peer = client.open((InetSocketAddress) requests.getLocalSocketAddress(), SMALL);
        request = requests.accept();
        request.setSoTimeout(20_000);
        request.getOutputStream().write(ByteBuffer.allocate(HEADER)
                .put(0, ACCEPT).putShort(4, (short) data.getLocalPort()).array());
        Party.await(() -> peer.established == 1);
        peer.stream(count, 1000);
        received = data.accept();
        assertThat(peer.out.accepted).isEqualTo(count);
        return peer;
    }

    private void tellsThePeer() throws IOException {
        byte[] said = request.getInputStream().readAllBytes();
        assertThat(said[said.length - HEADER]).isEqualTo(SHUTDOWN);
    }

    @Test
    void shouldTellTheEndOfSendsThatNeverEnd() throws IOException {
        try (Party client = party(config -> config); Party server = party(config -> config)) {
            Peer peer = connect(client, 8);
            long time = System.nanoTime();
            client.closeEndpoint(peer);
            Party.await(() -> peer.closed == 1);
            assertThat(System.nanoTime() - time).isBetween(TimeUnit.SECONDS.toNanos(2), TimeUnit.SECONDS.toNanos(15));
            assertThat(peer.cancelled).isEqualTo(8);
            assertThat(peer.cause).isNull();
            tellsThePeer();
            Party.Pair others = client.connect(server, server.listen(SMALL), SMALL);
            others.opened().stream(1_000, 1000);
            Party.await(() -> others.accepted().received == 1_000);
        }
    }

    @Test
    void shouldWaitForSendsThatEndInTime() throws IOException {
        try (Party client = party(config -> config)) {
            Peer peer = connect(client, 8);
            client.closeEndpoint(peer);
            Party.sleep(50);
            assertThat(peer.closed).isZero();
            received.close();
            Party.await(() -> peer.closed == 1);
            assertThat(peer.cancelled).isEqualTo(8);
        }
    }

    @Test
    void shouldCloseItsLoopWithSendsThatNeverEnd() throws IOException {
        Party client = party(config -> config);
        Peer peer = connect(client, 8);
        long time = System.nanoTime();
        client.close();
        assertThat(System.nanoTime() - time).isLessThan(TimeUnit.SECONDS.toNanos(15));
        assertThat(peer.cancelled).isEqualTo(8);
        tellsThePeer();
    }

    @Test
    void shouldNotLendSharedBuffersThatMayStillBeRead() throws IOException {
        UnaryOperator<BackendConfig> shared = config -> config.withSharedSendBuffers(new SharedBuffers(1024, 8));
        try (Party client = party(shared); Party server = party(config -> config)) {
            Peer peer = connect(client, 3);
            client.closeEndpoint(peer);
            Party.await(() -> peer.closed == 1);
            assertThat(peer.cancelled).isEqualTo(3);
            Party.Pair others = client.connect(server, server.listen(SMALL), SMALL);
            assertThat(client.on(() -> client.backend.freeSendBuffers(others.opened().endpoint))).isEqualTo(5);
            others.opened().stream(1_000, 1000);
            Party.await(() -> others.accepted().received == 1_000 && others.opened().completed == 1_000);
            assertThat(client.on(() -> client.backend.freeSendBuffers(others.opened().endpoint))).isEqualTo(5);
        }
    }

    @Test
    void shouldSayThatReceiveBuffersCannotBeShared() {
        assertThatThrownBy(() -> party(config -> config.withSharedReceiveBuffers(new SharedBuffers(1024, 8))))
                .isInstanceOf(NotSupportedException.class).hasMessageContaining("provider sockets");
        try (Party server = party(config -> config)) {
            assertThatThrownBy(() -> server.listen(SMALL.withSharedReceiveBuffers(1024, 8)))
                    .isInstanceOf(InvalidConnectionParametersException.class).hasMessageContaining("provider sockets");
        }
    }
}
