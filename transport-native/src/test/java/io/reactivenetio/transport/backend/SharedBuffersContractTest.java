// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivenetio.testing.TestSettings;
import io.reactivenetio.transport.SendCompletion;
import io.reactivenetio.transport.exceptions.InvalidConnectionParametersException;
import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Buffers that all connections of a backend share: everybody gets a turn, whatever the others do. */
@OverEveryCombination
class SharedBuffersContractTest extends Contract {
    private static final ConnectionParameters LARGE = new ConnectionParameters(60_000, 8, 60_000, 8);

    SharedBuffersContractTest(Combination combination) {
        super(combination);
    }

    @BeforeEach
    void assumeShared() {
        Assumptions.assumeTrue(combination.shared(), "of shared buffers only");
    }

    /** Plain TCP closes whoever is long over a message, as also a busy machine may be: there no hoarder has to be closed. */
    private Party impatientWithHoarders() {
        return impatient(Duration.ofMillis(combination.isPlainTcp() ? 10_000 : 300));
    }

    private Party impatient(Duration timeout) {
        return party("impatient", SMALL, config -> config.withStarvationTimeout(timeout));
    }

    /** B drains the pool towards a peer that does not receive; A, with nothing in flight, proceeds. */
    @Test
    void shouldLetWhoeverHasNothingInFlightSend() {
        restart(LARGE, LARGE);
        Party deaf = party("deaf", LARGE);
        deaf.onEstablished = peer -> peer.hold = true;
        Peer b = client.connect(deaf.listen(LARGE), LARGE);
        b.stream(10_000, 60_000, SendCompletion.DELIVERED);
        Party.await(() -> b.out.turnedAway > 0 && deaf.accepted().received == combination.usable(8));
        Party.Pair a = client.connect(server, server.listen(LARGE), LARGE);
        int number = TestSettings.scaled(2_000);
        a.opened().stream(number, 1_000);
        Party.await(() -> a.accepted().received == number && a.opened().completed == number);
        assertThat(b.closed).isZero();
    }

    @Test
    void shouldCallBackEverybodyInLine() {
        ConnectionParameters one = SMALL.withSendBuffers(64, 1);
        restart(SMALL, one);
        ListenEndpoint listener = server.listen(SMALL);
        Peer a = client.connect(listener, one);
        Peer b = client.connect(listener, one);
        Peer c = client.connect(listener, one);
        SendBuffer only = client.on(() -> client.backend.getBuffer(a.endpoint));
        assertThat(only).isNotNull();
        assertThat(client.on(() -> client.backend.getBuffer(b.endpoint))).isNull();
        assertThat(client.on(() -> client.backend.getBuffer(c.endpoint))).isNull();
        assertThat(b.resources + c.resources).isZero();
        client.run(only::release);
        Party.await(() -> b.resources == 1 && c.resources == 1);
        SendBuffer next = client.on(() -> client.backend.getBuffer(c.endpoint));
        assertThat(next).isNotNull();
        client.run(next::release);
        assertThat(a.resources).isZero();
    }

    /** Called back, it may take its turn later: another thread is told by a queue, and somebody else stays in line. */
    @Test
    void shouldKeepTheTurnOfWhoeverWasCalledBack() {
        restart(SMALL, SMALL);
        ListenEndpoint listener = server.listen(SMALL);
        Peer a = client.connect(listener, SMALL);
        Peer b = client.connect(listener, SMALL);
        List<SendBuffer> lent = new ArrayList<>();
        client.run(() -> {
            SendBuffer buffer;
            while ((buffer = client.backend.getBuffer(a.endpoint)) != null) {
                lent.add(buffer);
            }
        });
        assertThat(lent).hasSize(7); // one is kept for b, and a waits in line for it
        SendBuffer first = client.on(() -> client.backend.getBuffer(b.endpoint));
        if (first == null) { // a is before it
            Party.await(() -> b.resources == 1);
            first = client.on(() -> client.backend.getBuffer(b.endpoint));
        }
        assertThat(first).isNotNull();
        lent.add(first);
        client.run(() -> lent.forEach(SendBuffer::release));
        Party.await(() -> a.resources > 0);
    }

    @Test
    void shouldShareFairlyAmongMany() {
        ListenEndpoint listener = server.listen(SMALL);
        List<Peer> peers = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            peers.add(client.connect(listener, SMALL));
        }
        int number = TestSettings.scaled(1_000);
        peers.forEach(peer -> peer.stream(number, 500));
        Party.await(() -> peers.stream().allMatch(peer -> peer.completed == number));
        Party.await(() -> server.peers.stream().allMatch(peer -> peer.received == number));
        Party.await(() -> client.on(() -> client.backend.freeSendBuffers(peers.getFirst().endpoint)) == 8);
    }

    // ---- hoarders

    /** One keeps what it receives before there is another. */
    @Test
    void shouldGoOnDespiteAHoarderThatCameFirst() {
        Party server = impatientWithHoarders();
        ListenEndpoint listener = server.listen(SMALL);
        server.onEstablished = peer -> peer.hold = true;
        Party.Pair hoarder = client.connect(server, listener, SMALL);
        hoarder.opened().stream(100, 100);
        Party.await(() -> hoarder.accepted().received == combination.usable(8));
        server.onEstablished = peer -> { };
        Party.Pair other = client.connect(server, listener, SMALL);
        other.opened().stream(1_000, 100);
        Party.await(() -> other.accepted().received == 1_000);
        if (combination.isPlainTcp()) {
            expectNotRead(hoarder.accepted(), 7);
        } else {
            expectThrownOut(hoarder.accepted());
            hoarder.accepted().release(8);
        }
    }

    /** It is simply not read, until it releases what it has. */
    private static void expectNotRead(Peer hoarder, int holds) {
        assertThat(hoarder.received).isEqualTo(holds);
        assertThat(hoarder.closed).isZero();
        hoarder.hold = false;
        hoarder.release(holds);
        Party.await(() -> hoarder.received == 100);
    }

    private static void expectThrownOut(Peer hoarder) {
        assertThat(hoarder.closed).isEqualTo(1);
        assertThat(hoarder.cause).hasMessageContaining("holds 8 of the 8 shared receive buffers").hasMessageContaining("300 ms");
        long number = 0;
        for (ReceivedBuffer held : hoarder.held) {
            assertThat(held.data().getLong(0)).isEqualTo(number++);
        }
    }

    /** One keeps what it receives while others are idle, or busy with sending: that must not put its end off. */
    @Test
    void shouldGoOnDespiteAHoarderWhileOthersSend() {
        Party server = impatientWithHoarders();
        ListenEndpoint listener = server.listen(SMALL);
        Party.Pair sending = client.connect(server, listener, SMALL);
        Party.Pair other = client.connect(server, listener, SMALL);
        server.onEstablished = peer -> peer.hold = true;
        Party.Pair hoarder = client.connect(server, listener, SMALL);
        sending.accepted().stream(Long.MAX_VALUE / 2, 100);
        hoarder.opened().stream(100, 100);
        int most = combination.isPlainTcp() ? 6 : 8;
        Party.await(() -> hoarder.accepted().received == most);
        other.opened().stream(1_000, 100);
        Party.await(() -> other.accepted().received == 1_000);
        if (combination.isPlainTcp()) {
            expectNotRead(hoarder.accepted(), 6);
        } else {
            expectThrownOut(hoarder.accepted());
            hoarder.accepted().release(8);
        }
    }

    /** Nobody is thrown out who has his part only. */
    @Test
    void shouldSpareWhoeverHoldsHisPart() {
        Party server = impatient(Duration.ofSeconds(1));
        ListenEndpoint listener = server.listen(SMALL);
        server.onEstablished = peer -> peer.hold = true;
        Party.Pair a = client.connect(server, listener, SMALL);
        Party.Pair b = client.connect(server, listener, SMALL);
        int each = combination.isPlainTcp() ? 3 : 4;
        a.opened().stream(each, 100);
        b.opened().stream(each, 100);
        Party.await(() -> a.accepted().received == each && b.accepted().received == each);
        Party.sleep(2_200); // more than twice what is allowed: nothing is to be waited for
        assertThat(a.accepted().closed + b.accepted().closed).isZero();
        a.accepted().release(each);
        b.accepted().release(each);
        a.opened().stream(each, 100);
        Party.await(() -> a.accepted().received == 2 * each);
        a.accepted().release(each);
    }

    /** A peer that begins a message and does not finish it has a buffer; so many of them have all. */
    @Test
    void shouldCloseWhoeverLeavesMessagesUnfinished() throws IOException {
        Assumptions.assumeTrue(combination.isPlainTcp(), "of plain TCP only");
        Party server = impatient(Duration.ofSeconds(2));
        ListenEndpoint listener = server.listen(SMALL);
        List<Socket> slow = new ArrayList<>();
        try {
            for (int i = 0; i < 8; i++) {
                Socket socket = new Socket("127.0.0.1", Addresses.port(listener.localAddress()));
                slow.add(socket);
                socket.getOutputStream().write(
                        ByteBuffer.allocate(10).order(ByteOrder.LITTLE_ENDIAN).putInt(100).array());
            }
            Party.await(() -> server.peers.size() == 8 && server.on(
                    () -> server.backend.creditsPosted(server.accepted().endpoint)) == 1); // its own, begun
            Party.Pair good = client.connect(server, listener, SMALL);
            good.opened().stream(1_000, 100);
            Party.await(() -> good.accepted().received == 1_000);
            List<Peer> closed = server.peers.stream().filter(peer -> peer.closed == 1).toList();
            assertThat(closed).isNotEmpty().allSatisfy(peer -> assertThat(peer.cause)
                    .hasMessageContaining("began a message more than 2000 ms ago"));
        } finally {
            for (Socket socket : slow) {
                socket.close();
            }
        }
    }

    /** What a peer that dies in the middle of a message had of the shared buffers comes back. */
    @Test
    void shouldGetBackWhatDeadPeersHad() {
        ConnectionParameters big = new ConnectionParameters(500_000, 4, 500_000, 4);
        restart(big, big);
        ListenEndpoint listener = server.listen(big);
        for (int round = 0; round < TestSettings.scaled(40); round++) {
            Party.Pair pair = client.connect(server, listener, big);
            pair.opened().stream(100, 500_000);
            Party.await(() -> pair.accepted().received > 0);
            client.closeEndpoint(pair.opened());
            Party.await(() -> pair.opened().closed == 1 && pair.accepted().closed == 1);
        }
        Party.Pair last = client.connect(server, listener, big);
        Party.await(() -> server.on(() -> server.backend.creditsPosted(last.accepted().endpoint)) == 4);
        assertThat(client.on(() -> client.backend.freeSendBuffers(last.opened().endpoint))).isEqualTo(4);
        last.opened().stream(20, 500_000);
        Party.await(() -> last.accepted().received == 20);
    }

    @Test
    void shouldRefuseParametersThatContradictThem() {
        ListenEndpoint listener = server.listen(SMALL);
        ConnectionParameters none = new ConnectionParameters(0, 0, 0, 0);
        for (ConnectionParameters own : List.of(none.withReceiveBuffers(64, 3), none.withSendBuffers(64, 3))) {
            String message = (own.receiveBuffers() > 0 ? "receive" : "send")
                    + " buffers, but the connection asks for 3 of its own";
            assertThatThrownBy(() -> server.backend.openListenEndpoint(listener.localAddress(), own, null))
                    .isInstanceOf(InvalidConnectionParametersException.class).hasMessageContaining(message);
            assertThatThrownBy(() -> client.on(() -> client.backend.openActiveEndpoint(listener.localAddress(), own)))
                    .isInstanceOf(InvalidConnectionParametersException.class).hasMessageContaining(message);
        }
    }
}
