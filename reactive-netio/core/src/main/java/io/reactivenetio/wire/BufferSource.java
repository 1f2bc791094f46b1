// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.wire;

import java.nio.ByteBuffer;

/** Where the buffers come from that messages are put together in. */
public interface BufferSource {

    /** A buffer with position 0 and limit {@code bytes}. */
    ByteBuffer allocate(int bytes);

    /** Takes back a buffer that nobody will look at any more, its message whole or never to be. */
    void free(ByteBuffer buffer);
}
