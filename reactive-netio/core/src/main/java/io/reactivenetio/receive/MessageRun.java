// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.receive;

import io.reactivenetio.lease.ReceivedMessage;
import java.nio.ByteBuffer;

/**
 * Received messages of one stream, one behind the other, shown by one object, which stands at one of them. A message alone is a
 * run of one. On the loop.
 */
public interface MessageRun extends ReceivedMessage {
    /**
     * A message of at most so many bytes is moved before it is shown: up to here that takes about as long as making an object
     * that shows it where it lies, and leaves no garbage.
     */
    int SMALL = 128;

    /** Shows a message that lies in {@code memory}: a small one in {@code scratch}, which has {@link #SMALL} bytes. */
    static ByteBuffer view(ByteBuffer memory, int offset, int length, ByteBuffer scratch) {
        return length > SMALL ? memory.slice(offset, length) : scratch.clear().limit(length).put(0, memory, offset, length);
    }

    /** Goes on to the next message; false if that is none of this stream, or there is none. */
    boolean next();

    /** Where the message lies, at {@link #offset}. */
    ByteBuffer inMemory();

    /** An owned copy of the message, from position 0 to its limit. */
    default ByteBuffer copy() {
        return ByteBuffer.allocate(length()).put(0, inMemory(), offset(), length());
    }

    /** No more messages are delivered for now. */
    default void settle() {
        leases().settle();
    }
}
