// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.annotation.method;

import io.reactivenetio.api.NetioEncoder;
import io.reactivenetio.spring.NetioCodecs;
import java.nio.BufferOverflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;

/** Makes messages of values of one type. */
public final class ValueEncoder {
    private final @Nullable NetioEncoder<Object> encoder;

    private ValueEncoder(@Nullable NetioEncoder<Object> encoder) {
        this.encoder = encoder;
    }

    /**
     * Returns the encoder of values of {@code type}.
     *
     * @throws IllegalArgumentException if nothing encodes it
     */
    public static ValueEncoder of(ResolvableType type, NetioCodecs codecs) {
        return new ValueEncoder(ByteBuffer.class.isAssignableFrom(type.toClass()) ? null : codecs.encoder(type));
    }

    /** Returns the encoder of values that {@code method} returns. */
    public static ValueEncoder of(BeanMethod method, ResolvableType type, NetioCodecs codecs) {
        try {
            return of(type, codecs);
        } catch (IllegalArgumentException e) {
            throw method.refused("nothing encodes " + type, "Return ByteBuffers, or declare a bean of NetioCodec<"
                    + type.toClass().getSimpleName() + ">", e);
        }
    }

    /** The encoder; null if the values are buffers already. */
    public @Nullable NetioEncoder<Object> encoder() {
        return encoder;
    }

    /** The message of {@code value}; a buffer is one already. */
    public ByteBuffer message(Object value, ByteOrder order) {
        if (encoder == null) {
            return (ByteBuffer) value;
        }
        int bytes = encoder.size(value);
        if (bytes < 0) {
            throw new IllegalStateException(of(value) + " says that it has " + bytes + " bytes");
        }
        ByteBuffer message = ByteBuffer.allocate(bytes).order(order);
        try {
            encoder.encode(value, message);
        } catch (BufferOverflowException | IndexOutOfBoundsException e) {
            throw new IllegalStateException(of(value) + " failed behind byte " + message.position() + " of " + bytes
                    + ": does it write more than its size() has said?", e);
        }
        if (message.position() != bytes) {
            throw new IllegalStateException(of(value) + " has written " + message.position() + " of " + bytes + " bytes");
        }
        return message.flip();
    }

    private static String of(Object value) {
        return "the encoder of " + value.getClass().getName();
    }
}
