// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.codec;

import io.reactivenetio.NetioCodec;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** The codecs that the library has itself. */
final class PlainCodecs {
    private PlainCodecs() {
    }

    /** The codec of {@code type}, which is nothing but bytes or text; null if it is something else. */
    static @Nullable NetioCodec<?> of(Class<?> type) {
        if (type == ByteBuffer.class) {
            return NetioCodec.buffers();
        }
        if (type == byte[].class) {
            return NetioCodec.bytes();
        }
        return type == String.class ? NetioCodec.utf8() : null;
    }

    /** The codec of {@code type}, which is a record whose components have fixed sizes; null if it is something else. */
    static @Nullable NetioCodec<?> ofRecord(Class<?> type) {
        if (!type.isRecord()) {
            return null;
        }
        try {
            return NetioCodec.ofRecord(type.asSubclass(Record.class));
        } catch (IllegalArgumentException otherComponents) {
            return null;
        }
    }
}
