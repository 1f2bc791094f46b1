// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import java.nio.ByteBuffer;

/**
 * Writes a value as the bytes of a message. An encoder is asked for the size first, and gets a buffer with that much room. It is
 * called on the thread that emits the value, and by one thread at a time for each send.
 *
 * @param <T> the type of the values
 */
public interface NetioEncoder<T> {

    /** Returns how many bytes the message of {@code value} has; 0 or more. What this throws ends the send with that error. */
    int size(T value);

    /**
     * Writes the message of {@code value}. What this throws ends the send with that error.
     *
     * @param target from its position to its limit it has {@link #size} bytes, all of which must be written, in the
     *     {@linkplain NetioTransport#byteOrder byte order} of the server or client; the encoder must not keep it
     */
    void encode(T value, ByteBuffer target);
}
