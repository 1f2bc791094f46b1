// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.function.BiConsumer;
import java.util.function.Function;

/** A codec made of functions that write and read messages of one size. */
final class FixedSizeCodec<T> extends FixedSizeEncoder<T> implements NetioCodec<T> {
    static final NetioCodec<Long> LONGS = new FixedSizeCodec<>("a long", Long.BYTES,
            (value, target) -> target.putLong(value), ByteBuffer::getLong);
    static final NetioCodec<Double> DOUBLES = new FixedSizeCodec<>("a double", Double.BYTES,
            (value, target) -> target.putDouble(value), ByteBuffer::getDouble);

    private final String what;
    private final int bytes;
    private final Function<? super ByteBuffer, ? extends T> read;

    /** {@code what} is what a message is, for errors. */
    FixedSizeCodec(String what, int bytes, BiConsumer<? super T, ? super ByteBuffer> write,
            Function<? super ByteBuffer, ? extends T> read) {
        super(bytes, write);
        this.what = what;
        this.bytes = bytes;
        this.read = Objects.requireNonNull(read, "read");
    }

    @Override
    public T decode(ByteBuffer message) {
        if (message.remaining() != bytes) {
            throw wrongSize(message, what, bytes);
        }
        return read.apply(message);
    }

    static IllegalArgumentException wrongSize(ByteBuffer message, String what, int bytes) {
        return new IllegalArgumentException("a message of " + message.remaining() + " bytes; " + what + " has " + bytes
                + " bytes: the sender uses another codec, or another version of it");
    }

    @Override
    public String toString() {
        return "codec of " + what;
    }
}
