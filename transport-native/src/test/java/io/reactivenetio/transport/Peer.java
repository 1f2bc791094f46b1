// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/** One connection of a {@link Party}: what was told of it, a numbered stream out, and a check of the numbers that come in. */
final class Peer {
    final Party party;
    final Endpoint endpoint;
    final Set<SendKey> inFlight = new HashSet<>();
    final Queue<ReceivedBuffer> held = new ConcurrentLinkedQueue<>();
    final Queue<Integer> sizes = new ConcurrentLinkedQueue<>();
    volatile int established;
    volatile int refused;
    volatile int closed;
    volatile int resources;
    volatile int turnedAway;
    volatile int cancelled;
    volatile long received;
    volatile long completed;
    volatile @Nullable NetioException reason;
    volatile @Nullable NetioException cause;
    /** Whether what arrives is retained. */
    volatile boolean hold;
    volatile boolean numbered = true;
    // of the stream out; loop thread
    private long toSend;
    private int size;
    private CompletionLevel level = CompletionLevel.TRANSMIT_COMPLETE;
    private long next;
    private final ArrayDeque<SendBuffer> refusedBuffers = new ArrayDeque<>();
    volatile long accepted;
    volatile boolean failed;

    Peer(Party party, Endpoint endpoint) {
        this.party = party;
        this.endpoint = endpoint;
    }

    /** Sends {@code count} messages of {@code bytes} bytes, as fast as there are resources. Any thread. */
    void stream(long count, int bytes, CompletionLevel completion) {
        party.run(() -> {
            toSend += count;
            size = bytes;
            level = completion;
            pump();
        });
    }

    void stream(long count, int bytes) {
        stream(count, bytes, CompletionLevel.TRANSMIT_COMPLETE);
    }

    void pump() {
        while (toSend > 0 && established > 0) {
            SendBuffer buffer = refusedBuffers.isEmpty() ? party.backend.getBuffer(endpoint) : refusedBuffers.poll();
            if (buffer == null) {
                turnedAway++;
                return;
            }
            ByteBuffer data = buffer.data();
            if (size >= Long.BYTES) {
                data.putLong(0, next);
            }
            if (size > 2 * Long.BYTES) {
                data.put(size - 1, (byte) next);
            }
            buffer.length(size);
            switch (party.backend.sendBuffer(endpoint, buffer, level)) {
                case OK -> {
                    boolean added = inFlight.add(new SendKey(SendKind.BUFFERED, buffer.key()));
                    party.check(added, "key in flight twice: " + buffer.key());
                    next++;
                    accepted++;
                    toSend--;
                }
                case NO_RESOURCES -> {
                    turnedAway++;
                    refusedBuffers.add(buffer);
                    return;
                }
                default -> {
                    failed = true;
                    return;
                }
            }
        }
    }

    void arrived(ReceivedBuffer buffer) {
        ByteBuffer data = buffer.data();
        party.check(data.position() == 0 && data.limit() == buffer.length(), "view of " + data);
        if (numbered && buffer.length() >= Long.BYTES) {
            party.check(data.getLong(0) == received, "message " + data.getLong(0) + " instead of " + received);
            if (buffer.length() > 2 * Long.BYTES) {
                party.check(data.get(buffer.length() - 1) == (byte) received, "torn message " + received);
            }
        }
        if (sizes.size() < 64) {
            sizes.add(buffer.length());
        }
        if (hold) {
            buffer.retain();
            held.add(buffer);
        }
        received++;
    }

    void release(int count) {
        for (int i = 0; i < count; i++) {
            Objects.requireNonNull(held.poll()).release();
        }
    }

    @Override
    public String toString() {
        return endpoint + " established " + established + " refused " + refused + " closed " + closed + " cause " + cause
                + " received " + received + " accepted " + accepted + " completed " + completed;
    }
}
