// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.api;

import java.nio.ByteBuffer;

/**
 * Makes an element of a received message while the message is in its receive buffer. It is called on the connection's loop, so it
 * must not block.
 *
 * @param <T> the type of the elements
 */
@FunctionalInterface
public interface TaggedDecoder<T> {
    /**
     * Makes the element for one message. What this throws ends the stream with that error.
     *
     * @param tag what the message is about, 64 bits
     * @param status what the sender says of the message, 0 to 255; 0 means as a rule that all is well
     * @param payload the message's bytes from position 0 to the limit, in the {@linkplain
     *     io.reactivenetio.NetioTransport#byteOrder byte order} of the server or client; the decoder must not keep the buffer
     * @return the element, which must not be null
     */
    T decode(long tag, int status, ByteBuffer payload);
}
