// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.backend;

import io.reactivenetio.transport.SendCompletion;
import io.reactivenetio.transport.exceptions.NetioException;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/** One connection of a {@link Party}: what was told of it, a numbered stream out, and a check of the numbers that come in. */
final class Peer {
    final Party party;
    final Endpoint endpoint;
    final Outgoing out;
    final Queue<ReceivedBuffer> held = new ConcurrentLinkedQueue<>();
    final Queue<Integer> sizes = new ConcurrentLinkedQueue<>();
    // written on the loop
    volatile int established;
    volatile int refused;
    volatile int closed;
    volatile int resources;
    volatile int cancelled;
    volatile long received;
    volatile long completed;
    volatile @Nullable Capabilities capabilities;
    volatile @Nullable NetioException reason;
    volatile @Nullable NetioException cause;
    /** Whether what arrives is retained. */
    volatile boolean hold;
    volatile boolean numbered = true;
    /** What is done with each message, on the loop. */
    volatile Runnable work = () -> { };

    Peer(Party party, Endpoint endpoint) {
        this.party = party;
        this.endpoint = endpoint;
        this.out = new Outgoing(this);
    }

    /** Sends {@code count} messages of {@code bytes} bytes, as fast as there are resources. Any thread. */
    void stream(long count, int bytes, SendCompletion completion) {
        stream(count, bytes, completion, Outgoing.Way.BUFFERED);
    }

    void stream(long count, int bytes) {
        stream(count, bytes, SendCompletion.TRANSMITTED);
    }

    void stream(long count, int bytes, SendCompletion completion, Outgoing.Way way) {
        party.sendFromAnywhere(this, () -> out.add(count, bytes, completion, way));
    }

    void arrived(ReceivedBuffer buffer) {
        ByteBuffer data = buffer.data();
        party.check(data.position() == 0 && data.limit() == buffer.length(), "view of " + data);
        if (numbered && buffer.length() >= Long.BYTES) {
            party.check(data.getLong(0) == received, "message " + data.getLong(0) + " instead of " + received + " of " + this);
            if (buffer.length() > 2 * Long.BYTES) {
                party.check(data.get(buffer.length() - 1) == (byte) received, "torn message " + received + " of " + this);
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
        work.run();
    }

    void release(int count) {
        for (int i = 0; i < count; i++) {
            Objects.requireNonNull(held.poll()).release();
        }
    }

    @Override
    public String toString() {
        return party.name + "'s " + endpoint + " established " + established + " refused " + refused + " closed " + closed
                + " cause " + cause + " received " + received + " accepted " + out.accepted + " completed " + completed;
    }
}
