// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** The messages of raw_peer.c, numbered from 0: made one by one, or checked; and their tally. For one thread at a time. */
final class RawMessages {
    private static final long PRIME = 0x100000001b3L;

    private final int size;
    private final byte[] pattern;
    private final ByteBuffer expected;
    private volatile long messages;
    private long bytes;
    private long checksum = 0xcbf29ce484222325L;

    /** Messages of {@code size} bytes each. */
    RawMessages(int size) {
        this.size = size;
        this.pattern = new byte[size + 256];
        for (int i = 0; i < pattern.length; i++) {
            pattern[i] = (byte) i;
        }
        this.expected = ByteBuffer.allocate(size);
    }

    /** The next message, in a buffer of its own. */
    ByteBuffer next() {
        ByteBuffer message = fill(ByteBuffer.allocate(size));
        add(message);
        return message;
    }

    /** Fails unless this is the next message. */
    void accept(ByteBuffer message) {
        if (!fill(expected).equals(message)) {
            throw new IllegalStateException("message " + messages + ", of " + message.remaining()
                    + " bytes, is not the one expected");
        }
        add(expected);
    }

    private ByteBuffer fill(ByteBuffer buffer) {
        buffer.clear().put(0, pattern, (int) messages & 255, size);
        for (int i = 0; i < 8 && i < size; i++) {
            buffer.put(i, (byte) (messages >>> 8 * i));
        }
        return buffer;
    }

    private void add(ByteBuffer message) {
        ByteBuffer words = message.duplicate().order(ByteOrder.LITTLE_ENDIAN);
        while (words.remaining() >= 8) {
            checksum = (checksum ^ words.getLong()) * PRIME;
        }
        while (words.hasRemaining()) {
            checksum = (checksum ^ (words.get() & 0xff)) * PRIME;
        }
        bytes += message.remaining();
        long before = messages;
        messages = before + 1;
    }

    /** How many so far; any thread. */
    long count() {
        return messages;
    }

    /** As raw_peer prints it: messages, bytes, checksum. */
    @Override
    public String toString() {
        return messages + " " + bytes + " " + String.format("%016x", checksum);
    }
}
