// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.ess;

import com.google.flatbuffers.Table;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The root table of a message, whose fields have the numbers that they have in the schema. Nothing that a message says leads
 * outside of its buffer.
 *
 * <p>All methods throw IndexOutOfBoundsException or IllegalArgumentException if the message is damaged.
 */
final class EssTable extends Table {
    static final int EVENT_SOURCE = 0;
    static final int EVENT_REFERENCE_TIME = 2;
    static final int EVENT_REFERENCE_INDEX = 3;
    static final int EVENT_TIME_OF_FLIGHT = 4;
    static final int EVENT_PIXEL = 5;
    static final int LOG_SOURCE = 0;
    static final int LOG_TIME = 1;
    static final int START_TIME = 0;
    static final int START_NAME = 2;
    static final int STOP_TIME = 0;
    static final int STOP_NAME = 1;

    /** The vtable begins with its own size and that of the table, 2 bytes each, and has 2 bytes for each field. */
    private static final int FIELDS_OFFSET = 4;

    EssTable(ByteBuffer message) {
        ByteBuffer own = message.slice().order(ByteOrder.LITTLE_ENDIAN);
        __reset(own.getInt(0), own);
    }

    private int field(int number) {
        return __offset(FIELDS_OFFSET + Short.BYTES * number);
    }

    /** A number of 8 bytes; 0 if it is not there. */
    long number(int field) {
        int offset = field(field);
        return offset == 0 ? 0 : bb.getLong(offset + bb_pos);
    }

    /** A text; empty if it is not there. */
    String text(int field) {
        int offset = field(field);
        return offset == 0 ? "" : __string(offset + bb_pos);
    }

    String requiredText(int field) {
        if (field(field) == 0) {
            throw new IllegalArgumentException("field " + field + " is missing");
        }
        return text(field);
    }

    /** How many elements a vector has; 0 if it is not there. */
    int length(int field) {
        int offset = field(field);
        int length = offset == 0 ? 0 : __vector_len(offset);
        if (length < 0 || length > bb.limit()) {
            throw new IllegalArgumentException("a vector of " + length + " elements in " + bb.limit() + " bytes");
        }
        return length;
    }

    long longOf(int field, int index) {
        return bb.getLong(__vector(field(field)) + index * Long.BYTES);
    }

    int intOf(int field, int index) {
        return bb.getInt(__vector(field(field)) + index * Integer.BYTES);
    }

    /** Checks that the last element of a vector is within the message. */
    void checkEnd(int field, int length, int each) {
        if (length > 0) {
            bb.get(Math.addExact(__vector(field(field)), length * each - 1));
        }
    }
}
