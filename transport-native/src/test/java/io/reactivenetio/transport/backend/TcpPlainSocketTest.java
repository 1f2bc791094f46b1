// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.backend;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.transport.BackendType;
import io.reactivenetio.transport.exceptions.MessageTooLargeException;
import io.reactivenetio.transport.exceptions.NetioProtocolException;
import io.reactivenetio.transport.exceptions.NetioSocketException;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The plain-TCP backend against sockets that are not ours: friendly ones, and ones that mean harm. */
@Timeout(60)
class TcpPlainSocketTest {
    private Party server;
    private ListenEndpoint listener;

    @BeforeEach
    void start() {
        server = new Party("server", BackendType.TCP, BackendConfig.defaults());
        server.onEstablished = peer -> peer.numbered = false;
        listener = server.listen(Contract.SMALL);
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private Socket socket() throws IOException {
        return new Socket("127.0.0.1", Addresses.port(listener.localAddress()));
    }

    private static byte[] frame(byte[] payload) {
        return ByteBuffer.allocate(4 + payload.length).order(ByteOrder.LITTLE_ENDIAN)
                .putInt(payload.length).put(payload).array();
    }

    private static byte[] header(int length) {
        return ByteBuffer.allocate(4).order(ByteOrder.LITTLE_ENDIAN).putInt(length).array();
    }

    /** A whole client in ten lines: this is all there is to the wire format. */
    @Test
    void shouldSpeakWithTenLinesOfSockets() throws IOException {
        AtomicReference<String> received = new AtomicReference<>();
        server.onData = peer -> peer.stream(1, 8);
        server.onEstablished = peer -> {
            peer.numbered = false;
            peer.hold = true;
        };
        try (Socket socket = socket()) {
            OutputStream out = socket.getOutputStream();
            DataInputStream in = new DataInputStream(socket.getInputStream());
            byte[] text = "a message".getBytes(StandardCharsets.UTF_8);
            out.write(ByteBuffer.allocate(4).order(ByteOrder.LITTLE_ENDIAN).putInt(text.length).array());
            out.write(text);
            int length = Integer.reverseBytes(in.readInt());
            byte[] answer = in.readNBytes(length);
            assertThat(answer).isEqualTo(new byte[8]); // number 0
        }
        Peer peer = server.accepted();
        Party.await(() -> peer.closed == 1);
        assertThat(peer.cause).isNull();
        received.set(StandardCharsets.UTF_8.decode(peer.held.element().data()).toString());
        assertThat(received).hasValue("a message");
        peer.release(1);
    }

    @Test
    void shouldConnectToAnyServerSocket() throws IOException {
        try (ServerSocket listening = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
                Party client = new Party("client", BackendType.TCP, BackendConfig.defaults())) {
            Peer peer = client.connect((java.net.InetSocketAddress) listening.getLocalSocketAddress(), Contract.SMALL);
            peer.stream(2, 8);
            try (Socket socket = listening.accept()) {
                assertThat(socket.getInputStream().readNBytes(24))
                        .isEqualTo(new byte[] {8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0});
                socket.getOutputStream().write(frame(new byte[0]));
                Party.await(() -> peer.received == 1);
            }
            Party.await(() -> peer.closed == 1);
            assertThat(peer.cause).isNull();
        }
    }

    /** As lengths its bytes are three, and some zeros: they were delivered as messages. */
    @Test
    void shouldTakeNoGreetingOfLibfabricForMessages() throws IOException {
        try (Socket good = socket(); Socket bad = socket()) {
            bad.getOutputStream().write(OtherProtocolTest.libfabric(0));
            Party.await(() -> server.peers.stream().anyMatch(peer -> peer.closed == 1));
            Peer failed = server.peers.stream().filter(peer -> peer.closed == 1).findFirst().orElseThrow();
            assertThat(failed.received).isZero();
            assertThat(failed.cause).isInstanceOf(NetioProtocolException.class)
                    .hasMessageContaining("uses libfabric's provider tcp");
            assertThat(bad.getInputStream().read()).isEqualTo(-1);
            stillServes(good);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1025, 65_536, Integer.MAX_VALUE, Integer.MIN_VALUE, -1, 0x20544547})
    void shouldFailTheConnectionThatAnnouncesTooMuch(int length) throws IOException {
        try (Socket good = socket(); Socket bad = socket()) {
            Party.await(() -> server.peers.size() == 2);
            bad.getOutputStream().write(header(length));
            Party.await(() -> server.peers.stream().anyMatch(peer -> peer.closed == 1));
            Peer failed = server.peers.stream().filter(peer -> peer.closed == 1).findFirst().orElseThrow();
            assertThat(failed.cause).isInstanceOf(MessageTooLargeException.class)
                    .hasMessageContaining(Integer.toUnsignedString(length) + " bytes")
                    .hasMessageEndingWith(length == 0x20544547 ? "is this the right host and port?"
                            : length < 0 ? "Configure both alike" : "smaller messages on the other side");
            assertThat(bad.getInputStream().read()).isEqualTo(-1);
            stillServes(good);
        }
    }

    private void stillServes(Socket socket) throws IOException {
        long before = server.peers.stream().mapToLong(peer -> peer.received).sum();
        socket.getOutputStream().write(frame(new byte[] {1, 2, 3}));
        Party.await(() -> server.peers.stream().mapToLong(peer -> peer.received).sum() == before + 1);
    }

    @Test
    void shouldNoticeAnEndInTheMiddleOfAMessage() throws IOException {
        for (byte[] part : List.of(new byte[] {5}, header(5), new byte[] {5, 0, 0, 0, 1, 2})) {
            server.peers.clear();
            try (Socket socket = socket()) {
                socket.getOutputStream().write(frame(new byte[] {9}));
                socket.getOutputStream().write(part);
            }
            Peer peer = server.accepted();
            Party.await(() -> peer.closed == 1);
            assertThat(peer.received).isEqualTo(1);
            assertThat(peer.cause).hasMessageContaining("in the middle of a message");
        }
    }

    @Test
    void shouldTellAResetFromAnEnd() throws IOException {
        Socket socket = socket();
        Peer peer = server.accepted();
        socket.setSoLinger(true, 0);
        socket.close();
        Party.await(() -> peer.closed == 1);
        assertThat(peer.cause).isInstanceOf(NetioSocketException.class).hasMessageContaining("reset");
    }

    @Test
    void shouldFindAResetOnceAStarvedReceiverReadsOn() throws IOException {
        server.onEstablished = peer -> {
            peer.numbered = false;
            peer.hold = true;
        };
        Socket socket = socket();
        for (int i = 0; i < 8; i++) {
            socket.getOutputStream().write(frame(new byte[] {1}));
        }
        Peer peer = server.accepted();
        Party.await(() -> peer.received == 8);
        socket.setSoLinger(true, 0);
        socket.close();
        Party.sleep(50);
        assertThat(peer.closed).isZero();
        server.run(() -> peer.release(8));
        Party.await(() -> peer.closed == 1);
        assertThat(peer.cause).isInstanceOf(NetioSocketException.class);
    }

    @Test
    void shouldCloseAStarvedConnectionWhosePeerTakesNothingMore() throws IOException {
        server.onEstablished = peer -> {
            peer.numbered = false;
            peer.hold = true;
        };
        Socket socket = socket();
        for (int i = 0; i < 8; i++) {
            socket.getOutputStream().write(frame(new byte[] {1}));
        }
        Peer peer = server.accepted();
        Party.await(() -> peer.received == 8);
        socket.setSoLinger(true, 0);
        socket.close();
        peer.stream(100_000, 1000);
        Party.await(() -> peer.closed == 1); // though nobody gives a buffer back
        assertThat(peer.cause).isInstanceOf(NetioSocketException.class);
        peer.release(8);
    }

    @Test
    void shouldBearOneByteAtATime() throws Exception {
        byte[] bytes = frame(new byte[] {1, 2, 3, 4, 5});
        try (Socket slow = socket(); Socket silent = socket(); Socket good = socket()) {
            slow.setTcpNoDelay(true);
            for (int i = 0; i < bytes.length - 1; i++) {
                slow.getOutputStream().write(bytes[i]);
                Party.sleep(5);
                stillServes(good);
            }
            slow.getOutputStream().write(bytes[bytes.length - 1]);
            Party.await(() -> server.peers.stream().anyMatch(peer -> peer.sizes.contains(5)));
            stillServes(good);
            assertThat(silent.isConnected()).isTrue();
            assertThat(server.peers).allMatch(peer -> peer.closed == 0);
        }
    }

    @Test
    void shouldSurviveGarbage() throws IOException {
        Random random = new Random(4711);
        try (Socket good = socket()) {
            for (int i = 0; i < 200; i++) {
                byte[] garbage = new byte[random.nextInt(5_000)];
                random.nextBytes(garbage);
                try (Socket socket = socket()) {
                    socket.getOutputStream().write(garbage);
                } catch (IOException closedOnUs) {
                    continue;
                }
            }
            stillServes(good);
        }
        Party.await(() -> server.peers.stream().allMatch(peer -> peer.closed == 1));
    }

    /**
     * What arrives in one piece is delivered in parts, and none is forgotten: 12,000 messages are one read, and callbacks for all
     * of them would make timers late. The others have their part in each of these turns.
     */
    @ParameterizedTest
    @ValueSource(ints = {255, 256, 257, 512, 12_000})
    void shouldDeliverFewSmallMessagesPerTurn(int messages) throws Exception {
        Map<Peer, Map<Long, Integer>> turns = new ConcurrentHashMap<>();
        AtomicLong lead = new AtomicLong();
        server.onData = peer -> {
            turns.computeIfAbsent(peer, one -> new ConcurrentHashMap<>())
                    .merge(server.loop.statistics().turns(), 1, Integer::sum);
            if (peer.received < messages) { // both have something left
                server.peers.forEach(other -> lead.accumulateAndGet(peer.received - other.received, Math::max));
            }
        };
        ByteBuffer all = ByteBuffer.allocate(5 * messages);
        for (int i = 0; i < messages; i++) {
            all.put(frame(new byte[] {(byte) i}));
        }
        try (Socket one = socket(); Socket other = socket()) {
            Party.await(() -> server.peers.size() == 2);
            CountDownLatch held = new CountDownLatch(1);
            CountDownLatch written = new CountDownLatch(1);
            server.loop.execute(() -> { // so that all of it waits when the loop looks
                held.countDown();
                await(written);
            });
            await(held);
            one.getOutputStream().write(all.array());
            other.getOutputStream().write(all.array());
            written.countDown();
            Party.await(() -> server.peers.stream().allMatch(peer -> peer.received == messages));
        }
        assertThat(turns.values()).hasSize(2).allSatisfy(of -> assertThat(of.values()).allMatch(inTurn -> inTurn <= 256));
        assertThat(lead).hasValueLessThanOrEqualTo(256);
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** The bytes of many messages, cut at random places: the same messages arrive. */
    @Test
    void shouldPutTogetherWhatTheNetworkCuts() throws IOException {
        Random random = new Random(42);
        ByteBuffer all = ByteBuffer.allocate(2_000_000);
        List<Integer> sizes = new ArrayList<>();
        while (all.remaining() > 2_000) {
            byte[] payload = new byte[random.nextInt(3) == 0 ? random.nextInt(1025) : random.nextInt(20)];
            sizes.add(payload.length);
            all.put(frame(payload));
        }
        try (Socket socket = socket()) {
            socket.setTcpNoDelay(true);
            for (int at = 0; at < all.position();) {
                int bytes = Math.min(1 + random.nextInt(random.nextBoolean() ? 10 : 9_000), all.position() - at);
                socket.getOutputStream().write(all.array(), at, bytes);
                at += bytes;
            }
            Peer peer = server.accepted();
            Party.await(() -> peer.received == sizes.size());
            assertThat(peer.sizes).containsExactlyElementsOf(sizes.subList(0, 64));
        }
    }

    @Test
    void shouldRefuseMoreConnectionsThanTheLimit() throws IOException {
        ListenEndpoint tiny = server.listen(new ConnectionParameters(16, 1, 16, 1));
        List<Socket> sockets = new ArrayList<>();
        try {
            for (int i = 0; i < 4097; i++) {
                sockets.add(new Socket("127.0.0.1", Addresses.port(tiny.localAddress())));
            }
            Socket last = sockets.getLast();
            last.setSoTimeout(20_000);
            assertThat(last.getInputStream().read()).isEqualTo(-1);
            assertThat(server.peers).hasSize(4096);
            sockets.getFirst().close();
            Party.await(() -> server.peers.stream().anyMatch(peer -> peer.closed == 1));
            try (Socket again = new Socket("127.0.0.1", Addresses.port(tiny.localAddress()))) {
                Party.await(() -> server.peers.size() == 4097);
                again.getOutputStream().write(frame(new byte[0]));
                Party.await(() -> server.accepted().received == 1);
            }
        } finally {
            for (Socket socket : sockets) {
                socket.close();
            }
        }
    }
}
