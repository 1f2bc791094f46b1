// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import java.nio.ByteBuffer;
import java.util.Objects;

/** The codec of a record class. {@link RecordCodecWriter} makes a subclass for each, which reads and writes the components. */
abstract class RecordCodec<R extends Record> implements NetioCodec<R> {
    private static final ClassValue<RecordCodec<?>> CODECS = new ClassValue<>() {
        @Override
        protected RecordCodec<?> computeValue(Class<?> type) {
            return RecordCodecWriter.codec(type.asSubclass(Record.class));
        }
    };

    private final Class<R> type;
    private final int bytes;

    /** Called by the subclass. */
    RecordCodec(Class<R> type, int bytes) {
        this.type = type;
        this.bytes = bytes;
    }

    @SuppressWarnings("unchecked") // it was made for this class
    static <R extends Record> RecordCodec<R> of(Class<R> type) {
        if (!type.isRecord()) {
            throw new IllegalArgumentException(type.getName() + " is no record class");
        }
        return (RecordCodec<R>) CODECS.get(type);
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
        if (message.remaining() != bytes) {
            throw FixedSizeCodec.wrongSize(message, type.getName(), bytes);
        }
        return (R) read(message);
    }

    // ---- what the subclass implements

    /** Writes the components of a record of the class. */
    abstract void write(Object value, ByteBuffer target);

    /** Makes a record of the class. */
    abstract Object read(ByteBuffer message);

    // ---- what the subclass calls

    static boolean getBoolean(ByteBuffer message) {
        return message.get() != 0;
    }

    /** The component {@code name} of a record, which is a record itself. */
    static Object present(Object component, String name) {
        return Objects.requireNonNull(component, name);
    }

    @Override
    public final String toString() {
        return "codec of " + type.getName();
    }
}
