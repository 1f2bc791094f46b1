// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.codec;

import io.reactivenetio.api.NetioEncoder;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;
import org.springframework.core.codec.Decoder;
import org.springframework.core.codec.Encoder;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DefaultDataBufferFactory;
import org.springframework.util.MimeType;

/** One of Spring's pairs of an Encoder and a Decoder, for messages instead of bodies. */
final class SpringCodec {
    private final Encoder<?> encoder;
    private final Decoder<?> decoder;
    private final MimeType type;

    SpringCodec(Encoder<?> encoder, Decoder<?> decoder, MimeType type) {
        this.encoder = encoder;
        this.decoder = decoder;
        this.type = type;
    }

    /** What writes values of {@code values}; null if this one cannot. */
    <T> @Nullable NetioEncoder<T> encoder(ResolvableType values) {
        if (!encoder.canEncode(values, type)) {
            return null;
        }
        @SuppressWarnings("unchecked") // it has just said so
        Encoder<T> able = (Encoder<T>) encoder;
        return new SerializedValues<>(value -> bytes(
                able.encodeValue(value, DefaultDataBufferFactory.sharedInstance, values, type, Map.of())));
    }

    private static byte[] bytes(DataBuffer buffer) {
        byte[] bytes = new byte[buffer.readableByteCount()];
        buffer.read(bytes);
        return bytes;
    }

    /** What reads values of {@code values}; null if this one cannot. */
    <T> @Nullable Function<ByteBuffer, T> decoder(ResolvableType values) {
        if (!decoder.canDecode(values, type)) {
            return null;
        }
        @SuppressWarnings("unchecked") // it has just said so
        Decoder<T> able = (Decoder<T>) decoder;
        return message -> {
            T value = able.decode(DefaultDataBufferFactory.sharedInstance.wrap(message), values, type, Map.of());
            if (value == null) {
                throw new IllegalArgumentException("a message of " + type + " is no " + values + ", it is null");
            }
            return value;
        };
    }
}
