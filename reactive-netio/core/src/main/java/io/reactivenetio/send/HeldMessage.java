// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.send;

import io.reactivenetio.transport.SendBuffer;
import org.jspecify.annotations.Nullable;

/** The last message of a turn, whose way of sending is known when it is known what follows it: at most one. On the loop. */
final class HeldMessage {
    private final int bufferSize;
    private final boolean shared;
    private @Nullable SendBuffer buffer;
    /** What it is sent with: a buffer's key, or after them the index of a slice; negative if there is none. */
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

    /** Null if it is a slice. */
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

    /** Whether it waits in no send buffer. */
    boolean isParked() {
        return buffer != null && buffer == own;
    }

    /**
     * Moves it into memory of its own and gives its send buffer back, if that is shared: a message of another connection might
     * be what has to come first.
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
            index = 0; // some buffer's
        }
    }

    /** Into a send buffer again. */
    void unpark(SendBuffer free) {
        StagingBuffer mine = own;
        if (mine != null) {
            mine.copyTo(free);
            buffer = free;
            index = free.key();
        }
    }
}
