// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivenetio.testing.TestSettings;
import io.reactivenetio.transport.SendCompletion;
import io.reactivenetio.transport.exceptions.ActiveEndpointAlreadyExistsException;
import io.reactivenetio.transport.exceptions.InvalidConnectionParametersException;
import io.reactivenetio.transport.exceptions.InvalidEndpointAddressException;
import io.reactivenetio.transport.exceptions.ListenEndpointAlreadyExistsException;
import io.reactivenetio.transport.exceptions.NetioBindException;
import io.reactivenetio.transport.exceptions.NetioConnectException;
import io.reactivenetio.transport.exceptions.NetioException;
import io.reactivenetio.transport.exceptions.UnknownActiveEndpointException;
import io.reactivenetio.transport.exceptions.UnknownListenEndpointException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** How connections begin and end, over any backend. What a {@link Party} checks by itself holds in every test. */
@OverEveryCombination
class ConnectionContractTest extends Contract {
    /** Bytes of the largest buffer that parameters allow. */
    private static final int LARGEST = Integer.MAX_VALUE - 8;

    ConnectionContractTest(Combination combination) {
        super(combination);
    }

    @Test
    void shouldEstablishBothSides() {
        ListenEndpoint listener = server.listen(SMALL);
        assertThat(Addresses.port(listener.localAddress())).isPositive();
        Peer opened = client.connect(listener, SMALL);
        Peer accepted = server.accepted();
        assertThat(opened.endpoint.remoteAddress()).isEqualTo(listener.localAddress());
        assertThat(opened.endpoint.listenEndpoint()).isNull();
        assertThat(accepted.endpoint.listenEndpoint()).isEqualTo(listener);
        Party.await(() -> accepted.established == 1);
    }

    @Test
    void shouldCarryAsMuchAsBothSidesMaySayFirst() {
        byte[] question = new byte[ConnectionData.MAX];
        byte[] answer = new byte[ConnectionData.MAX];
        for (int i = 0; i < ConnectionData.MAX; i++) {
            question[i] = (byte) (i + 1);
            answer[i] = (byte) (100 + i);
        }
        ListenEndpoint listener = server.listen(SMALL.withData(ConnectionData.of(answer)));
        Peer opened = client.connect(listener, SMALL.withData(ConnectionData.of(question)));
        Peer accepted = server.accepted();
        Party.await(() -> accepted.established == 1);
        opened.stream(10, 100);
        Party.await(() -> accepted.received == 10);
        accepted.stream(10, 100);
        Party.await(() -> opened.received == 10);
        assertThat(opened.endpoint.peerData().bytes()).startsWith(answer); // a provider may pad it
        assertThat(accepted.endpoint.peerData().bytes()).startsWith(question);
    }

    @Test
    void shouldSayNothingUnlessAsked() {
        ListenEndpoint listener = server.listen(SMALL);
        Peer opened = client.connect(listener, SMALL);
        Peer accepted = server.accepted();
        Party.await(() -> accepted.established == 1);
        Assumptions.assumeFalse(TestSettings.VERBS, "the connection manager pads what is not there");
        assertThat(opened.endpoint.peerData()).isEqualTo(ConnectionData.none());
        assertThat(accepted.endpoint.peerData()).isEqualTo(ConnectionData.none());
    }

    @Test
    void shouldRefuseWhereNobodyListens() {
        ListenEndpoint listener = server.listen(SMALL);
        server.closeListener(listener);
        Peer peer = client.open(listener.localAddress(), SMALL);
        Party.await(() -> peer.refused == 1);
        assertThat(peer.reason).isInstanceOf(NetioConnectException.class)
                .hasMessageContaining("nobody listens on " + Addresses.format(listener.localAddress()));
    }

    @Test
    void shouldGiveUpAConnectThatTakesTooLong() throws IOException {
        Assumptions.assumeFalse(TestSettings.VERBS && TestSettings.NOBODY.isEmpty(), "no such address is known");
        List<Socket> fillers = new ArrayList<>();
        Party hasty = party("hasty", SMALL, config -> config.withConnectTimeout(Duration.ofMillis(200)));
        try (ServerSocket full = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            SocketAddress address = new InetSocketAddress("127.0.0.1", full.getLocalPort());
            for (int i = 0; i < 2; i++) {
                Socket filler = new Socket();
                fillers.add(filler);
                filler.connect(address, 1_000);
            }
            // a TCP port that does not answer is none to RDMA; an address that does not answer is
            Peer peer = hasty.open(TestSettings.VERBS ? new InetSocketAddress(TestSettings.NOBODY, 4711) : address, SMALL);
            Party.await(() -> peer.refused == 1);
            assertThat(peer.reason).isInstanceOf(NetioConnectException.class).hasMessageContaining("took longer than 200 ms");
        } finally {
            for (Socket filler : fillers) {
                filler.close();
            }
        }
    }

    @Test
    void shouldSayThatAnAddressCannotBeUsed() {
        assertThatThrownBy(() -> server.listen(new InetSocketAddress("192.0.2.1", 4711), SMALL))
                .isInstanceOf(NetioBindException.class).hasMessageContaining("192.0.2.1:4711");
        assertThatThrownBy(() -> server.listen(InetSocketAddress.createUnresolved("no.such.host.invalid", 0), SMALL))
                .isInstanceOf(InvalidEndpointAddressException.class).hasMessageContaining("'no.such.host.invalid'");
        Peer peer = client.open(InetSocketAddress.createUnresolved("no.such.host.invalid", 1), SMALL);
        Party.await(() -> peer.refused == 1);
        assertThat(peer.reason).isInstanceOf(NetioConnectException.class).hasMessageContaining("'no.such.host.invalid'");
    }

    @Test
    void shouldSayThatAPortIsInUse() {
        SocketAddress address = server.listen(SMALL).localAddress();
        assertThatThrownBy(() -> client.listen(address, SMALL))
                .isInstanceOf(NetioBindException.class).hasMessageContaining(Addresses.format(address))
                .hasMessageContaining("in use");
    }

    @Test
    void shouldCloseOnceHoweverOftenAsked() {
        Peer peer = client.connect(server.listen(SMALL), SMALL);
        Peer accepted = server.accepted();
        client.run(() -> {
            client.backend.closeActiveEndpoint(peer.endpoint);
            client.backend.closeActiveEndpoint(peer.endpoint);
        });
        client.closeEndpoint(peer);
        Party.await(() -> peer.closed == 1 && accepted.closed == 1);
        assertThat(peer.cause).isNull();
        assertThat(accepted.cause).isNull();
        assertThat(client.on(() -> client.backend.getBuffer(peer.endpoint))).isNull();
        assertThat(client.on(() -> client.backend.creditsPosted(peer.endpoint))).isZero();
    }

    @Test
    void shouldGiveUpAnAttemptThatIsClosed() {
        ListenEndpoint listener = server.listen(SMALL);
        Peer peer = client.onLoop(() -> {
            Peer opening = client.open(listener.localAddress(), SMALL);
            client.backend.closeActiveEndpoint(opening.endpoint);
            return opening;
        });
        Party.await(() -> peer.refused == 1);
        assertThat(peer.reason).isInstanceOf(NetioConnectException.class).hasMessageContaining("before it was established");
    }

    @Test
    void shouldAllowToCloseFromInsideEachCallback() {
        ListenEndpoint listener = server.listen(SMALL);
        server.onEstablished = peer -> server.backend.closeActiveEndpoint(peer.endpoint);
        Peer first = client.connect(listener, SMALL);
        Party.await(() -> first.closed == 1);
        server.onEstablished = peer -> { };
        server.onData = peer -> server.backend.closeActiveEndpoint(peer.endpoint);
        server.onClosed = peer -> server.backend.closeActiveEndpoint(peer.endpoint);
        Peer second = client.connect(listener, SMALL);
        second.stream(20, 100);
        Party.await(() -> second.closed == 1);
        assertThat(server.accepted().received).isEqualTo(1);
        client.onCompleted = peer -> client.backend.closeActiveEndpoint(peer.endpoint);
        Peer third = client.connect(listener, SMALL);
        third.stream(8, 100);
        Party.await(() -> third.closed == 1);
    }

    @Test
    void shouldEndOnlyTheConnectionWhoseCallbackThrows() {
        ListenEndpoint listener = server.listen(SMALL);
        Peer good = client.connect(listener, SMALL);
        Peer goodAccepted = server.accepted();
        Peer bad = client.connect(listener, SMALL);
        Party.await(() -> server.peers.size() == 2);
        Peer badAccepted = server.accepted();
        server.onData = peer -> {
            if (peer.equals(badAccepted)) {
                throw new IllegalArgumentException("thrown by a callback");
            }
        };
        bad.stream(3, 10);
        Party.await(() -> bad.closed == 1 && badAccepted.closed == 1);
        assertThat(badAccepted.cause).hasMessageContaining("thrown by a callback");
        assertThat(server.reported).hasSize(1);
        server.reported.clear();
        good.stream(100, 10);
        Party.await(() -> goodAccepted.received == 100);
    }

    @Test
    void shouldCloseEverythingWithTheLoop() {
        ListenEndpoint listener = server.listen(SMALL);
        List<Peer> peers = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            peers.add(client.connect(listener, SMALL));
        }
        peers.forEach(peer -> peer.stream(1_000_000, 500));
        Party.await(() -> server.peers.size() == 5);
        server.loop.close();
        Party.await(() -> peers.stream().allMatch(peer -> peer.closed == 1));
        assertThat(server.peers).allMatch(peer -> peer.closed == 1);
    }

    @Test
    void shouldCloseTheBackendFromACallback() {
        server.onData = peer -> server.backend.close();
        Peer peer = client.connect(server.listen(SMALL), SMALL);
        peer.stream(5, 10);
        Party.await(() -> peer.closed == 1);
        Party.await(() -> server.accepted().closed == 1);
        assertThatThrownBy(() -> server.listen(SMALL)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void shouldServeAHundredConnections() {
        ListenEndpoint listener = server.listen(SMALL);
        List<Peer> peers = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            peers.add(client.open(listener.localAddress(), SMALL));
        }
        Party.await(() -> peers.stream().allMatch(peer -> peer.established == 1));
        peers.forEach(peer -> peer.stream(100, 100));
        Party.await(() -> server.peers.size() == 100 && server.peers.stream().allMatch(peer -> peer.received == 100));
    }

    @Test
    void shouldSpeakIPv6() {
        ListenEndpoint listener;
        try {
            listener = server.listen(new InetSocketAddress(TestSettings.ADDRESS6, 0), SMALL);
        } catch (NetioBindException e) {
            Assumptions.abort("no IPv6 loopback: " + e.getMessage());
            return;
        }
        Peer peer = client.connect(listener, SMALL);
        peer.stream(10, 100);
        Party.await(() -> server.accepted().received == 10);
    }

    // ---- each exception

    @Test
    void shouldListenOnceOnAnAddress() {
        SocketAddress address = server.listen(SMALL).localAddress();
        assertThatThrownBy(() -> server.listen(address, SMALL)).isInstanceOf(ListenEndpointAlreadyExistsException.class)
                .isInstanceOf(NetioBindException.class).hasMessageContaining(Addresses.format(address));
    }

    @Test
    void shouldNeedAPortToConnectTo() {
        assertThatThrownBy(() -> client.open(new InetSocketAddress("127.0.0.1", 0), SMALL))
                .isInstanceOf(InvalidEndpointAddressException.class).hasMessage("no port to connect to in 127.0.0.1:0");
    }

    @Test
    void shouldConnectOnceToAnAddressIfExclusive() {
        SocketAddress address = server.listen(SMALL).localAddress();
        Party exclusive = party("exclusive", SMALL, config -> config.withExclusive(true));
        Peer first = exclusive.connect(address, SMALL);
        assertThatThrownBy(() -> exclusive.open(address, SMALL)).isInstanceOf(ActiveEndpointAlreadyExistsException.class)
                .hasMessageContaining(Addresses.format(address)).hasMessageContaining("exclusive");
        List<Peer> again = new ArrayList<>();
        exclusive.onClosed = peer -> {
            if (again.isEmpty()) {
                again.add(exclusive.open(address, SMALL)); // free from the callback on
            }
        };
        exclusive.closeEndpoint(first);
        Party.await(() -> first.closed == 1 && again.size() == 1 && again.getFirst().established == 1);
        assertThat(BackendConfig.defaults().exclusive()).isTrue();
        Peer refused = exclusive.open(new InetSocketAddress(TestSettings.ADDRESS, 1), SMALL);
        Party.await(() -> refused.refused == 1);
        Peer refusedAgain = exclusive.open(new InetSocketAddress(TestSettings.ADDRESS, 1), SMALL);
        Party.await(() -> refusedAgain.refused == 1);
    }

    @Test
    void shouldKnowItsOwnEndpointsOnly() {
        ListenEndpoint listener = server.listen(SMALL);
        Peer peer = client.connect(listener, SMALL);
        SendBuffer buffer = client.on(() -> client.backend.getBuffer(peer.endpoint));
        assertThat(buffer).isNotNull();
        NetworkBackend other = server.backend;
        List<Runnable> calls = List.of(() -> other.getBuffer(peer.endpoint),
                () -> other.sendBuffer(peer.endpoint, buffer, SendCompletion.TRANSMITTED),
                () -> other.sendZeroCopy(peer.endpoint, new GatherList(), 1, SendCompletion.TRANSMITTED),
                () -> other.sendCopy(peer.endpoint, ByteBuffer.allocate(1)), () -> other.freeSendBuffers(peer.endpoint),
                () -> other.creditsPosted(peer.endpoint), () -> other.closeActiveEndpoint(peer.endpoint),
                () -> other.getBuffer(new Endpoint(listener.localAddress(), null, "mine")));
        for (Runnable call : calls) {
            assertThatThrownBy(() -> server.run(call)).isInstanceOf(UnknownActiveEndpointException.class)
                    .hasMessageContaining("is not of this backend");
        }
        for (Runnable call : List.<Runnable>of(() -> client.backend.closeListenEndpoint(listener),
                () -> client.backend.stopListening(listener))) {
            assertThatThrownBy(() -> client.run(call)).isInstanceOf(UnknownListenEndpointException.class)
                    .hasMessageContaining("is not of this backend");
        }
        client.run(buffer::release);
        peer.stream(10, 10);
        Party.await(() -> server.accepted().received == 10);
    }

    @Test
    void shouldRefuseToShareTheBuffersOfOneConnection() {
        Assumptions.assumeFalse(combination.shared(), "of buffers that are not shared only");
        ListenEndpoint listener = server.listen(SMALL);
        assertThatThrownBy(() -> client.open(listener.localAddress(), SMALL.withSharedReceiveBuffers(64, 4)))
                .isInstanceOf(InvalidConnectionParametersException.class).hasMessageContaining("listen endpoint");
    }

    /** Each listener's connections share their own. */
    @Test
    void shouldShareReceiveBuffersAmongTheConnectionsOfAListener() {
        Assumptions.assumeFalse(combination.shared(), "of buffers that are not shared only");
        ConnectionParameters sharing = SMALL.withSharedReceiveBuffers(1024, 8);
        ListenEndpoint one = server.listen(sharing);
        ListenEndpoint other = server.listen(sharing);
        for (int round = 0; round < 3; round++) {
            List<Party.Pair> pairs = new ArrayList<>();
            for (int i = 0; i < 12; i++) {
                pairs.add(client.connect(server, i % 2 == 0 ? one : other, SMALL));
            }
            pairs.forEach(pair -> pair.opened().stream(500, 500));
            Party.await(() -> pairs.stream().allMatch(pair -> pair.accepted().received == 500));
            Party.await(() -> server.on(() -> server.backend.creditsPosted(pairs.getFirst().accepted().endpoint)) == 8);
            pairs.forEach(pair -> client.closeEndpoint(pair.opened())); // and the last takes the buffers along
            Party.await(() -> pairs.stream().allMatch(pair -> pair.accepted().closed == 1));
        }
    }

    @Test
    void shouldRefuseMoreConnectionsThanTheLimit() {
        Party few = party("few", SMALL, config -> config.withMaxConnections(3));
        ListenEndpoint listener = few.listen(SMALL);
        List<Party.Pair> pairs = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            pairs.add(client.connect(few, listener, SMALL));
        }
        Peer fourth = client.open(listener.localAddress(), SMALL);
        Party.await(() -> fourth.refused + fourth.closed == 1); // TCP knows no way to refuse
        assertThat(few.peers).hasSize(3);
        client.connect(few, few.listen(SMALL), SMALL); // each listener has its own limit
        client.closeEndpoint(pairs.getFirst().opened());
        Party.await(() -> pairs.getFirst().accepted().closed == 1);
        client.connect(few, listener, SMALL);
    }

    /** As those of a server that listens on two networks. */
    @Test
    void shouldLimitListenersTogetherThatCountTogether() {
        Party few = party("few", SMALL, config -> config.withMaxConnections(3));
        AcceptedConnections accepted = new AcceptedConnections(Integer.MAX_VALUE);
        BackendChooser counting = counting(few, accepted);
        List<ListenEndpoint> listeners = List.of(few.listen(SMALL, counting), few.listen(SMALL, counting));
        List<Party.Pair> pairs = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            pairs.add(client.connect(few, listeners.get(i % 2), SMALL));
        }
        for (ListenEndpoint listener : listeners) {
            Peer fourth = client.open(listener.localAddress(), SMALL);
            Party.await(() -> fourth.refused + fourth.closed == 1);
        }
        assertThat(few.peers).hasSize(3);
        client.closeEndpoint(pairs.getFirst().opened());
        Party.await(() -> pairs.getFirst().accepted().closed == 1 && accepted.number() == 2);
        client.connect(few, listeners.get(1), SMALL);
    }

    private static BackendChooser counting(Party party, AcceptedConnections accepted) {
        return new BackendChooser() {
            @Override
            public NetworkBackend choose(SocketAddress remote) {
                return party.backend;
            }

            @Override
            public AcceptedConnections accepted() {
                return accepted;
            }
        };
    }

    /** All of the clients are at one address here. */
    @Test
    void shouldLimitTheConnectionsOfOneAddress() {
        Party few = party("few", SMALL, config -> config);
        AcceptedConnections accepted = new AcceptedConnections(2);
        ListenEndpoint listener = few.listen(SMALL, counting(few, accepted));
        Party.Pair first = client.connect(few, listener, SMALL);
        client.connect(few, listener, SMALL);
        for (int i = 0; i < 5; i++) {
            Peer third = client.open(listener.localAddress(), SMALL);
            Party.await(() -> third.refused + third.closed == 1);
        }
        assertThat(few.peers).hasSize(2);
        assertThat(accepted.number()).isEqualTo(2);
        client.closeEndpoint(first.opened());
        Party.await(() -> first.accepted().closed == 1 && accepted.number() == 1);
        client.connect(few, listener, SMALL);
    }

    @Test
    void shouldSayThatThereIsNoMemoryForSoManyBuffers() {
        ListenEndpoint listener = server.listen(SMALL);
        int most = ConnectionParameters.MAX_BUFFERS;
        if (combination.shared()) {
            assertThatThrownBy(() -> party("greedy", new ConnectionParameters(64, 4, LARGEST, most)))
                    .isInstanceOf(NetioException.class).hasMessageContaining("no memory for the shared send buffers");
            Party greedy = party("greedy", new ConnectionParameters(LARGEST, most, 64, 4));
            Peer peer = greedy.open(listener.localAddress(), SMALL);
            Party.await(() -> peer.refused == 1);
            assertThat(peer.reason).hasMessageContaining(combination.isVerbs() // Soft-RoCE has messages of 8 MiB at most
                    ? "shared receive size of " + LARGEST + " bytes: provider verbs has messages of at most "
                    : "no memory for the shared receive buffers");
        } else {
            assertThatThrownBy(() -> client.open(listener.localAddress(), SMALL.withSendBuffers(LARGEST, most)))
                    .isInstanceOf(NetioException.class).hasMessageContaining("no memory for the buffers");
        }
        client.connect(server, listener, SMALL);
    }
}
