// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.function.BiConsumer;

/** An encoder made of a function that writes messages of one size. */
class FixedSizeEncoder<T> implements NetioEncoder<T> {
    private final int bytes;
    private final BiConsumer<? super T, ? super ByteBuffer> write;

    FixedSizeEncoder(int bytes, BiConsumer<? super T, ? super ByteBuffer> write) {
        if (bytes < 0) {
            throw new IllegalArgumentException("the size of a message must be 0 or more bytes: " + bytes);
        }
        this.bytes = bytes;
        this.write = Objects.requireNonNull(write, "write");
    }

    @Override
    public final int size(T value) {
        return bytes;
    }

    @Override
    public final void encode(T value, ByteBuffer target) {
        int start = target.position();
        write.accept(value, target);
        if (target.position() - start != bytes) { // said here, where it is known whose function it is
            throw new IllegalStateException(write.getClass().getName() + " wrote " + (target.position() - start)
                    + " bytes of a message of " + bytes + ": it must leave the buffer's position behind what it has written");
        }
    }
}
