// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.wire;

import java.nio.ByteBuffer;

/** Where the buffers come from that messages are put together in. */
public interface BufferSource {

    /**
     * A buffer with position 0 and a limit from {@code bytes}, which are needed, to {@code most}, beyond which it would be
     * wasted.
     *
     * @throws ProtocolException if there is no room for the peer's messages any more
     */
    ByteBuffer allocate(int bytes, int most) throws ProtocolException;

    /** Nothing is put into the buffer any more: its message is whole, never to be, or in another one. */
    void finished(ByteBuffer buffer);

    /** Takes back a buffer that is finished and that nobody will look at any more. */
    void free(ByteBuffer buffer);
}
