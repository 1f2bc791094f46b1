// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.codec;

import io.reactivenetio.NetioCodec;
import io.reactivenetio.api.NetioEncoder;
import io.reactivenetio.spring.NetioCodecs;
import io.reactivenetio.spring.NetioProperties.CodecKind;
import java.nio.ByteBuffer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.core.ResolvableType;

/** Looks for codecs among the beans first, then among those of the library, then among Spring's. */
final class FoundCodecs implements NetioCodecs {
    private final BeanFactory beans;
    private final CodecKind kind;
    /** What is used for every other type; null if what it needs is not there. */
    private final @Nullable SpringCodec others;

    FoundCodecs(BeanFactory beans, CodecKind kind, @Nullable SpringCodec others) {
        this.beans = beans;
        this.kind = kind;
        this.others = others;
    }

    @Override
    public <T> Function<ByteBuffer, T> decoder(ResolvableType type) {
        Function<ByteBuffer, T> found = codec(type);
        if (found == null && others != null) {
            found = others.decoder(type);
        }
        if (found == null) {
            throw new IllegalArgumentException(nothing("makes a " + type + " of a message", type, "NetioCodec"));
        }
        return found;
    }

    @Override
    @SuppressWarnings("unchecked") // the bean is for this type
    public <T> NetioEncoder<T> encoder(ResolvableType type) {
        NetioEncoder<T> found = codec(type);
        if (found == null) {
            found = (NetioEncoder<T>) bean(NetioEncoder.class, type);
        }
        if (found == null && others != null) {
            found = others.encoder(type);
        }
        if (found == null) {
            throw new IllegalArgumentException(nothing("makes a message of a " + type, type, "NetioEncoder"));
        }
        return found;
    }

    /** The bean of {@link NetioCodec} for {@code type}, or the library's own codec; null if there is none. */
    @SuppressWarnings("unchecked") // both are for this type
    private <T> @Nullable NetioCodec<T> codec(ResolvableType type) {
        Object found = bean(NetioCodec.class, type);
        if (found == null) {
            found = PlainCodecs.of(type.toClass());
        }
        return (NetioCodec<T>) (found == null && kind == CodecKind.AUTO ? PlainCodecs.ofRecord(type.toClass()) : found);
    }

    /** The bean of {@code codec} for {@code type}; null if there is none. */
    private @Nullable Object bean(Class<?> codec, ResolvableType type) {
        return beans.getBeanProvider(ResolvableType.forClassWithGenerics(codec, type)).getIfAvailable();
    }

    private String nothing(String does, ResolvableType type, String interfaceName) {
        return "nothing " + does + ": define a bean of " + interfaceName + "<" + type + ">" + (others != null
                ? ", as " + kind + " is not for this type" : ", or put what netio.codec=" + kind + " needs on the class path: "
                        + NetioCodecAutoConfiguration.needed(kind));
    }
}
