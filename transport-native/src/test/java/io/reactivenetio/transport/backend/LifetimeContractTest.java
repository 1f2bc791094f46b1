// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.reactivenetio.testing.TestSettings;
import io.reactivenetio.transport.exceptions.InvalidConnectionParametersException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** What outlives what, and that nothing outlives all. */
@OverEveryCombination
class LifetimeContractTest extends Contract {
    private static final ConnectionParameters LARGE = new ConnectionParameters(256 * 1024, 16, 256 * 1024, 16);
    private static final long MEGABYTE = 1024 * 1024;

    LifetimeContractTest(Combination combination) {
        super(combination);
    }

    /** Nothing of what is checked here is smaller than 4 MiB. */
    private static void awaitMemory(long before) {
        Party.await(() -> NativeMemory.arenas() < before + MEGABYTE);
    }

    @Test
    void shouldKeepRetainedAndLentBuffersBeyondEverything() {
        stop();
        long before = NativeMemory.arenas();
        restart(LARGE, LARGE);
        server.onEstablished = peer -> peer.hold = true;
        ListenEndpoint listener = server.listen(LARGE);
        Party.Pair pair = client.connect(server, listener, LARGE);
        pair.opened().stream(5, 256 * 1024);
        Party.await(() -> pair.accepted().received == 5);
        SendBuffer lent = Objects.requireNonNull(client.on(() -> client.backend.getBuffer(pair.opened().endpoint)));
        server.closeListener(listener);
        Party.await(() -> pair.accepted().closed == 1 && pair.opened().closed == 1);
        expectHeld(pair.accepted());
        stop();
        expectHeld(pair.accepted());
        lent.write(ByteBuffer.allocate(256 * 1024)); // its memory is there, though nobody will ever send it
        assertThat(NativeMemory.arenas()).isGreaterThan(before + 8 * MEGABYTE - MEGABYTE);
        ReceivedBuffer last = Objects.requireNonNull(pair.accepted().held.peek());
        pair.accepted().release(5);
        lent.release();
        awaitMemory(before);
        // the memory rests for two seconds before it goes
        Party.await(() -> catchThrowable(() -> last.data().get(0)) instanceof IllegalStateException);
        assertThatThrownBy(last::release).isInstanceOf(IllegalStateException.class).hasMessageContaining("released twice");
        assertThatThrownBy(last::retain).isInstanceOf(IllegalStateException.class).hasMessageContaining("has been released");
        Party.await(() -> catchThrowable(() -> lent.data().put(0, (byte) 1)) instanceof IllegalStateException);
        assertThatThrownBy(lent::release).isInstanceOf(IllegalStateException.class);
    }

    private static void expectHeld(Peer peer) {
        long number = 0;
        for (ReceivedBuffer buffer : peer.held) {
            assertThat(buffer.data().getLong(0)).isEqualTo(number);
            assertThat(buffer.data().get(256 * 1024 - 1)).isEqualTo((byte) number++);
        }
    }

    @Test
    void shouldReleaseOnOtherThreadsWhileTheLoopEnds() throws InterruptedException {
        for (int round = 0; round < 20; round++) {
            Party ending = party("ending", SMALL);
            ending.onEstablished = peer -> peer.hold = true;
            Party.Pair pair = client.connect(ending, ending.listen(SMALL), SMALL);
            int number = combination.usable(8);
            pair.opened().stream(number, 100);
            Party.await(() -> pair.accepted().held.size() == number);
            Thread releasing = Thread.ofPlatform().start(() -> pair.accepted().release(number));
            ending.loop.close();
            releasing.join();
            Party.await(() -> pair.opened().closed == 1);
        }
    }

    @Test
    void shouldCloseWhatAListenerHasSpawned() {
        ListenEndpoint listener = server.listen(SMALL);
        ListenEndpoint other = server.listen(SMALL);
        Party.Pair first = client.connect(server, listener, SMALL);
        Party.Pair second = client.connect(server, listener, SMALL);
        Party.Pair elsewhere = client.connect(server, other, SMALL);
        Party.Pair opened = server.connect(client, client.listen(SMALL), SMALL);
        server.run(() -> {
            server.backend.closeListenEndpoint(listener);
            server.backend.closeListenEndpoint(listener);
        });
        for (Party.Pair pair : List.of(first, second)) {
            Party.await(() -> pair.accepted().closed == 1 && pair.opened().closed == 1);
            assertThat(pair.accepted().cause).isNull();
            assertThat(pair.opened().cause).isNull();
        }
        expectRefused(listener);
        for (Party.Pair pair : List.of(elsewhere, opened)) {
            pair.opened().stream(10, 10);
            Party.await(() -> pair.accepted().received == 10);
        }
    }

    @Test
    void shouldStopListeningAndLeaveTheConnectionsAlone() {
        ListenEndpoint listener = server.listen(SMALL);
        Party.Pair pair = client.connect(server, listener, SMALL);
        server.run(() -> {
            server.backend.stopListening(listener);
            server.backend.stopListening(listener);
        });
        expectRefused(listener);
        pair.opened().stream(100, 100);
        pair.accepted().stream(100, 100);
        Party.await(() -> pair.accepted().received == 100 && pair.opened().received == 100);
        server.listen(listener.localAddress(), SMALL); // the address is free
        server.run(() -> server.backend.closeListenEndpoint(listener)); // and it still knows its own
        Party.await(() -> pair.accepted().closed == 1 && pair.opened().closed == 1);
        Party.Pair again = client.connect(server, listener, SMALL);
        again.opened().stream(1, 10);
        Party.await(() -> again.accepted().received == 1);
    }

    /** It is asked in the middle of a connection being accepted. */
    @Test
    void shouldLetAChooserCloseItsListener() {
        AtomicReference<ListenEndpoint> listener = new AtomicReference<>();
        listener.set(server.backend.openListenEndpoint(new InetSocketAddress(TestSettings.ADDRESS, 0), server.translate(SMALL),
                null, remote -> {
                    server.backend.closeListenEndpoint(Objects.requireNonNull(listener.get()));
                    return server.backend;
                }));
        Duration limit = TestSettings.patient(Duration.ofSeconds(3)); // over sockets, only that ends it
        Party hasty = party("hasty", SMALL, config -> config.withConnectTimeout(limit));
        Peer peer = hasty.open(listener.get().localAddress(), SMALL);
        Party.await(() -> peer.refused + peer.closed == 1);
        assertThat(server.peers).isEmpty();
        expectRefused(listener.get());
    }

    private void expectRefused(ListenEndpoint listener) {
        server.settle();
        Peer refused = client.open(listener.localAddress(), SMALL);
        Party.await(() -> refused.refused == 1);
        assertThat(refused.reason).hasMessageContaining("nobody listens");
    }

    @Test
    void shouldLeaveNothingBehindOfWhatCouldNotBeOpened() {
        MemoryRegion closed = MemoryRegion.allocate(8);
        closed.close();
        ListenEndpoint listener = server.listen(SMALL);
        ConnectionParameters impossible = SMALL.withZeroCopy(closed, 8, 1 << 16);
        long before = NativeMemory.arenas();
        for (int i = 0; i < 5; i++) {
            assertThatThrownBy(() -> client.open(listener.localAddress(), impossible))
                    .isInstanceOf(InvalidConnectionParametersException.class);
        }
        awaitMemory(before);
    }

    @Test
    void shouldNeedNoMoreMemoryForMoreConnectionsThatShare() {
        Assumptions.assumeTrue(combination.shared(), "of shared buffers only");
        restart(LARGE, LARGE);
        ListenEndpoint listener = server.listen(LARGE);
        List<Party.Pair> pairs = new ArrayList<>();
        pairs.add(client.connect(server, listener, LARGE));
        long before = NativeMemory.arenas();
        for (int i = 0; i < 50; i++) {
            pairs.add(client.connect(server, listener, LARGE));
        }
        assertThat(NativeMemory.arenas() - before).as("for 50 more").isLessThan(2 * MEGABYTE);
        pairs.forEach(pair -> pair.opened().stream(3, 1000));
        Party.await(() -> pairs.stream().allMatch(pair -> pair.accepted().received == 3));
    }
}
