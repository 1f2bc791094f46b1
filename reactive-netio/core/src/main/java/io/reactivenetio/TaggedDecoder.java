// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import java.nio.ByteBuffer;

/** Makes something of a received message, while that is in its receive buffer. On the connection's loop. */
@FunctionalInterface
public interface TaggedDecoder<T> {
    /**
     * The element for this message. What it throws ends the stream.
     *
     * @param tag what the message is about, 64 bits
     * @param status what its sender says of it, 0 to 255; 0 is as a rule that all is well
     * @param payload its bytes: little-endian, position 0 to limit; not to be kept
     * @return not null
     */
    T decode(long tag, int status, ByteBuffer payload);
}
