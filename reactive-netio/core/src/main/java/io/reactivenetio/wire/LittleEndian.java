// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.wire;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Reads and writes integers at absolute, unaligned indexes of a buffer, whatever its byte order. */
final class LittleEndian {
    private static final VarHandle SHORT = view(short[].class);
    private static final VarHandle INT = view(int[].class);
    private static final VarHandle LONG = view(long[].class);

    private LittleEndian() {
    }

    private static VarHandle view(Class<?> type) {
        return MethodHandles.byteBufferViewVarHandle(type, ByteOrder.LITTLE_ENDIAN).withInvokeExactBehavior();
    }

    static int u8(ByteBuffer buffer, int index) {
        return buffer.get(index) & 0xff;
    }

    static int u16(ByteBuffer buffer, int index) {
        return (short) SHORT.get(buffer, index) & 0xffff;
    }

    static int u32(ByteBuffer buffer, int index) {
        return (int) INT.get(buffer, index);
    }

    static long u64(ByteBuffer buffer, int index) {
        return (long) LONG.get(buffer, index);
    }

    static void putU16(ByteBuffer buffer, int index, int value) {
        SHORT.set(buffer, index, (short) value);
    }

    static void putU32(ByteBuffer buffer, int index, int value) {
        INT.set(buffer, index, value);
    }

    static void putU64(ByteBuffer buffer, int index, long value) {
        LONG.set(buffer, index, value);
    }
}
