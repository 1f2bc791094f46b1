// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.annotation;

import io.reactivenetio.NetioEncoder;
import io.reactivenetio.spring.NetioCodecs;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;

/** Makes messages of values of one type. */
final class Encoding {
    private final @Nullable NetioEncoder<Object> encoder;

    private Encoding(@Nullable NetioEncoder<Object> encoder) {
        this.encoder = encoder;
    }

    /** @throws IllegalArgumentException if nothing encodes {@code type} */
    static Encoding of(ResolvableType type, NetioCodecs codecs) {
        return new Encoding(ByteBuffer.class.isAssignableFrom(type.toClass()) ? null : codecs.encoder(type));
    }

    /** Of values that {@code method} returns. */
    static Encoding of(BeanMethod method, ResolvableType type, NetioCodecs codecs) {
        try {
            return of(type, codecs);
        } catch (IllegalArgumentException e) {
            throw method.refused("nothing encodes " + type, "Return ByteBuffers, or declare a bean of NetioCodec<"
                    + type.toClass().getSimpleName() + ">", e);
        }
    }

    ByteBuffer message(Object value, ByteOrder order) {
        if (encoder == null) {
            return (ByteBuffer) value;
        }
        ByteBuffer message = ByteBuffer.allocate(encoder.size(value)).order(order);
        encoder.encode(value, message);
        if (message.hasRemaining()) {
            throw new IllegalStateException("the encoder of " + value.getClass().getName() + " has written "
                    + message.position() + " of " + message.limit() + " bytes");
        }
        return message.flip();
    }
}
