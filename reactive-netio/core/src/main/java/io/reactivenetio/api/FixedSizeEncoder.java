// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.api;

import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.function.BiConsumer;

/** An encoder made of a function that writes messages of one size. */
record FixedSizeEncoder<T>(int bytes, BiConsumer<? super T, ? super ByteBuffer> write) implements NetioEncoder<T> {

    FixedSizeEncoder {
        if (bytes < 0) {
            throw new IllegalArgumentException("the size of a message must be 0 or more bytes: " + bytes);
        }
        Objects.requireNonNull(write, "write");
    }

    @Override
    public int size(T value) {
        return bytes;
    }

    @Override
    public void encode(T value, ByteBuffer target) {
        int start = target.position();
        write.accept(value, target);
        if (target.position() - start != bytes) { // said here, where it is known whose function it is
            throw new IllegalStateException(write.getClass().getName() + " wrote " + (target.position() - start)
                    + " bytes of a message of " + bytes + ": it must leave the buffer's position behind what it has written");
        }
    }
}
