// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.backend;

import java.nio.BufferOverflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Objects;

/**
 * A registered buffer lent by {@link NetworkBackend#getBuffer}. The borrower owns it, and may fill it on any thread, until it
 * is sent or released; its memory stays valid that long even if the connection closes meanwhile. From then on its methods throw
 * {@link IllegalStateException}, at the latest when the slot is lent again, and sending it is {@link SendStatus#FAILED}; what was
 * kept of {@link #data} is the next borrower's.
 *
 * <p>Two ways to fill it: the {@code write} methods append to the message, which is empty when the buffer is lent; or {@link
 * #data} is filled at will and {@link #length(int)} says how much of it is the message.
 */
public interface SendBuffer {

    /** The whole buffer: when lent, position 0, limit its capacity, little-endian. The same object for the life of the slot. */
    ByteBuffer data();

    /** Says that bytes 0 (inclusive) to {@code bytes} (exclusive) of {@link #data()} are the message. */
    void length(int bytes);

    /** Bytes in the message. */
    int length();

    /**
     * Its index among the endpoint's send buffers, or among those that all endpoints of the backend share: the key of the
     * send-completed callback.
     */
    int key();

    /** Gives it back unsent. On the loop, or on any thread if the backend is SAFE or the loop has terminated. */
    void release();

    /**
     * Appends what remains in {@code source}.
     *
     * @throws BufferOverflowException if it does not fit; nothing is appended then
     */
    default SendBuffer write(ByteBuffer source) {
        int bytes = source.remaining();
        int at = grow(bytes);
        data().put(at, source, source.position(), bytes);
        source.position(source.limit());
        return this;
    }

    /** Appends what remains in each of {@code sources}, in order. */
    default SendBuffer write(ByteBuffer... sources) {
        long bytes = 0;
        for (ByteBuffer source : sources) {
            bytes += source.remaining();
        }
        if (bytes > data().capacity() - length()) {
            throw new BufferOverflowException();
        }
        for (ByteBuffer source : sources) {
            write(source);
        }
        return this;
    }

    /** Appends {@code length} bytes of {@code source} from {@code offset} on. */
    default SendBuffer write(byte[] source, int offset, int length) {
        Objects.checkFromIndexSize(offset, length, source.length);
        data().put(grow(length), source, offset, length);
        return this;
    }

    /** Appends one byte. */
    default SendBuffer writeByte(int value) {
        data().put(grow(Byte.BYTES), (byte) value);
        return this;
    }

    /** Appends two bytes, little-endian. */
    default SendBuffer writeShort(int value) {
        ByteBuffer data = data();
        data.putShort(grow(Short.BYTES), isLittleEndian(data) ? (short) value : Short.reverseBytes((short) value));
        return this;
    }

    /** Appends four bytes, little-endian. */
    default SendBuffer writeInt(int value) {
        ByteBuffer data = data();
        data.putInt(grow(Integer.BYTES), isLittleEndian(data) ? value : Integer.reverseBytes(value));
        return this;
    }

    /** Appends eight bytes, little-endian. */
    default SendBuffer writeLong(long value) {
        ByteBuffer data = data();
        data.putLong(grow(Long.BYTES), isLittleEndian(data) ? value : Long.reverseBytes(value));
        return this;
    }

    /** Appends two bytes in {@code order}. */
    default SendBuffer writeShort(int value, ByteOrder order) {
        return writeShort(order.equals(ByteOrder.LITTLE_ENDIAN) ? value : Short.reverseBytes((short) value));
    }

    /** Appends four bytes in {@code order}. */
    default SendBuffer writeInt(int value, ByteOrder order) {
        return writeInt(order.equals(ByteOrder.LITTLE_ENDIAN) ? value : Integer.reverseBytes(value));
    }

    /** Appends eight bytes in {@code order}. */
    default SendBuffer writeLong(long value, ByteOrder order) {
        return writeLong(order.equals(ByteOrder.LITTLE_ENDIAN) ? value : Long.reverseBytes(value));
    }

    /** The borrower may have made it otherwise. */
    private static boolean isLittleEndian(ByteBuffer data) {
        return data.order().equals(ByteOrder.LITTLE_ENDIAN);
    }

    private int grow(int bytes) {
        int at = length();
        if (bytes > data().capacity() - at) {
            throw new BufferOverflowException();
        }
        length(at + bytes);
        return at;
    }
}
