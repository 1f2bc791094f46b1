// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.api;

import java.nio.ByteBuffer;

/**
 * One received message, read where it lies, without a view of it: the current one of a {@link MessageBatch}, or that of a
 * {@link Lease}. An index is a number of bytes from the start of the message, and need not be aligned.
 */
public interface MessageBytes {

    /** Returns the size of the message in bytes. */
    int length();

    /** Returns the message's tag; 0 with {@link io.reactivenetio.Framing#raw}. */
    long tag();

    /** Returns the message's status, 0 to 255; 0 with {@link io.reactivenetio.Framing#raw}. */
    int status();

    /** Returns a copy of the message on the heap, which is the caller's, from position 0 to its limit. */
    ByteBuffer copy();

    /**
     * Reads the byte at {@code index}.
     *
     * @throws IndexOutOfBoundsException if the message is shorter
     */
    byte getByte(int index);

    /** Reads two bytes at {@code index}, in the byte order of the server or client; throws as {@link #getByte} does. */
    short getShort(int index);

    /** Reads four bytes at {@code index}, in the byte order of the server or client; throws as {@link #getByte} does. */
    int getInt(int index);

    /** Reads eight bytes at {@code index}, in the byte order of the server or client; throws as {@link #getByte} does. */
    long getLong(int index);

    /** Reads a float at {@code index}, in the byte order of the server or client; throws as {@link #getByte} does. */
    default float getFloat(int index) {
        return Float.intBitsToFloat(getInt(index));
    }

    /** Reads a double at {@code index}, in the byte order of the server or client; throws as {@link #getByte} does. */
    default double getDouble(int index) {
        return Double.longBitsToDouble(getLong(index));
    }
}
