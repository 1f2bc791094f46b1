// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.backend;

import io.reactivenetio.transport.SendCompletion;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/**
 * The numbered stream of a {@link Peer}, and what of it is in flight. Its messages are sent by one thread: the loop's or the
 * peer's sender.
 */
final class Outgoing {
    /** How a message is sent. */
    enum Way { BUFFERED, ZERO_COPY, COPY }

    /** Zero-copy messages are made here, in slots of the largest size, which are free again when their key is told. */
    static final int ZERO_COPY_SLOTS = 8;

    private static final ValueLayout.OfLong NUMBER = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    final Peer peer;
    volatile int turnedAway;
    volatile long accepted;
    volatile boolean failed;
    /** Of the region, per slot; 0 without zero-copy. */
    private int zeroCopySize;
    private @Nullable MemoryRegion region;
    private long first;
    private final Set<SendKey> inFlight = ConcurrentHashMap.newKeySet();
    private final Queue<Integer> freeSlots = new ConcurrentLinkedQueue<>();
    private final GatherList gather = new GatherList();
    private final ByteBuffer header = ByteBuffer.allocate(GatherList.MAX_HEADER).order(ByteOrder.LITTLE_ENDIAN);
    private long toSend;
    private int size;
    private SendCompletion level = SendCompletion.TRANSMITTED;
    private Way way = Way.BUFFERED;
    private long next;
    private volatile boolean waitsForSlot;
    private final ArrayDeque<SendBuffer> refused = new ArrayDeque<>();

    Outgoing(Peer peer) {
        this.peer = peer;
    }

    /** Where zero-copy messages are made; of {@link #ZERO_COPY_SLOTS} times {@code largest} bytes. Before the first. */
    void region(MemoryRegion from, int largest) {
        region(from, 0, largest);
    }

    /** Where zero-copy messages of the {@code index}th of several peers are made that share a region. */
    void region(MemoryRegion from, int index, int largest) {
        region = from;
        first = (long) index * ZERO_COPY_SLOTS * largest;
        zeroCopySize = largest;
        for (int i = 0; i < ZERO_COPY_SLOTS; i++) {
            freeSlots.add(i);
        }
    }

    void add(long count, int bytes, SendCompletion completion, Way how) {
        toSend += count;
        size = bytes;
        level = completion;
        way = how;
        pump();
    }

    /** False if {@code key} was not in flight. Loop thread. */
    boolean told(SendKey key) {
        boolean was = inFlight.remove(key);
        if (key.kind() == SendKind.ZERO_COPY) {
            freeSlots.add((int) (key.key() & 0xff));
            if (waitsForSlot) {
                waitsForSlot = false;
                peer.party.send(peer, this::pump);
            }
        }
        return was;
    }

    boolean isEmpty() {
        return inFlight.isEmpty();
    }

    void pump() {
        while (toSend > 0 && peer.established > 0 && !failed) {
            SendStatus status = switch (way) {
                case BUFFERED -> sendBuffered();
                case ZERO_COPY -> sendZeroCopy();
                case COPY -> sendCopy();
            };
            if (status == SendStatus.OK) {
                next++;
                accepted++;
                toSend--;
            } else if (status == SendStatus.FAILED) {
                failed = true;
            } else {
                turnedAway++;
                return;
            }
        }
    }

    private SendStatus sendBuffered() {
        SendBuffer buffer = refused.isEmpty() ? peer.party.backend.getBuffer(peer.endpoint) : refused.poll();
        if (buffer == null) {
            return peer.closed > 0 ? SendStatus.FAILED : SendStatus.NO_RESOURCES;
        }
        number(buffer.data());
        buffer.length(size);
        SendStatus status = tryToSend(buffer);
        if (status == SendStatus.NO_RESOURCES) {
            refused.add(buffer);
        }
        return status;
    }

    /** One message of {@code bytes} bytes besides the stream, by whoever calls; has to be accepted. */
    void sendOne(SendBuffer buffer, int bytes) {
        sendOne(buffer, bytes, true);
    }

    /** {@code zero}: of zeros, not of what is in the buffer. */
    void sendOne(SendBuffer buffer, int bytes, boolean zero) {
        for (int i = 0; i < bytes && zero; i++) {
            buffer.data().put(i, (byte) 0);
        }
        buffer.length(bytes);
        SendStatus status = peer.party.on(() -> tryToSend(buffer));
        peer.party.check(status == SendStatus.OK, "status " + status);
    }

    /** Sends {@code buffer}, which the backend need not accept. */
    SendStatus tryToSend(SendBuffer buffer) {
        SendKey key = new SendKey(SendKind.BUFFERED, buffer.key());
        peer.party.check(inFlight.add(key), "key in flight twice: " + key);
        SendStatus status = peer.party.backend.sendBuffer(peer.endpoint, buffer, level);
        if (status != SendStatus.OK) {
            peer.party.check(inFlight.remove(key), "told though not sent: " + key);
        }
        return status;
    }

    /** One zero-copy message besides the stream, by whoever calls. */
    SendStatus sendGather(GatherList message, long key, SendCompletion completion) {
        SendKey sent = new SendKey(SendKind.ZERO_COPY, key);
        peer.party.check(inFlight.add(sent), "a key that is used: " + key);
        SendStatus status = SendStatus.FAILED;
        try {
            status = peer.party.backend.sendZeroCopy(peer.endpoint, message, key, completion);
        } finally {
            if (status != SendStatus.OK) {
                inFlight.remove(sent);
            }
        }
        return status;
    }

    private void number(ByteBuffer data) {
        if (size >= Long.BYTES) {
            data.putLong(0, next);
        }
        if (size > 2 * Long.BYTES) {
            data.put(size - 1, (byte) next);
        }
    }

    /** Now with a header, now without, and in up to three spans. */
    private SendStatus sendZeroCopy() {
        MemoryRegion from = region;
        Integer slot = freeSlots.poll();
        if (slot == null) {
            waitsForSlot = true;
            slot = freeSlots.poll(); // told in between
        }
        if (slot == null || from == null) {
            return SendStatus.NO_RESOURCES;
        }
        long base = first + (long) slot * zeroCopySize;
        gather.clear();
        int headed = next % 2 == 0 && size >= Long.BYTES ? Long.BYTES : 0;
        if (headed > 0) {
            gather.header(header.clear().putLong(next).flip());
        } else if (size >= Long.BYTES) {
            from.segment().set(NUMBER, base, next);
        }
        if (size > 2 * Long.BYTES) {
            from.segment().set(ValueLayout.JAVA_BYTE, base + size - 1, (byte) next);
        }
        int rest = size - headed;
        int spans = (int) (1 + next % 3);
        for (int i = 0; i < spans; i++) {
            int begin = rest * i / spans;
            gather.add(base + headed + begin, rest * (i + 1) / spans - begin);
        }
        SendKey key = new SendKey(SendKind.ZERO_COPY, next << 8 | slot);
        inFlight.add(key);
        SendStatus status = peer.party.backend.sendZeroCopy(peer.endpoint, gather, key.key(), level);
        if (status != SendStatus.OK) {
            peer.party.check(inFlight.remove(key), "told though not sent: " + key);
            freeSlots.add(slot);
        }
        return status;
    }

    private SendStatus sendCopy() {
        ByteBuffer data = ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN);
        number(data);
        SendStatus status = peer.party.backend.sendCopy(peer.endpoint, data);
        peer.party.check(data.position() == (status == SendStatus.OK ? size : 0), "position " + data + " after " + status);
        return status;
    }

    /** The connection is over: what is still lent goes back. */
    void giveUp() {
        failed = true;
        SendBuffer buffer;
        while ((buffer = refused.poll()) != null) {
            buffer.release();
        }
    }

    @Override
    public String toString() {
        return inFlight.toString();
    }
}
