// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.send;

import io.reactivenetio.transport.backend.SendBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The held message: the last one of a turn, which waits until it is known what follows it. There is at most one. The connection
 * owns its send buffer, or its slice. On the loop.
 */
final class HeldMessage {
    private final int bufferSize;
    private final boolean shared;
    private @Nullable SendBuffer buffer;
    /** The key of its send buffer, or the index of its slice plus the number of send buffers; negative if there is no message. */
    private int index = -1;
    private @Nullable SendSource owner;
    private @Nullable StagingBuffer own;

    /** {@code shared}: the send buffers are other connections' too. */
    HeldMessage(int bufferSize, boolean shared) {
        this.bufferSize = bufferSize;
        this.shared = shared;
    }

    boolean isThere() {
        return index >= 0;
    }

    /** The buffer of the message; null if it is a slice. */
    @Nullable SendBuffer buffer() {
        return buffer;
    }

    int index() {
        return index;
    }

    @Nullable SendSource owner() {
        return owner;
    }

    void begin(SendBuffer filled, SendSource from) {
        buffer = filled;
        index = filled.key();
        owner = from;
    }

    void begin(int slice, SendSource from) {
        index = slice;
        owner = from;
    }

    void clear() {
        buffer = null;
        index = -1;
        owner = null;
    }

    /** Whether the message lies in memory of its own, and in no send buffer. */
    boolean isParked() {
        return buffer != null && buffer == own;
    }

    /**
     * Moves the message into memory of its own and releases its send buffer, if send buffers are shared: a message of another
     * connection may have to come first.
     */
    void park() {
        SendBuffer last = buffer;
        if (shared && last != null && last != own) {
            StagingBuffer mine = own;
            if (mine == null) {
                mine = new StagingBuffer(bufferSize);
                own = mine;
            }
            mine.moveFrom(last);
            buffer = mine;
            index = 0; // any send buffer's: it gets one before it is posted
        }
    }

    /** Copies the message into {@code free}, which holds it from now on. */
    void unpark(SendBuffer free) {
        StagingBuffer mine = own;
        if (mine != null) {
            mine.copyTo(free);
            buffer = free;
            index = free.key();
        }
    }
}
