// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.api;

import java.nio.ByteBuffer;
import java.util.function.BiConsumer;

/**
 * Writes a value as the bytes of a message. An encoder is asked for the size first, and gets a buffer with that much room. It is
 * called on the thread that emits the value, and by one thread at a time for each send. An encoder that several sends have is
 * called by several threads at a time. {@link io.reactivenetio.NetioCodec} has some that are ready.
 *
 * @param <T> the type of the values
 */
public interface NetioEncoder<T> {

    /**
     * Returns an encoder of messages that all have the same size.
     *
     * @param bytes how many bytes each message has
     * @param write does what {@link #encode} does
     * @throws IllegalArgumentException if {@code bytes} is negative
     */
    static <T> NetioEncoder<T> ofSize(int bytes, BiConsumer<? super T, ? super ByteBuffer> write) {
        return new FixedSizeEncoder<>(bytes, write);
    }

    /** Returns how many bytes the message of {@code value} has; 0 or more. What this throws ends the send with that error. */
    int size(T value);

    /**
     * Writes the message of {@code value}. What this throws ends the send with that error.
     *
     * @param target from its position to its limit it has {@link #size} bytes. All of them must be written, and the position be
     *     at the limit then. It has the {@linkplain io.reactivenetio.NetioTransport#byteOrder byte order} of the server or
     *     client. The encoder must not keep it: it is used again for the next message
     */
    void encode(T value, ByteBuffer target);
}
