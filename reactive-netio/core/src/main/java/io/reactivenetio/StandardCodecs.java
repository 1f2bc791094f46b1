// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import io.reactivenetio.api.NetioEncoder;
import io.reactivenetio.codec.RecordCodecWriter;
import io.reactivenetio.codec.Utf8;
import io.reactivenetio.connection.HeapCopy;
import io.reactivenetio.diagnostics.UnflippedBuffers;
import java.lang.invoke.MethodHandles;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.function.BiConsumer;
import java.util.function.Function;

/**
 * The codecs that the methods of {@link NetioCodec} and {@link NetioEncoder} return. They have no state. Whoever calls one owns
 * the buffer, and each thread may call it.
 */
final class StandardCodecs {
    static final NetioCodec<Long> LONGS = new FixedSizeCodec<>("a long", Long.BYTES,
            (value, target) -> target.putLong(value), ByteBuffer::getLong);
    static final NetioCodec<Double> DOUBLES = new FixedSizeCodec<>("a double", Double.BYTES,
            (value, target) -> target.putDouble(value), ByteBuffer::getDouble);
    static final NetioCodec<String> UTF_8 = new Utf8Codec();
    static final NetioCodec<byte[]> BYTES = new BytesCodec();
    static final NetioCodec<ByteBuffer> BUFFERS = new BufferCodec();

    private static final ClassValue<RecordCodec<?>> RECORDS = new ClassValue<>() {
        @Override
        protected RecordCodec<?> computeValue(Class<?> type) {
            return (RecordCodec<?>) RecordCodecWriter.codec(MethodHandles.lookup(), RecordCodec.class,
                    type.asSubclass(Record.class));
        }
    };

    private StandardCodecs() {
    }

    @SuppressWarnings("unchecked") // it was made for this class
    static <R extends Record> NetioCodec<R> ofRecord(Class<R> type) {
        if (!type.isRecord()) {
            throw new IllegalArgumentException(type.getName() + " is no record class");
        }
        return (RecordCodec<R>) RECORDS.get(type);
    }

    /** {@code what} is what a message is, for errors. */
    static <T> NetioCodec<T> ofSize(String what, int bytes, BiConsumer<? super T, ? super ByteBuffer> write,
            Function<? super ByteBuffer, ? extends T> read) {
        return new FixedSizeCodec<>(what, bytes, write, read);
    }

    private static void requireSize(ByteBuffer message, String what, int bytes) {
        if (message.remaining() != bytes) {
            throw new IllegalArgumentException("a message of " + message.remaining() + " bytes; " + what + " has " + bytes
                    + " bytes: the sender uses another codec, or another version of it");
        }
    }

    /** Messages as text. */
    private static final class Utf8Codec implements NetioCodec<String> {
        @Override
        public int size(String text) {
            return Utf8.size(text);
        }

        @Override
        public void encode(String text, ByteBuffer target) {
            Utf8.encode(text, target);
        }

        @Override
        public String decode(ByteBuffer message) {
            return Utf8.decode(message);
        }
    }

    /** Messages as byte arrays. */
    private static final class BytesCodec implements NetioCodec<byte[]> {
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
            byte[] bytes = new byte[message.remaining()];
            message.get(bytes);
            return bytes;
        }
    }

    /** Messages as copies in buffers. */
    private static final class BufferCodec implements NetioCodec<ByteBuffer> {
        @Override
        public int size(ByteBuffer value) {
            return value.remaining();
        }

        @Override
        public void encode(ByteBuffer value, ByteBuffer target) {
            int bytes = value.remaining();
            if (bytes == 0) {
                UnflippedBuffers.check(value);
            }
            target.put(target.position(), value, value.position(), bytes).position(target.position() + bytes);
        }

        @Override
        public ByteBuffer decode(ByteBuffer message) {
            return HeapCopy.of(message);
        }
    }

    /** A codec made of functions that write and read messages of one size. */
    private static final class FixedSizeCodec<T> implements NetioCodec<T> {
        private final String what;
        private final int bytes;
        private final NetioEncoder<T> encoder;
        private final Function<? super ByteBuffer, ? extends T> read;

        FixedSizeCodec(String what, int bytes, BiConsumer<? super T, ? super ByteBuffer> write,
                Function<? super ByteBuffer, ? extends T> read) {
            this.what = what;
            this.bytes = bytes;
            this.encoder = NetioEncoder.ofSize(bytes, write);
            this.read = Objects.requireNonNull(read, "read");
        }

        @Override
        public int size(T value) {
            return bytes;
        }

        @Override
        public void encode(T value, ByteBuffer target) {
            encoder.encode(value, target);
        }

        @Override
        public T decode(ByteBuffer message) {
            requireSize(message, what, bytes);
            return read.apply(message);
        }

        @Override
        public String toString() {
            return "codec of " + what;
        }
    }

    /** The codec of a record class. {@link RecordCodecWriter} makes a subclass for each, with {@code read} and {@code write}. */
    abstract static class RecordCodec<R extends Record> implements NetioCodec<R> {
        private final Class<R> type;
        private final int bytes;

        /** Called by the subclass. */
        RecordCodec(Class<R> type, int bytes) {
            this.type = type;
            this.bytes = bytes;
        }

        @Override
        public final int size(R value) {
            return bytes;
        }

        @Override
        public final void encode(R value, ByteBuffer target) {
            write(value, target);
        }

        @Override
        @SuppressWarnings("unchecked") // the subclass makes records of this class, and a check would cost as much as a component
        public final R decode(ByteBuffer message) {
            requireSize(message, type.getName(), bytes);
            return (R) read(message);
        }

        /** Writes the components of a record of the class. */
        abstract void write(Object value, ByteBuffer target);

        /** Makes a record of the class. */
        abstract Object read(ByteBuffer message);

        @Override
        public final String toString() {
            return "codec of " + type.getName();
        }
    }
}
