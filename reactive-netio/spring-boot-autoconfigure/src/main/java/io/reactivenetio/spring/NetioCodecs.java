// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring;

import io.reactivenetio.api.NetioEncoder;
import java.nio.ByteBuffer;
import java.util.function.Function;
import org.springframework.core.ResolvableType;

/**
 * Finds what makes values of messages and messages of values, by the type of the values: a bean of
 * {@link io.reactivenetio.NetioCodec} for it; what the library has for {@link ByteBuffer}, {@code byte[]}, {@link String} and
 * records; Spring's encoders and decoders, such as those for JSON. All methods may be called on any thread. They are for the time
 * when an application starts: keep what they return.
 */
public interface NetioCodecs {

    /**
     * Returns what makes a {@code T} of a message. It is called on a loop, with a buffer that is valid during the call.
     *
     * @throws IllegalArgumentException if nothing is there for the type; it says what was looked for
     */
    <T> Function<ByteBuffer, T> decoder(ResolvableType type);

    /**
     * Returns what writes a {@code T} as a message.
     *
     * @throws IllegalArgumentException if nothing is there for the type; it says what was looked for
     */
    <T> NetioEncoder<T> encoder(ResolvableType type);
}
