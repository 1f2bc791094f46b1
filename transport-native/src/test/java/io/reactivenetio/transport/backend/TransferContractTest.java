// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivenetio.testing.TestSettings;
import io.reactivenetio.transport.SendCompletion;
import io.reactivenetio.transport.exceptions.MessageTooLargeException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** How messages travel, over any backend. */
@OverEveryCombination
class TransferContractTest extends Contract {
    private static final int PAGE = 61_440;
    /** A read may complete one message, and have all of the next. */
    private static final int MOST_IN_A_LONG_TURN = 2;

    TransferContractTest(Combination combination) {
        super(combination);
    }

    @Test
    void shouldCarryMessagesOfEverySize() {
        Peer peer = client.connect(server.listen(SMALL), SMALL);
        Peer accepted = server.accepted();
        long sent = 0;
        for (int size : new int[] {0, 1, 7, 8, 1023, 1024, 0, 1}) {
            peer.stream(1, size);
            long expected = ++sent;
            Party.await(() -> accepted.received == expected);
        }
        assertThat(accepted.sizes).containsExactly(0, 1, 7, 8, 1023, 1024, 0, 1);
        Party.await(() -> peer.completed == 8);
    }

    @Test
    void shouldCarryLargeMessages() {
        ConnectionParameters large = new ConnectionParameters(300_000, 4, 300_000, 4);
        restart(large, large);
        Peer peer = client.connect(server.listen(large), large);
        Peer accepted = server.accepted();
        for (int size : new int[] {300_000, 4_096, 8_192, 61_440, 65_536, 70_000, 3, 200_000}) {
            long before = accepted.received;
            peer.stream(50, size);
            Party.await(() -> accepted.received == before + 50);
        }
    }

    /** What leaves at the end of a turn must not wait for all messages that are there. */
    @Test
    void shouldEndATurnInWhichMessagesTakeLong() {
        ConnectionParameters pages = new ConnectionParameters(PAGE, 64, PAGE, 64);
        restart(pages, pages);
        Party.Pair pair = client.connect(server, server.listen(pages), pages);
        Peer receiver = pair.accepted();
        Map<Long, Integer> inTurn = new TreeMap<>();
        receiver.work = () -> {
            inTurn.merge(server.loop.statistics().turns(), 1, Integer::sum);
            LockSupport.parkNanos(1_000_000);
        };
        pair.opened().stream(200, PAGE);
        Party.await(() -> receiver.received == 200);
        List<Integer> messages = server.on(() -> List.copyOf(inTurn.values()));
        assertThat(messages.subList(messages.size() / 2, messages.size())).as("messages of a turn")
                .allMatch(most -> most <= MOST_IN_A_LONG_TURN);
    }

    @Test
    void shouldFailTheConnectionOfAMessageThatIsTooLarge() {
        ConnectionParameters larger = SMALL.withSendBuffers(2048, 8);
        restart(SMALL, larger);
        ListenEndpoint listener = server.listen(SMALL);
        Party.Pair good = client.connect(server, listener, larger);
        for (int round = 0; round < 10; round++) {
            Party.Pair bad = client.connect(server, listener, larger);
            bad.opened().stream(1, round % 2 == 0 ? 1025 : 2048);
            Party.await(() -> bad.accepted().closed == 1 && bad.opened().closed == 1);
            assertThat(bad.accepted().cause).isInstanceOf(MessageTooLargeException.class)
                    .hasMessageContaining("receive buffers of 1024 bytes").hasMessageContaining("larger receive buffers");
            assertThat(bad.accepted().received).isZero();
        }
        good.opened().stream(1_000, 1024); // nobody else notices, not even where they share their buffers
        Party.await(() -> good.accepted().received == 1_000);
        Party.await(() -> server.on(() -> server.backend.creditsPosted(good.accepted().endpoint)) == 8);
    }

    @Test
    void shouldRefuseAMessageLargerThanItsBuffer() {
        Peer peer = client.connect(server.listen(SMALL), SMALL);
        client.run(() -> {
            SendBuffer buffer = client.backend.getBuffer(peer.endpoint);
            assertThat(buffer).isNotNull();
            assertThatThrownBy(() -> buffer.length(1025)).isInstanceOf(IllegalArgumentException.class);
            buffer.release();
            assertThatThrownBy(buffer::release).isInstanceOf(IllegalStateException.class);
        });
    }

    @Test
    void shouldCarryTwentyThousandEachWayAtOnce() {
        Peer peer = client.connect(server.listen(SMALL), SMALL);
        Peer accepted = server.accepted();
        int messages = TestSettings.scaled(20_000);
        peer.stream(messages, 100);
        accepted.stream(messages, 1000);
        Party.await(() -> peer.received == messages && accepted.received == messages);
        Party.await(() -> peer.completed == messages && accepted.completed == messages);
        assertThat(peer.resources).isPositive();
    }

    @Test
    void shouldTellDelivery() {
        Peer peer = client.connect(server.listen(SMALL), SMALL);
        for (int round = 1; round <= 20; round++) {
            peer.stream(10, 100, SendCompletion.DELIVERED);
            int expected = 10 * round;
            Party.await(() -> peer.completed == expected);
        }
        client.closeEndpoint(peer);
        Party.await(() -> server.accepted().received == 200);
    }

    @Test
    void shouldLoseNothingThatWasDeliveredBeforeAClose() {
        ListenEndpoint listener = server.listen(SMALL);
        for (int round = 0; round < 50; round++) {
            server.peers.clear();
            Peer peer = client.connect(listener, SMALL);
            Peer accepted = server.accepted();
            accepted.stream(3, 10); // which the client leaves unread, now and then
            peer.stream(8, 1000, SendCompletion.DELIVERED);
            Party.await(() -> peer.completed == 8);
            client.closeEndpoint(peer);
            Party.await(() -> accepted.closed == 1);
            assertThat(accepted.received).isEqualTo(8);
        }
    }

    @Test
    void shouldReceiveExactlyAsMuchAsThereAreBuffers() {
        server.onEstablished = peer -> peer.hold = true;
        Peer peer = client.connect(server.listen(SMALL), SMALL);
        Peer accepted = server.accepted();
        peer.stream(1_000, 1000);
        int expected = combination.usable(8);
        expectExactly(accepted, expected);
        int left = 8 - expected;
        assertThat(server.on(() -> server.backend.creditsPosted(accepted.endpoint))).isEqualTo(left);
        for (int n : new int[] {1, 3, 7, 2}) {
            expected += n;
            server.run(() -> accepted.release(n));
            expectExactly(accepted, expected);
        }
        accepted.hold = false;
        accepted.release(accepted.held.size()); // from this thread
        Party.await(() -> accepted.received == 1_000);
        Party.await(() -> server.on(() -> server.backend.creditsPosted(accepted.endpoint)) == 8);
    }

    private static void expectExactly(Peer peer, int number) {
        Party.await(() -> peer.received >= number);
        Party.sleep(50); // for what must not come, there is nothing to wait for
        assertThat(peer.received).isEqualTo(number);
    }

    @Test
    void shouldCallBackWhoeverWasTurnedAway() {
        ConnectionParameters wide = new ConnectionParameters(60_000, 2, 60_000, 3);
        restart(wide, wide);
        server.onEstablished = peer -> peer.hold = true;
        Peer peer = client.connect(server.listen(wide), wide);
        Peer accepted = server.accepted();
        int number = TestSettings.scaled(2_000);
        peer.stream(number, 60_000);
        Party.await(() -> peer.out.turnedAway > 0 && accepted.received >= combination.usable(2));
        accepted.hold = false;
        server.run(() -> accepted.release(accepted.held.size()));
        Party.await(() -> accepted.received == number);
        assertThat(peer.resources).isPositive();
    }

    /** What a send that never completed holds must come back with the end of its connection. */
    @Test
    void shouldCarryMessagesAfterManyEndsInTheMiddleOfAStream() {
        ListenEndpoint listener = server.listen(SMALL);
        for (int round = 0; round < TestSettings.scaled(60); round++) {
            Party.Pair pair = client.connect(server, listener, SMALL);
            Peer peer = pair.opened();
            Peer accepted = pair.accepted();
            peer.stream(1_000_000, 1000);
            accepted.stream(1_000_000, 1000);
            Party.await(() -> peer.received > 0 && accepted.received > 0);
            if (round % 2 == 0) {
                server.closeEndpoint(accepted);
            } else {
                client.closeEndpoint(peer);
            }
            Party.await(() -> peer.closed == 1 && accepted.closed == 1);
        }
        Party.Pair pair = client.connect(server, listener, SMALL);
        pair.opened().stream(1_000, 1000);
        Party.await(() -> pair.accepted().received == 1_000);
    }

    @Test
    void shouldCallBackWhenALentBufferIsReleased() {
        ConnectionParameters one = SMALL.withSendBuffers(64, 1);
        restart(SMALL, one);
        Peer peer = client.connect(server.listen(SMALL), one);
        SendBuffer only = client.on(() -> client.backend.getBuffer(peer.endpoint));
        assertThat(only).isNotNull();
        assertThat(client.on(() -> client.backend.getBuffer(peer.endpoint))).isNull();
        assertThat(client.on(() -> client.backend.freeSendBuffers(peer.endpoint))).isZero();
        client.run(only::release);
        Party.await(() -> peer.resources == 1);
    }

    @Test
    void shouldKeepHeldMessagesBeyondConnectionAndBackend() {
        server.onEstablished = peer -> peer.hold = true;
        Peer peer = client.connect(server.listen(SMALL), SMALL);
        Peer accepted = server.accepted();
        peer.stream(4, 100);
        Party.await(() -> accepted.received == 4);
        client.closeEndpoint(peer);
        Party.await(() -> accepted.closed == 1);
        server.run(() -> accepted.release(1));
        server.loop.close();
        List<ReceivedBuffer> left = List.copyOf(accepted.held);
        for (int i = 0; i < 3; i++) {
            assertThat(left.get(i).data().getLong(0)).isEqualTo(i + 1);
        }
        left.get(2).retain();
        accepted.release(3);
        assertThat(left.get(2).data().getLong(0)).isEqualTo(3);
        left.get(2).release();
        assertThatThrownBy(() -> left.get(2).data().getLong(0)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> left.get(2).release()).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void shouldShowAStarvedReceiverTheDataFirstAndThenTheEnd() {
        ConnectionParameters few = SMALL.withReceiveBuffers(1024, 3);
        restart(few, SMALL);
        int credits = combination.usable(3);
        server.onEstablished = peer -> peer.hold = true;
        Peer peer = client.connect(server.listen(few), SMALL);
        Peer accepted = server.accepted();
        peer.stream(credits, 100, SendCompletion.DELIVERED);
        Party.await(() -> peer.completed == credits && accepted.received == credits);
        client.closeEndpoint(peer);
        Party.sleep(50);
        if (combination.isVerbs()) {
            Party.await(() -> accepted.closed == 1); // tcp sees the end only with a receive
        }
        server.run(() -> accepted.release(credits));
        Party.await(() -> accepted.closed == 1);
        assertThat(accepted.cause).isNull();
    }

    @Test
    void shouldCostNothingWhileIdleOrStarved() throws IOException {
        Assumptions.assumeFalse(combination.isSafe(), "of UNSAFE backends only"); // an idle loop knows no thread model
        Peer idle = client.connect(server, server.listen(SMALL), SMALL).opened(); // both sides, or busy might find this one's
        server.onEstablished = peer -> peer.hold = true;
        Party.Pair busy = client.connect(server, server.listen(SMALL), SMALL);
        busy.opened().stream(1_000_000, 1000);
        Peer accepted = busy.accepted();
        Party.await(() -> accepted.received >= 6); // of those that are shared, plain TCP keeps two for the other
        Party.sleep(500);
        double best = 1;
        for (int i = 0; i < 20 && best >= 0.05; i++) { // a compiler or collector thread may be at work the first times
            double cpu = cpuSeconds();
            long time = System.nanoTime();
            Party.sleep(1_500);
            best = Math.min(best, (cpuSeconds() - cpu) / ((System.nanoTime() - time) / 1e9));
        }
        assertThat(best).as("share of a CPU").isLessThan(0.05);
        assertThat(idle.closed).isZero();
    }

    /** User and system time of this process; the kernel counts in hundredths of a second. */
    private static double cpuSeconds() throws IOException {
        String stat = Files.readString(Path.of("/proc/self/stat"));
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
        return (Long.parseLong(fields[11]) + Long.parseLong(fields[12])) / 100.0;
    }
}
