// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.backend;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.loop.LoopPoller;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What plain TCP peers that have to speak first cost before they have. */
@Timeout(120)
class TcpFirstMessageTest extends PlainSockets {
    private Party listen(ConnectionData data, BackendConfig config) {
        return listen(config, ConnectionParameters.defaults().withData(data).withPeerSpeakingFirst());
    }

    private Party listen() {
        return listen(ConnectionData.of(SAID), BackendConfig.defaults().withConnectTimeout(Duration.ofMinutes(1)));
    }

    private static void say(Socket socket, byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
    }

    /** The first messages of a connection as they are on the wire. */
    private static byte[] messages(int number, int size) {
        ByteBuffer all = ByteBuffer.allocate(number * (Integer.BYTES + size)).order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < number; i++) {
            all.putInt(size);
            if (size > Long.BYTES) {
                all.putLong(all.position(), i).put(all.position() + size - 1, (byte) i);
            }
            all.position(all.position() + size);
        }
        return all.array();
    }

    @Test
    void shouldGiveBuffersWhenTheFirstMessageIsThere() throws IOException {
        Party party = listen();
        byte[] message = messages(1, 400);
        for (int cut : new int[] {0, 1, 3, 4, 5, 200, 403}) {
            Socket socket = socket();
            say(socket, SAID);
            say(socket, Arrays.copyOf(message, cut));
            assertThat(socket.getInputStream().readNBytes(SAID.length)).hasSize(SAID.length);
        }
        Socket last = socket();
        say(last, SAID);
        say(last, message);
        Peer peer = party.accepted();
        Party.await(() -> peer.received == 1);
        assertThat(party.peers).hasSize(1);
        say(sockets.get(5), Arrays.copyOfRange(message, 200, 404));
        Party.await(() -> party.peers.size() == 2);
    }

    @ParameterizedTest
    @CsvSource({"1, 0", "1, 1", "3, 20", "1, 2044", "1, 2045", "5, 900", "40, 3000", "1, 60000"})
    void shouldLoseNothing(int number, int size) throws IOException {
        Party party = listen();
        Socket socket = socket();
        say(socket, SAID);
        say(socket, messages(number, size));
        Peer peer = party.accepted();
        Party.await(() -> peer.received == number);
        assertThat(peer.sizes).allMatch(bytes -> bytes == size);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldTakeItByteByByte(boolean withData) throws IOException {
        Party party = listen(withData ? ConnectionData.of(SAID) : ConnectionData.none(), BackendConfig.defaults());
        Socket socket = socket();
        if (withData) {
            say(socket, SAID);
        }
        for (byte each : messages(2, 100)) {
            say(socket, new byte[] {each});
        }
        Peer peer = party.accepted();
        Party.await(() -> peer.received == 2);
    }

    @Test
    void shouldGiveNothingToWhoSpeaksAnotherProtocol() throws IOException {
        Party party = listen(ConnectionData.none(), BackendConfig.defaults().withConnectTimeout(Duration.ofMinutes(1)));
        for (byte[] first : List.of("GET / HTTP/1.0\r\n\r\n".getBytes(StandardCharsets.US_ASCII), new byte[] {0, 0, 0, -1},
                new byte[] {0, 0, 1, 0}, OtherProtocolTest.libfabric(0))) {
            Socket other = socket();
            say(other, first);
            assertThat(other.getInputStream().read()).isEqualTo(-1);
        }
        assertThat(party.peers).isEmpty();
    }

    /** Keeps the loop from having time to spare. */
    private static final class Busy implements LoopPoller {
        @Override
        public int poll() {
            for (long began = System.nanoTime(); System.nanoTime() - began < 100_000;) {
                Thread.onSpinWait();
            }
            return 1;
        }

        @Override
        public boolean mayWait() {
            return false;
        }
    }

    @Test
    void shouldHaveNobodyWaitWhileTheLoopHasTime() throws IOException {
        Party party = listen(ConnectionData.none(), BackendConfig.defaults().withConnectTimeout(Duration.ofSeconds(10)));
        for (int i = 0; i < 200; i++) {
            say(socket(), messages(1, 100));
        }
        Party.await(() -> party.peers.size() == 200);
    }

    /** They are messages of TLS for all that the backend knows, whose handshakes never succeed. */
    @Test
    void shouldHaveThoseOfAnAddressTakeTurns() throws IOException {
        Party party = listen(ConnectionData.none(), BackendConfig.defaults().withConnectTimeout(Duration.ofSeconds(2)));
        party.run(() -> party.loop.addPoller(new Busy()));
        byte[] message = messages(1, 100);
        long began = System.nanoTime();
        for (int i = 0; i < 200; i++) {
            say(socket(), message);
        }
        Party.await(() -> party.peers.size() + closed() == 200);
        long turns = (System.nanoTime() - began) / HandshakeTurns.APART_NANOS;
        assertThat(party.peers.size()).isBetween(64 + 10, (int) (64 + turns + 1));
        Socket last = socket();
        say(last, message);
        Party.await(() -> party.peers.stream().filter(peer -> peer.received == 1).count() == party.peers.size());
    }

    @Test
    void shouldCloseThoseThatWaitWithTheListener() throws IOException {
        Party party = listen(ConnectionData.none(), BackendConfig.defaults().withConnectTimeout(Duration.ofMinutes(1)));
        party.run(() -> party.loop.addPoller(new Busy()));
        for (int i = 0; i < 100; i++) {
            say(socket(), messages(1, 100));
        }
        Party.await(() -> party.peers.size() >= 64);
        party.run(() -> party.backend.closeListenEndpoint(listener));
        Party.await(() -> closed() == 100);
    }

    /** How many sockets the other side has closed. */
    private int closed() {
        int closed = 0;
        for (Socket socket : sockets) {
            try {
                socket.setSoTimeout(1);
                closed += socket.getInputStream().read() < 0 ? 1 : 0;
            } catch (SocketTimeoutException e) {
                continue;
            } catch (IOException e) {
                closed++; // it had not read all
            }
        }
        return closed;
    }

    @Test
    void shouldCloseWhoDoesNotSpeakInTime() throws IOException {
        Party party = listen(ConnectionData.of(SAID), BackendConfig.defaults().withConnectTimeout(Duration.ofMillis(100)));
        for (int i = 0; i < 10; i++) {
            say(socket(), SAID);
        }
        for (Socket silent : sockets) {
            assertThat(silent.getInputStream().readAllBytes()).hasSize(SAID.length);
        }
        assertThat(party.peers).isEmpty();
    }

    @Test
    void shouldBearThoseWhoLeaveBefore() throws IOException {
        Party party = listen();
        long before = NativeMemory.sockets();
        for (int i = 0; i < 10; i++) {
            Socket socket = socket();
            say(socket, SAID);
            say(socket, Arrays.copyOf(messages(1, 400), 40 * i));
            socket.close();
        }
        Socket last = socket();
        say(last, SAID);
        say(last, messages(1, 400));
        Peer peer = party.accepted();
        Party.await(() -> peer.received == 1 && NativeMemory.sockets() <= before + 2); // both ends
        assertThat(party.peers).hasSize(1);
    }

    @Test
    void shouldGiveThemUpForOthers() throws IOException {
        Party party = listen(ConnectionData.of(SAID), BackendConfig.defaults().withConnectTimeout(Duration.ofMinutes(1))
                .withMaxHandshakes(2));
        for (int i = 0; i < 4; i++) {
            say(socket(), SAID);
        }
        Socket last = socket();
        say(last, SAID);
        say(last, messages(1, 30));
        Party.await(() -> party.peers.size() == 1);
        assertThat(sockets.getFirst().getInputStream().readAllBytes()).hasSize(SAID.length);
    }
}
