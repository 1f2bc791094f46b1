// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivenetio.transport.SendCompletion;
import io.reactivenetio.transport.exceptions.NotSupportedException;
import java.nio.BufferOverflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;

/** Buffered and immediate sends: who owns a buffer, what is in it, and what each status means. */
@OverEveryCombination
class SendContractTest extends Contract {
    private static final SendCompletion LEVEL = SendCompletion.TRANSMITTED;

    SendContractTest(Combination combination) {
        super(combination);
    }

    private SendBuffer lend(Peer peer) {
        return Objects.requireNonNull(peer.party.on(() -> peer.party.backend.getBuffer(peer.endpoint)));
    }

    private static SendStatus send(Peer peer, SendBuffer buffer) {
        return peer.party.on(() -> peer.party.backend.sendBuffer(peer.endpoint, buffer, LEVEL));
    }

    /** What arrives is kept as bytes. */
    private static Queue<byte[]> contents(Party party) {
        Queue<byte[]> contents = new ConcurrentLinkedQueue<>();
        party.onEstablished = peer -> {
            peer.numbered = false;
            peer.hold = true;
        };
        party.onData = peer -> {
            ReceivedBuffer buffer = Objects.requireNonNull(peer.held.poll());
            byte[] bytes = new byte[buffer.length()];
            buffer.data().get(bytes);
            contents.add(bytes);
            buffer.release();
        };
        return contents;
    }

    // ---- handles that are kept too long

    private void expectStale(Peer peer, SendBuffer stale) {
        assertThat(send(peer, stale)).isEqualTo(SendStatus.FAILED);
        assertThatThrownBy(() -> client.run(stale::release)).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("send buffer 0 was sent or released before");
        assertThatThrownBy(stale::data).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> stale.length(1)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> stale.writeByte(1)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void shouldNotTakeAnOldHandleForTheNextBorrowers() {
        ConnectionParameters one = SMALL.withSendBuffers(64, 1);
        restart(SMALL, one);
        Peer peer = client.connect(server.listen(SMALL), one);
        server.accepted().numbered = false;
        SendBuffer released = lend(peer);
        client.run(released::release);
        SendBuffer sent = lend(peer).writeInt(7);
        expectStale(peer, released);
        assertThat(client.on(() -> peer.out.tryToSend(sent))).isEqualTo(SendStatus.OK);
        Party.await(() -> peer.completed == 1 && server.accepted().received == 1);
        Party.await(() -> client.on(() -> client.backend.freeSendBuffers(peer.endpoint)) == 1);
        SendBuffer last = lend(peer).writeInt(8).writeInt(9);
        expectStale(peer, released);
        expectStale(peer, sent);
        assertThat(last.length()).isEqualTo(8);
        assertThat(client.on(() -> peer.out.tryToSend(last))).isEqualTo(SendStatus.OK);
        Party.await(() -> peer.completed == 2 && server.accepted().received == 2);
        assertThat(server.accepted().sizes).containsExactly(4, 8);
    }

    @Test
    void shouldNotTakeAnOldMessageForTheNextInItsSlot() {
        ConnectionParameters one = SMALL.withReceiveBuffers(64, 1);
        restart(one, SMALL);
        server.onEstablished = peer -> peer.hold = true;
        Peer peer = client.connect(server.listen(one), SMALL);
        Peer accepted = server.accepted();
        peer.stream(2, 20);
        Party.await(() -> accepted.held.size() == 1);
        ReceivedBuffer old = Objects.requireNonNull(accepted.held.poll());
        old.retain();
        old.release();
        old.release();
        Party.await(() -> accepted.held.size() == 1);
        ReceivedBuffer next = Objects.requireNonNull(accepted.held.poll());
        assertThatThrownBy(old::release).isInstanceOf(IllegalStateException.class).hasMessageContaining("released twice");
        assertThatThrownBy(old::retain).isInstanceOf(IllegalStateException.class).hasMessageContaining("has been released");
        assertThatThrownBy(old::data).isInstanceOf(IllegalStateException.class).hasMessageContaining("has been released");
        assertThat(next.data().getLong(0)).isEqualTo(1);
        next.release();
    }

    @Test
    void shouldRefuseNoLevel() {
        Peer peer = client.connect(server.listen(SMALL), SMALL);
        SendBuffer buffer = lend(peer).writeInt(1);
        assertThatThrownBy(() -> client.on(() -> client.backend.sendBuffer(peer.endpoint, buffer, null)))
                .isInstanceOf(NullPointerException.class).hasMessage("level");
        client.run(() -> assertThat(peer.out.tryToSend(buffer)).isEqualTo(SendStatus.OK)); // it is the caller's still
        Party.await(() -> peer.completed == 1);
    }

    // ---- FAILED

    @Test
    void shouldFailABufferThatWasNotHandedOut() {
        Peer peer = client.connect(server.listen(SMALL), SMALL);
        assertThat(send(peer, new ForeignBuffer())).isEqualTo(SendStatus.FAILED);
        SendBuffer released = lend(peer);
        client.run(released::release);
        assertThat(send(peer, released)).isEqualTo(SendStatus.FAILED);
        assertThatThrownBy(() -> client.run(released::release)).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("is not lent");
        assertThat(client.on(() -> client.backend.freeSendBuffers(peer.endpoint))).isEqualTo(8);
        assertThat(peer.closed).isZero();
    }

    @Test
    void shouldFailABufferOfAnotherEndpoint() {
        ListenEndpoint listener = server.listen(SMALL);
        Peer one = client.connect(listener, SMALL);
        Peer other = client.connect(listener, SMALL);
        SendBuffer buffer = lend(one);
        assertThat(send(other, buffer)).isEqualTo(SendStatus.FAILED);
        one.out.sendOne(buffer, 10); // it is still the caller's
        Party.await(() -> one.completed == 1);
        assertThat(other.closed).isZero();
    }

    @Test
    void shouldFailABufferThatIsSentTwice() {
        Queue<byte[]> contents = contents(server);
        Peer peer = client.connect(server.listen(SMALL), SMALL);
        List<SendStatus> second = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            SendBuffer buffer = lend(peer);
            client.run(() -> {
                peer.out.sendOne(buffer, 5);
                second.add(client.backend.sendBuffer(peer.endpoint, buffer, LEVEL));
            });
            long expected = i + 1;
            Party.await(() -> peer.completed == expected);
        }
        assertThat(second).containsOnly(SendStatus.FAILED);
        Party.await(() -> contents.size() == 20);
    }

    @Test
    void shouldFailOnceTheConnectionIsOver() {
        Peer peer = client.connect(server.listen(SMALL), SMALL);
        SendBuffer lent = lend(peer);
        client.closeEndpoint(peer);
        Party.await(() -> peer.closed == 1);
        lent.writeLong(1); // its memory is still there
        assertThat(send(peer, lent)).isEqualTo(SendStatus.FAILED);
        assertThat(send(peer, lent)).isEqualTo(SendStatus.FAILED);
        assertThat(client.on(() -> client.backend.getBuffer(peer.endpoint))).isNull();
        assertThat(client.on(() -> client.backend.freeSendBuffers(peer.endpoint))).isZero();
        if (combination.isPlainTcp()) {
            assertThat(client.on(() -> client.backend.sendCopy(peer.endpoint, ByteBuffer.allocate(3))))
                    .isEqualTo(SendStatus.FAILED);
        }
    }

    // ---- NO_RESOURCES

    @Test
    void shouldTakeBuffersButNoMessagesBeforeTheConnectionIsUp() {
        ListenEndpoint listener = server.listen(SMALL);
        List<SendStatus> status = new ArrayList<>();
        Peer peer = client.onLoop(() -> {
            Peer opening = client.open(listener.localAddress(), SMALL);
            SendBuffer early = Objects.requireNonNull(client.backend.getBuffer(opening.endpoint));
            status.add(client.backend.sendBuffer(opening.endpoint, early.writeInt(1), LEVEL));
            early.release();
            return opening;
        });
        assertThat(status).containsExactly(SendStatus.NO_RESOURCES);
        Party.await(() -> peer.resources == 1);
        assertThat(peer.established).isEqualTo(1);
    }

    @Test
    void shouldCallBackWhoeverFoundNoBufferBeforeTheConnectionWasUp() {
        ListenEndpoint listener = server.listen(SMALL);
        Peer peer = client.onLoop(() -> {
            Peer opening = client.open(listener.localAddress(), SMALL);
            List<SendBuffer> all = new ArrayList<>();
            SendBuffer buffer;
            while ((buffer = client.backend.getBuffer(opening.endpoint)) != null) {
                all.add(buffer);
            }
            all.forEach(SendBuffer::release);
            return opening;
        });
        Party.await(() -> peer.resources > 0);
        assertThat(peer.established).isEqualTo(1);
    }

    // ---- what is in a buffer

    @Test
    void shouldWriteBytesAndIntegers() {
        Queue<byte[]> contents = contents(server);
        Peer peer = client.connect(server.listen(SMALL), SMALL);
        SendBuffer buffer = lend(peer);
        buffer.write(ByteBuffer.wrap(new byte[] {9, 1, 2, 9}, 1, 2)).write(new byte[] {0, 3, 4, 0}, 1, 2)
                .write(ByteBuffer.wrap(new byte[] {5}), ByteBuffer.allocate(0), ByteBuffer.wrap(new byte[] {6, 7}))
                .writeByte(0x108).writeShort(0x10a09).writeInt(0x0e0d0c0b).writeLong(0x161514131211100fL)
                .writeShort(0x1718, ByteOrder.BIG_ENDIAN).writeInt(0x191a1b1c, ByteOrder.BIG_ENDIAN)
                .writeLong(0x1d1e1f2021222324L, ByteOrder.BIG_ENDIAN).writeShort(0x2625, ByteOrder.LITTLE_ENDIAN)
                .writeInt(0x2a292827, ByteOrder.LITTLE_ENDIAN).writeLong(0x3231302f2e2d2c2bL, ByteOrder.LITTLE_ENDIAN);
        assertThat(buffer.length()).isEqualTo(50);
        peer.out.sendOne(buffer, 50, false);
        Party.await(() -> contents.size() == 1);
        byte[] expected = new byte[50];
        for (int i = 0; i < expected.length; i++) {
            expected[i] = (byte) (i + 1);
        }
        assertThat(contents.element()).isEqualTo(expected);
    }

    @Test
    void shouldLeaveABufferAsItWasWhenAWriteDoesNotFit() {
        Peer peer = client.connect(server.listen(SMALL), SMALL);
        SendBuffer buffer = lend(peer);
        ByteBuffer large = ByteBuffer.allocate(1020);
        buffer.writeInt(1);
        for (Runnable write : List.<Runnable>of(() -> buffer.write(ByteBuffer.allocate(1021)),
                () -> buffer.write(large, ByteBuffer.allocate(1)), () -> buffer.write(new byte[2000], 0, 1021))) {
            assertThatThrownBy(write::run).isInstanceOf(BufferOverflowException.class);
        }
        for (Runnable write : List.<Runnable>of(() -> buffer.write(new byte[5], 3, 3), () -> buffer.write(new byte[5], -1, 3),
                () -> buffer.write(new byte[5], 0, -1))) {
            assertThatThrownBy(write::run).isInstanceOf(IndexOutOfBoundsException.class);
        }
        assertThat(buffer.length()).isEqualTo(4);
        assertThat(large.position()).isZero();
        buffer.write(large);
        for (Runnable write : List.<Runnable>of(() -> buffer.writeByte(1), () -> buffer.writeShort(1), () -> buffer.writeInt(1),
                () -> buffer.writeLong(1))) {
            assertThatThrownBy(write::run).isInstanceOf(BufferOverflowException.class);
        }
        assertThat(buffer.length()).isEqualTo(1024);
        for (int length : new int[] {-1, 1025}) {
            assertThatThrownBy(() -> buffer.length(length)).isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("message of " + length + " bytes in a buffer of 1024");
        }
        client.run(buffer::release);
    }

    /** Whatever the last one did with it. */
    @Test
    void shouldLendBuffersAsNew() {
        ConnectionParameters one = SMALL.withSendBuffers(64, 1).withReceiveBuffers(64, 1);
        restart(one, one);
        Queue<byte[]> contents = contents(server);
        Peer peer = client.connect(server.listen(one), one);
        SendBuffer first = lend(peer);
        first.data().order(ByteOrder.BIG_ENDIAN).position(3).limit(5);
        client.run(first::release);
        SendBuffer second = lend(peer);
        assertThat(second.length()).isZero();
        assertThat(second.data().position()).isZero();
        assertThat(second.data().limit()).isEqualTo(64);
        assertThat(second.data().order()).isEqualTo(ByteOrder.LITTLE_ENDIAN);
        second.data().order(ByteOrder.BIG_ENDIAN);
        second.writeInt(0x04030201); // little-endian, whatever the view is
        peer.out.sendOne(second, 4, false);
        Party.await(() -> contents.size() == 1);
        assertThat(contents.element()).isEqualTo(new byte[] {1, 2, 3, 4});
    }

    @Test
    void shouldShowReceivedBuffersAsNew() {
        ConnectionParameters one = SMALL.withReceiveBuffers(64, 1);
        restart(one, SMALL);
        List<String> seen = new ArrayList<>();
        server.onEstablished = peer -> peer.hold = true;
        server.onData = peer -> {
            ReceivedBuffer buffer = Objects.requireNonNull(peer.held.poll());
            seen.add(buffer.data().order() + " " + buffer.data().remaining());
            buffer.data().order(ByteOrder.BIG_ENDIAN).position(3).limit(4);
            buffer.release();
        };
        Party.Pair pair = client.connect(server, server.listen(one), SMALL);
        pair.opened().stream(2, 40);
        Party.await(() -> pair.accepted().received == 2);
        server.settle();
        assertThat(seen).containsExactly("LITTLE_ENDIAN 40", "LITTLE_ENDIAN 40");
    }

    @Test
    void shouldNumberBuffersByTheirKeys() {
        Peer peer = client.connect(server.listen(SMALL), SMALL);
        List<SendBuffer> all = new ArrayList<>();
        for (int i = 0; i < (combination.shared() ? 7 : 8); i++) {
            all.add(lend(peer));
        }
        assertThat(all.stream().map(SendBuffer::key).distinct()).hasSameSizeAs(all).allMatch(key -> key >= 0 && key < 8);
        client.run(() -> all.forEach(SendBuffer::release));
    }

    // ---- immediate

    @Test
    void shouldSendACopyWhereThatIsPossible() {
        Queue<byte[]> contents = contents(server);
        Peer peer = client.connect(server.listen(SMALL), SMALL);
        ByteBuffer data = ByteBuffer.wrap(new byte[] {1, 2, 3, 4, 5}, 1, 3);
        if (!combination.isPlainTcp()) {
            assertThatThrownBy(() -> client.on(() -> client.backend.sendCopy(peer.endpoint, data)))
                    .isInstanceOf(NotSupportedException.class).hasMessageContaining("libfabric has no immediate send")
                    .hasMessageContaining("getBuffer");
            return;
        }
        assertThat(client.on(() -> client.backend.sendCopy(peer.endpoint, data))).isEqualTo(SendStatus.OK);
        assertThat(data.remaining()).isZero();
        data.put(1, (byte) 77); // ours again at once
        for (int size : new int[] {0, 1024}) {
            ByteBuffer direct = ByteBuffer.allocateDirect(size);
            assertThat(client.on(() -> client.backend.sendCopy(peer.endpoint, direct))).isEqualTo(SendStatus.OK);
        }
        Party.await(() -> contents.size() == 3);
        assertThat(contents).containsExactly(new byte[] {2, 3, 4}, new byte[0], new byte[1024]);
        ByteBuffer tooLarge = ByteBuffer.allocate(1025);
        assertThatThrownBy(() -> client.on(() -> client.backend.sendCopy(peer.endpoint, tooLarge)))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("1025 bytes").hasMessageContaining("1024");
        assertThat(tooLarge.position()).isZero();
        assertThat(peer.completed).isZero();
    }

    @Test
    void shouldCallBackWhoeverCouldSendNoCopy() {
        if (!combination.isPlainTcp()) {
            return;
        }
        Party.Pair pair = client.connect(server, server.listen(SMALL), SMALL);
        pair.opened().stream(20_000, 1_000, LEVEL, Outgoing.Way.COPY);
        pair.accepted().stream(20_000, 100, LEVEL, Outgoing.Way.COPY);
        Party.await(() -> pair.accepted().received == 20_000 && pair.opened().received == 20_000);
        assertThat(pair.opened().resources).isPositive();
        assertThat(pair.opened().completed).isZero();
        Party.await(() -> client.on(() -> client.backend.freeSendBuffers(pair.opened().endpoint)) == 8);
    }

    /** Somebody's own idea of a buffer. */
    private static final class ForeignBuffer implements SendBuffer {
        @Override
        public ByteBuffer data() {
            return ByteBuffer.allocate(8);
        }

        @Override
        public void length(int bytes) {
            assertThat(bytes).isZero();
        }

        @Override
        public int length() {
            return 0;
        }

        @Override
        public int key() {
            return 0;
        }

        @Override
        public void release() {
            throw new AssertionError("not to be released by the backend");
        }
    }
}
