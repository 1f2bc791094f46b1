// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.send;

import io.reactivenetio.transport.backend.SendBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The held message: the last one of a turn, which waits until it is known what follows it. There is at most one. The connection
 * owns its send buffer, or its slice. On the loop.
 */
final class HeldMessage {
    private @Nullable SendBuffer buffer;
    /** The key of its send buffer, or the index of its slice plus the number of send buffers; negative if there is no message. */
    private int index = -1;
    private @Nullable SendSource owner;

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
}
