// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.ffm;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * Reads and writes memory that libfabric owns, by address. Nothing here knows a bound: callers pass addresses that
 * libfabric gave and that are still open, and offsets of its structs. NULL is an exception.
 */
@SuppressWarnings("restricted")
public final class RawMemory {
    private static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);
    private static final int LONGEST_TEXT = 4096;
    private static final MethodHandle CALLOC = Linker.nativeLinker().downcallHandle(
            Linker.nativeLinker().defaultLookup().findOrThrow("calloc"),
            FunctionDescriptor.of(ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG));

    private RawMemory() {
    }

    private static long at(long address, long offset) {
        if (address == 0) {
            throw new IllegalStateException("NULL from libfabric");
        }
        return address + offset;
    }

    public static int getInt(long address, long offset) {
        return ALL.get(ValueLayout.JAVA_INT, at(address, offset));
    }

    public static long getLong(long address, long offset) {
        return ALL.get(ValueLayout.JAVA_LONG, at(address, offset));
    }

    public static void putInt(long address, long offset, int value) {
        ALL.set(ValueLayout.JAVA_INT, at(address, offset), value);
    }

    public static void putLong(long address, long offset, long value) {
        ALL.set(ValueLayout.JAVA_LONG, at(address, offset), value);
    }

    /** The function pointer at {@code tableOffset} of the table that the field at {@code objectOffset} points to. */
    public static MemorySegment function(long object, long objectOffset, long tableOffset) {
        long function = getLong(getLong(object, objectOffset), tableOffset);
        if (function == 0) {
            throw new IllegalStateException("a function is missing in the provider's table");
        }
        return MemorySegment.ofAddress(function);
    }

    /** The {@code length} bytes at {@code address}, valid as long as their owner is. */
    public static MemorySegment bytes(long address, long length) {
        return ALL.asSlice(at(address, 0), length);
    }

    /** The C string at {@code address}; "" for NULL. */
    public static String text(long address) {
        if (address == 0) {
            return "";
        }
        return ALL.asSlice(address, LONGEST_TEXT).getString(0);
    }

    /** Zeroed memory whose new owner calls free() on it. */
    public static long calloc(long length) {
        try {
            long address = (long) CALLOC.invokeExact(1L, length);
            if (address == 0) {
                throw new OutOfMemoryError("calloc of " + length + " bytes");
            }
            return address;
        } catch (Throwable t) {
            throw LibC.unexpected(t);
        }
    }

    /** Puts a copy of {@code text} where a field holds an owned C string, and frees what was there. */
    public static void replaceText(long address, long offset, String text) {
        long old = getLong(address, offset);
        putLong(address, offset, LibC.strdup(text).address());
        LibC.free(MemorySegment.ofAddress(old));
    }
}
