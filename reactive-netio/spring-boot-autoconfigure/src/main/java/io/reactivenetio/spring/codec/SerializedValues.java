// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.codec;

import io.reactivenetio.api.NetioEncoder;
import java.nio.ByteBuffer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Encodes values that have to be serialized before their size is known. What was made to tell the size is kept for the call that
 * writes it, which comes next on the same thread. May be used by any number of threads.
 */
final class SerializedValues<T> implements NetioEncoder<T> {
    private static final ThreadLocal<@Nullable Serialized> LAST = new ThreadLocal<>();

    private final Function<? super T, byte[]> serialize;

    SerializedValues(Function<? super T, byte[]> serialize) {
        this.serialize = serialize;
    }

    @Override
    public int size(T value) {
        Serialized made = new Serialized(this, value, serialize.apply(value));
        LAST.set(made);
        return made.bytes.length;
    }

    @Override
    public void encode(T value, ByteBuffer target) {
        Serialized last = LAST.get();
        LAST.remove();
        byte[] bytes = last != null && last.by == this && last.value == value ? last.bytes : serialize.apply(value);
        if (bytes.length != target.remaining()) {
            throw new IllegalStateException("a value of " + value.getClass().getName() + " has " + bytes.length
                    + " bytes, and had " + target.remaining() + " before: values must not change while they are sent");
        }
        target.put(bytes);
    }

    private static final class Serialized {
        private final SerializedValues<?> by;
        private final Object value;
        private final byte[] bytes;

        Serialized(SerializedValues<?> by, Object value, byte[] bytes) {
            this.by = by;
            this.value = value;
            this.bytes = bytes;
        }
    }
}
