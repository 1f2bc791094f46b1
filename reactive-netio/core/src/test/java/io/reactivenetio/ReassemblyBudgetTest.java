// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import static io.reactivenetio.connection.ConnectionProbe.engine;
import static io.reactivenetio.testing.TestSettings.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.connection.ConnectionProbe;
import io.reactivenetio.framing.stream.StreamProbe;
import io.reactivenetio.transport.BackendType;
import io.reactivenetio.transport.exceptions.NetioAbortedException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.Mono;

/** What peers only announce costs next to nothing, and what they begin and do not end is bounded on each loop. */
@Timeout(180)
class ReassemblyBudgetTest {
    private static final int LARGEST = 64 << 20;

    private final NetioLoops loops = NetioLoops.create("budget", 1);
    private final BlockingQueue<NetioConnection> accepted = new LinkedTransferQueue<>();
    private final List<StreamPeer> peers = new ArrayList<>();

    @AfterEach
    void stop() throws IOException {
        for (StreamPeer peer : peers) {
            peer.close();
        }
        loops.dispose();
    }

    private final class Sender {
        private final ByteBuffer message;
        private final StreamPeer peer;
        private final NetioConnection receiver;
        private final Mono<Integer> received;

        /** Begins a message of {@code bytes} in a page; the receiver wants it. */
        Sender(int port, int bytes) throws Exception {
            message = ByteBuffer.allocate(bytes);
            peer = new StreamPeer(port, 4, 10_000);
            peers.add(peer);
            receiver = accepted.poll(30, TimeUnit.SECONDS);
            received = receiver.receive(ByteBuffer::remaining).next().cache();
            received.subscribe(size -> { }, error -> { });
            assertThat(peer.next(frame -> frame.startsWith("REQUEST"))).startsWith("REQUEST 0 ");
            peer.send(0, 1, page -> page.firstPart(0, message));
            awaitBegun(message.position());
        }

        void goOn() throws IOException {
            peer.send(0, 0, page -> page.nextPart(0, message));
        }

        private void awaitBegun(int least) {
            Link.await(() -> memory() >= least, () -> memory() + " bytes of memory, for " + least);
        }

        long memory() {
            return ConnectionProbe.onLoop(engine(receiver), posted -> StreamProbe.unfinishedMemory(engine(receiver)));
        }
    }

    private int listen() {
        return NetioServer.create().backend(BackendType.TCP).receiveBuffers(1024, 8).sendBuffers(1024, 8).runOn(loops)
                .doOnConnection(accepted::add).bindNow().port();
    }

    @Test
    void shouldTakeNoMemoryForWhatIsOnlyAnnounced() throws Exception {
        int port = listen();
        for (int i = 0; i < 7; i++) {
            assertThat(new Sender(port, LARGEST).memory()).isLessThan(4096);
        }
    }

    /** Though it is another one that needs what is not there. */
    @Test
    void shouldGiveUpTheConnectionThatHasMost() throws Exception {
        loops.reassemblyBudget(21_000);
        int port = listen();
        Sender greedy = new Sender(port, LARGEST);
        for (int i = 0; i < 4; i++) {
            greedy.goOn();
        }
        greedy.awaitBegun(16_384);
        Sender modest = new Sender(port, 3000);
        assertThat(modest.memory()).isEqualTo(3000);
        try (Warnings warnings = new Warnings()) {
            Sender other = new Sender(port, 3000);
            assertThatThrownBy(() -> greedy.received.block(PATIENCE)).isInstanceOf(NetioAbortedException.class)
                    .hasMessageContaining("which has most").hasMessageContaining("21000 are allowed together: raise"
                            + " NetioLoops.reassemblyBudget");
            Link.await(() -> warnings.text().contains("is given up"), warnings::text);
            assertThat(greedy.peer.next(frame -> frame.startsWith("ERROR"))).startsWith("ERROR -1 4 messages that have begun");
            assertThat(greedy.peer.isClosed()).isTrue();
            for (Sender sender : List.of(modest, other)) {
                while (sender.message.hasRemaining()) {
                    sender.goOn();
                }
                assertThat(sender.received.block(PATIENCE)).isEqualTo(3000);
                assertThat(sender.memory()).isZero();
            }
        }
    }

    /** It may be the one that asks for more. */
    @Test
    void shouldGiveUpAConnectionThatExceedsItAlone() throws Exception {
        loops.reassemblyBudget(10_000);
        Sender greedy = new Sender(listen(), LARGEST);
        for (int i = 0; i < 4; i++) {
            greedy.goOn();
        }
        assertThatThrownBy(() -> greedy.received.block(PATIENCE)).isInstanceOf(NetioAbortedException.class)
                .hasMessageContaining("10000 are allowed together");
        assertThat(greedy.peer.next(frame -> frame.startsWith("ERROR"))).startsWith("ERROR -1 4 ");
        assertThatThrownBy(() -> loops.reassemblyBudget(0)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("at least 1 byte: 0");
    }
}
