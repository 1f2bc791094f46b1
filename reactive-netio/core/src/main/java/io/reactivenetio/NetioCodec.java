// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import io.reactivenetio.api.NetioEncoder;
import io.reactivenetio.api.NetioInbound;
import java.nio.ByteBuffer;
import java.util.function.BiConsumer;
import java.util.function.Function;

/**
 * Writes values as messages, and makes values of messages. As a decoder it is called on the loop, with a buffer that is valid
 * during the call, see {@link NetioInbound#receive(Function)}. The codecs that the methods here return may be used by any number
 * of threads at a time. What they write has the byte order of the buffer.
 *
 * @param <T> the type of the values
 */
public interface NetioCodec<T> extends NetioEncoder<T>, Function<ByteBuffer, T> {

    /**
     * Returns the codec of a record class whose components all have a fixed size. Each may be a boolean, byte, short, char, int,
     * long, float or double, or a record of these. A message has the components one behind the other, in their order, without
     * gaps. A boolean is one byte: 0 is false, anything else true. To encode allocates nothing, to decode allocates the record
     * and the records in it. A component that is a record must not be null, and {@code encode} throws a NullPointerException
     * that names it. A message of another size is an IllegalArgumentException that names both sizes.
     *
     * <p>Each call with the same class returns the same codec. It uses the record's constructor and accessors. They may be
     * private. In a named module, the package of the class must be open to {@code io.reactivenetio}, or the class must be public
     * and its package exported.
     *
     * @throws IllegalArgumentException if {@code type} is no record class, a component has another type, or the class cannot be
     *     accessed
     */
    static <R extends Record> NetioCodec<R> ofRecord(Class<R> type) {
        return StandardCodecs.ofRecord(type);
    }

    /**
     * Returns a codec of messages that all have the same size. A message of another size is an IllegalArgumentException that
     * names both.
     *
     * @param bytes how many bytes each message has
     * @param write does what {@link #encode} does
     * @param read does what {@link #decode} does
     * @throws IllegalArgumentException if {@code bytes} is negative
     */
    static <T> NetioCodec<T> ofSize(int bytes, BiConsumer<? super T, ? super ByteBuffer> write,
            Function<? super ByteBuffer, ? extends T> read) {
        return StandardCodecs.ofSize("what " + read.getClass().getName() + " reads", bytes, write, read);
    }

    /** The codec of numbers of eight bytes. */
    static NetioCodec<Long> longs() {
        return StandardCodecs.LONGS;
    }

    /** The codec of floating point numbers of eight bytes. */
    static NetioCodec<Double> doubles() {
        return StandardCodecs.DOUBLES;
    }

    /**
     * The codec of text in UTF-8, in which a message is a string. To encode allocates nothing. Half of a surrogate pair becomes a
     * question mark, and bytes that are no UTF-8 become U+FFFD, as they do with {@code String}.
     */
    static NetioCodec<String> utf8() {
        return StandardCodecs.UTF_8;
    }

    /** The codec of byte arrays, which are copied in both directions. */
    static NetioCodec<byte[]> bytes() {
        return StandardCodecs.BYTES;
    }

    /**
     * The codec of buffers, which are copied in both directions: from the position to the limit of the buffer that is sent, which
     * do not move, and to a heap buffer in the byte order of the server or client.
     */
    static NetioCodec<ByteBuffer> buffers() {
        return StandardCodecs.BUFFERS;
    }

    /** Makes a value of a message. What this throws ends the stream with that error. The value must not be null. */
    T decode(ByteBuffer message);

    /** Does what {@link #decode} does, so that a codec can be given wherever a decoder is asked for. */
    @Override
    default T apply(ByteBuffer message) {
        return decode(message);
    }
}
