// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import java.nio.ByteBuffer;
import java.util.function.Function;

/**
 * Writes values as messages, and makes values of messages. As a decoder it is called on the loop, with a buffer that is valid
 * during the call, see {@link NetioInbound#receive(Function)}.
 *
 * @param <T> the type of the values
 */
public interface NetioCodec<T> extends NetioEncoder<T>, Function<ByteBuffer, T> {

    /** Makes a value of a message. What this throws ends the stream with that error. The value must not be null. */
    T decode(ByteBuffer message);

    /** Does what {@link #decode} does, so that a codec can be given wherever a decoder is asked for. */
    @Override
    default T apply(ByteBuffer message) {
        return decode(message);
    }
}
