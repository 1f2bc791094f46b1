// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivenetio.testing.TestSettings;
import io.reactivenetio.transport.SendCompletion;
import io.reactivenetio.transport.exceptions.InvalidConnectionParametersException;
import io.reactivenetio.transport.exceptions.NotSupportedException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Messages sent from where they are: what they gather, what is refused, and when the memory is free again. */
@OverEveryCombination
class ZeroCopyContractTest extends Contract {
    private static final SendCompletion LEVEL = SendCompletion.TRANSMITTED;
    private static final int SIZE = 64 * 1024;

    private final Queue<byte[]> contents = new ConcurrentLinkedQueue<>();
    private final GatherList gather = new GatherList();
    private MemoryRegion region;
    private ConnectionParameters zeroCopy;

    ZeroCopyContractTest(Combination combination) {
        super(combination);
    }

    @BeforeEach
    void open() {
        region = MemoryRegion.allocate(SIZE);
        for (int i = 0; i < SIZE; i++) {
            region.segment().set(ValueLayout.JAVA_BYTE, i, at(i));
        }
        zeroCopy = SMALL.withZeroCopy(region, 1000);
        server.onEstablished = peer -> {
            peer.numbered = false;
            peer.hold = true;
        };
        server.onData = peer -> {
            ReceivedBuffer buffer = Objects.requireNonNull(peer.held.poll());
            byte[] bytes = new byte[buffer.length()];
            buffer.data().get(bytes);
            contents.add(bytes);
            buffer.release();
        };
    }

    @AfterEach
    void close() {
        region.close();
    }

    private static byte at(int index) {
        return (byte) (index * 31 ^ index >> 8);
    }

    private Peer connect() {
        return client.connect(server.listen(SMALL), zeroCopy);
    }

    private SendStatus send(Peer peer, long key) {
        return client.on(() -> peer.out.sendGather(gather, key, LEVEL));
    }

    private byte[] expected() {
        byte[] bytes = new byte[(int) gather.bytes()];
        int at = 0;
        for (int i = 0; i < gather.headerLength(); i++) {
            bytes[at++] = gather.header(i);
        }
        for (int span = 0; span < gather.spans(); span++) {
            for (int i = 0; i < gather.length(span); i++) {
                bytes[at++] = at((int) gather.offset(span) + i);
            }
        }
        return bytes;
    }

    private static ByteBuffer header(int length) {
        ByteBuffer header = ByteBuffer.allocate(length);
        for (int i = 0; i < length; i++) {
            header.put(i, (byte) (100 + i));
        }
        return header;
    }

    @Test
    void shouldGatherHeaderAndSpans() {
        Peer peer = connect();
        int[] headers = {0, 1, 16, 0, 7, 16};
        int[][] spans = {{0, 1000}, {17, 500}, {SIZE - 984, 984}, {5, 100, 3, 200, SIZE - 1, 1}, {0, 10, 0, 10, 0, 10}, {}};
        List<byte[]> all = new ArrayList<>();
        for (int i = 0; i < headers.length; i++) {
            gather.clear();
            if (headers[i] > 0) {
                gather.header(header(headers[i]));
            }
            for (int j = 0; j < spans[i].length; j += 2) {
                gather.add(spans[i][j], spans[i][j + 1]);
            }
            all.add(expected());
            assertThat(send(peer, 1_000_000_000_000L + i)).isEqualTo(SendStatus.OK);
            long completed = i + 1;
            Party.await(() -> peer.completed == completed && contents.size() == completed);
        }
        assertThat(contents).containsExactlyElementsOf(all);
    }

    /** What is sent is what was checked, or the provider would read where there is no memory. */
    @Test
    void shouldSendNothingButTheRegionWhileAnotherThreadChangesTheList() throws Exception {
        Peer peer = connect();
        server.onData = from -> Objects.requireNonNull(from.held.poll()).release();
        AtomicBoolean over = new AtomicBoolean();
        Thread other = Thread.ofPlatform().daemon().start(() -> {
            while (!over.get()) {
                gather.clear().add(0, 16);
                gather.clear().add(1L << 45, 16).add(1L << 40, 990);
                gather.clear().header(header(16)).add(1L << 40, 1);
            }
        });
        int sent = 0;
        int refused = 0;
        for (int i = 0; i < TestSettings.scaled(20_000); i++) {
            long key = i;
            try {
                sent += send(peer, key) == SendStatus.OK ? 1 : 0;
            } catch (IllegalArgumentException e) {
                refused++;
            }
        }
        over.set(true);
        other.join();
        int all = sent;
        Party.await(() -> peer.completed == all);
        assertThat(sent + refused).isPositive();
        assertThat(peer.closed).isZero();
    }

    @Test
    void shouldSendNothingAtAll() {
        Peer peer = connect();
        gather.clear();
        assertThat(send(peer, -1)).isEqualTo(SendStatus.OK);
        gather.add(SIZE, 0).add(0, 0);
        assertThat(send(peer, Long.MIN_VALUE)).isEqualTo(SendStatus.OK);
        gather.clear().add(0, 0).add(3, 1).add(9, 0);
        assertThat(send(peer, Long.MAX_VALUE)).isEqualTo(SendStatus.OK);
        Party.await(() -> peer.completed == 3 && contents.size() == 3);
        assertThat(contents).containsExactly(new byte[0], new byte[0], new byte[] {at(3)});
    }

    @Test
    void shouldRefuseWhatCanNeverBeSent() {
        Peer peer = connect();
        gather.clear().add(0, 1001);
        assertThatThrownBy(() -> send(peer, 1)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("1001 bytes").hasMessageContaining("at most 1000");
        gather.clear().header(header(16)).add(0, 985);
        assertThatThrownBy(() -> send(peer, 1)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("1001 bytes");
        gather.clear().add(0, 1).add(SIZE - 10, 11);
        assertThatThrownBy(() -> send(peer, 1)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("span 1, 11 bytes at " + (SIZE - 10)).hasMessageContaining("region of " + SIZE);
        for (long[] span : new long[][] {{Long.MAX_VALUE, 1}, {SIZE + 1, 0}, {0, Long.MAX_VALUE}}) {
            gather.clear().add(span[0], span[1]);
            assertThatThrownBy(() -> send(peer, 1)).isInstanceOf(IllegalArgumentException.class);
        }
        gather.clear();
        for (int i = 0; i < 9; i++) {
            gather.add(1, Long.MAX_VALUE); // their sum overflows
        }
        assertThatThrownBy(() -> send(peer, 1)).isInstanceOf(IllegalArgumentException.class);
        assertThat(peer.closed).isZero();
        gather.clear().add(0, 1000);
        assertThat(send(peer, 1)).isEqualTo(SendStatus.OK);
        Party.await(() -> peer.completed == 1);
    }

    @Test
    void shouldTakeAsManySpansAsTheProvider() {
        Peer peer = connect();
        int most = combination.isPlainTcp() ? GatherList.MAX_SPANS : 4; // 4 for tcp and verbs
        gather.clear();
        for (int i = 0; i < most; i++) {
            gather.add(100L * i, 3);
        }
        byte[] first = expected();
        assertThat(send(peer, 1)).isEqualTo(SendStatus.OK);
        gather.header(header(1));
        assertThatThrownBy(() -> send(peer, 2)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(most + " spans and a header").hasMessageContaining("at most " + most + " entries");
        Party.await(() -> peer.completed == 1 && contents.size() == 1);
        assertThat(contents).containsExactly(first);
    }

    /** The key says when: what is written after it is not what was sent before. */
    @Test
    void shouldLeaveTheMemoryAloneAfterItsCompletion() {
        Peer peer = connect();
        List<byte[]> all = new ArrayList<>();
        for (int round = 0; round < 200; round++) {
            gather.clear().add(0, 1000);
            byte[] bytes = new byte[1000];
            Arrays.fill(bytes, (byte) round);
            region.segment().asSlice(0, 1000).fill((byte) round);
            all.add(bytes);
            assertThat(send(peer, round)).isEqualTo(SendStatus.OK);
            long completed = round + 1;
            Party.await(() -> peer.completed == completed);
        }
        Party.await(() -> contents.size() == 200);
        assertThat(contents).containsExactlyElementsOf(all);
    }

    @Test
    void shouldStreamInOrderWithTheOthersAndCallBackWhoeverWasTurnedAway() {
        server.onEstablished = peer -> { };
        server.onData = peer -> { };
        MemoryRegion slots = MemoryRegion.allocate(Outgoing.ZERO_COPY_SLOTS * 1000L);
        Party.Pair pair = client.connect(server, server.listen(SMALL), SMALL.withZeroCopy(slots, 1000, 3));
        pair.opened().out.region(slots, 1000);
        int number = TestSettings.scaled(5_000);
        long sent = 0;
        for (Outgoing.Way way : List.of(Outgoing.Way.ZERO_COPY, Outgoing.Way.BUFFERED, Outgoing.Way.ZERO_COPY)) {
            sent += number;
            long expected = sent;
            pair.opened().stream(number, 900, sent == number ? SendCompletion.DELIVERED : LEVEL, way);
            Party.await(() -> pair.opened().completed == expected);
        }
        Party.await(() -> pair.accepted().received == 3 * number);
        assertThat(pair.opened().resources).isPositive();
        slots.close();
    }

    @Test
    void shouldSayWhereThereIsNoRegion() {
        Peer peer = client.connect(server.listen(SMALL), SMALL);
        gather.clear().add(0, 1);
        assertThatThrownBy(() -> send(peer, 1)).isInstanceOf(NotSupportedException.class)
                .hasMessageContaining("opened without a region");
    }

    // ---- the region's end

    @Test
    void shouldKeepARegionThatIsClosedWhileConnectionsUseIt() {
        Peer peer = connect();
        region.close();
        gather.clear().header(header(3)).add(40, 960);
        byte[] expected = expected();
        assertThat(send(peer, 1)).isEqualTo(SendStatus.OK);
        Party.await(() -> peer.completed == 1 && contents.size() == 1);
        assertThat(contents).containsExactly(expected);
        ListenEndpoint other = server.listen(SMALL);
        assertThatThrownBy(() -> client.open(other.localAddress(), zeroCopy))
                .isInstanceOf(InvalidConnectionParametersException.class).hasMessageContaining("is closed");
        assertThat(region.segment().scope().isAlive()).isTrue();
        client.closeEndpoint(peer);
        Party.await(() -> peer.closed == 1);
        assertThat(region.segment().scope().isAlive()).isFalse();
    }

    @Test
    void shouldCloseTheConnectionsOfAListenerWhoseRegionIsClosed() {
        ListenEndpoint listener = server.listen(zeroCopy);
        region.close();
        Peer peer = client.open(listener.localAddress(), SMALL);
        Party.await(() -> peer.refused + peer.closed == 1);
        assertThat(server.peers).isEmpty();
    }

    @Test
    void shouldCancelWhatIsInFlightAndThenLetGoOfTheRegion() {
        server.onData = peer -> { }; // and so keep what arrives
        ConnectionParameters large = SMALL.withZeroCopy(region, SIZE, 32);
        Peer peer = client.connect(server.listen(SMALL.withReceiveBuffers(1024, 8)), large);
        gather.clear().add(0, 1024);
        client.run(() -> {
            for (int i = 0; i < 32; i++) {
                peer.out.sendGather(gather, i, SendCompletion.DELIVERED);
            }
        });
        region.close();
        client.closeEndpoint(peer);
        Party.await(() -> peer.closed == 1);
        assertThat(peer.completed + peer.cancelled).isEqualTo(32);
        assertThat(region.segment().scope().isAlive()).isFalse();
        Peer accepted = server.accepted();
        Party.await(() -> {
            accepted.release(accepted.held.size()); // starved, it would not notice the end
            return accepted.closed == 1;
        });
        accepted.release(accepted.held.size());
    }

    @Test
    void shouldSendFromMemoryThatNobodyCanClose() {
        try (Arena arena = Arena.ofConfined()) {
            assertThatThrownBy(() -> MemoryRegion.of(arena.allocate(10))).isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("Arena.global()");
        }
        assertThatThrownBy(() -> MemoryRegion.of(MemorySegment.ofArray(new byte[10])))
                .isInstanceOf(IllegalArgumentException.class);
        MemoryRegion global = MemoryRegion.of(Arena.global().allocate(64));
        global.segment().fill((byte) 3);
        Peer peer = client.connect(server.listen(SMALL), SMALL.withZeroCopy(global, 64));
        gather.clear().add(60, 4);
        assertThat(send(peer, 1)).isEqualTo(SendStatus.OK);
        Party.await(() -> contents.size() == 1);
        assertThat(contents).containsExactly(new byte[] {3, 3, 3, 3});
        global.close();
    }
}
