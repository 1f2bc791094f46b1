// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring;

import io.reactivenetio.NetioCodec;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** The codecs of types that are nothing but bytes. */
final class PlainCodecs {
    private PlainCodecs() {
    }

    /** The codec of {@code type}; null if it is none of these. */
    static @Nullable NetioCodec<?> of(Class<?> type) {
        if (type == ByteBuffer.class) {
            return new Buffers();
        }
        if (type == byte[].class) {
            return new Bytes();
        }
        return type == String.class ? new Strings() : null;
    }

    private static byte[] copy(ByteBuffer message) {
        byte[] bytes = new byte[message.remaining()];
        message.get(bytes);
        return bytes;
    }

    /** A message as it is. What it decodes is a copy on the heap. */
    private static final class Buffers implements NetioCodec<ByteBuffer> {
        @Override
        public int size(ByteBuffer value) {
            return value.remaining();
        }

        @Override
        public void encode(ByteBuffer value, ByteBuffer target) {
            target.put(value.duplicate());
        }

        @Override
        public ByteBuffer decode(ByteBuffer message) {
            return ByteBuffer.wrap(copy(message)).order(message.order());
        }
    }

    private static final class Bytes implements NetioCodec<byte[]> {
        @Override
        public int size(byte[] value) {
            return value.length;
        }

        @Override
        public void encode(byte[] value, ByteBuffer target) {
            target.put(value);
        }

        @Override
        public byte[] decode(ByteBuffer message) {
            return copy(message);
        }
    }

    /** Text in UTF-8. */
    private static final class Strings implements NetioCodec<String> {
        private final SerializedValues<String> utf8 = new SerializedValues<>(value -> value.getBytes(StandardCharsets.UTF_8));

        @Override
        public int size(String value) {
            return utf8.size(value);
        }

        @Override
        public void encode(String value, ByteBuffer target) {
            utf8.encode(value, target);
        }

        @Override
        public String decode(ByteBuffer message) {
            return new String(copy(message), StandardCharsets.UTF_8);
        }
    }
}
