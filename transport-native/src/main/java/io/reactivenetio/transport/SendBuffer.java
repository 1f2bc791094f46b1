// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport;

import java.nio.ByteBuffer;

/**
 * A registered buffer lent by {@link NetworkBackend#getBuffer}. The borrower owns it, and may fill it on any thread, until it
 * is sent or released; its memory stays valid that long even if the connection closes meanwhile.
 */
public interface SendBuffer {

    /** The whole buffer, position 0, limit its capacity; the same object for the life of the slot. */
    ByteBuffer data();

    /** Says that bytes 0 (inclusive) to {@code bytes} (exclusive) of {@link #data()} are the message. */
    void length(int bytes);

    /** Bytes in the message. */
    int length();

    /** Its index among the endpoint's send buffers: the key of the send-completed callback. */
    int key();

    /** Gives it back unsent. Loop thread only, unless the loop has terminated. */
    void release();
}
