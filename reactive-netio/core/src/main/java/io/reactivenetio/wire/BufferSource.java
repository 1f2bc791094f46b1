// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.wire;

import java.nio.ByteBuffer;

/** Allocates the buffers that messages are put together in. */
public interface BufferSource {

    /**
     * Returns a buffer with position 0 and a limit between {@code bytes}, which are needed, and {@code most}, beyond which memory
     * would be wasted.
     *
     * @throws ProtocolException if there is no room for the peer's messages any more
     */
    ByteBuffer allocate(int bytes, int most) throws ProtocolException;

    /** Notes that a message of {@code total} bytes begins, before a buffer is allocated for it. */
    default void begun(int total) {
        // most have room for all
    }

    /** Notes that such a message is whole, or was given up. */
    default void ended(int total) {
        // most have room for all
    }

    /** Notes that nothing more is put into the buffer: its message is whole, was given up, or is in another buffer. */
    void finished(ByteBuffer buffer);

    /** Takes back a buffer that is finished and that nobody will look at any more. */
    void free(ByteBuffer buffer);
}
