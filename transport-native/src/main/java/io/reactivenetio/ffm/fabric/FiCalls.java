// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.ffm.fabric;

import io.reactivenetio.ffm.LibC;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.Arrays;

/**
 * One downcall handle per shape of function. Nearly all of libfabric's interface is inline C over tables of function
 * pointers, so the function itself is the first argument; pointers travel as 64-bit numbers and their owners are kept
 * reachable by the caller.
 */
@SuppressWarnings("restricted")
final class FiCalls {
    private static final ValueLayout.OfInt I = ValueLayout.JAVA_INT;
    private static final ValueLayout.OfLong L = ValueLayout.JAVA_LONG;

    private static final MethodHandle INT_1 = bind(I, longs(1));
    private static final MethodHandle INT_2 = bind(I, longs(2));
    private static final MethodHandle INT_3 = bind(I, longs(3));
    private static final MethodHandle INT_4 = bind(I, longs(4));
    private static final MethodHandle INT_9 = bind(I, longs(9));
    private static final MethodHandle INT_LIL = bind(I, L, I, L);
    private static final MethodHandle INT_LLI = bind(I, L, L, I);
    private static final MethodHandle LONG_3 = bind(L, longs(3));
    private static final MethodHandle LONG_5 = bind(L, longs(5));
    private static final MethodHandle LONG_6 = bind(L, longs(6));
    private static final MethodHandle LONG_8 = bind(L, longs(8));

    private FiCalls() {
    }

    private static MemoryLayout[] longs(int count) {
        MemoryLayout[] arguments = new MemoryLayout[count];
        Arrays.fill(arguments, L);
        return arguments;
    }

    private static MethodHandle bind(MemoryLayout result, MemoryLayout... arguments) {
        return Linker.nativeLinker().downcallHandle(FunctionDescriptor.of(result, arguments));
    }

    /** int f(a): close, listen. */
    static int call(MemorySegment f, long a) {
        try {
            return (int) INT_1.invokeExact(f, a);
        } catch (Throwable t) {
            throw LibC.unexpected(t);
        }
    }

    /** int f(a, b): shutdown. */
    static int call(MemorySegment f, long a, long b) {
        try {
            return (int) INT_2.invokeExact(f, a, b);
        } catch (Throwable t) {
            throw LibC.unexpected(t);
        }
    }

    /** int f(a, b, c): bind, accept, setname, getname, getpeer, fi_fabric. */
    static int call(MemorySegment f, long a, long b, long c) {
        try {
            return (int) INT_3.invokeExact(f, a, b, c);
        } catch (Throwable t) {
            throw LibC.unexpected(t);
        }
    }

    /** int f(a, b, c, d): domain, endpoint, passive_ep, eq_open, cq_open, connect, reject. */
    static int call(MemorySegment f, long a, long b, long c, long d) {
        try {
            return (int) INT_4.invokeExact(f, a, b, c, d);
        } catch (Throwable t) {
            throw LibC.unexpected(t);
        }
    }

    /** int control(fid, command, argument). */
    static int control(MemorySegment f, long fid, int command, long argument) {
        try {
            return (int) INT_LIL.invokeExact(f, fid, command, argument);
        } catch (Throwable t) {
            throw LibC.unexpected(t);
        }
    }

    /** int trywait(fabric, fids, count). */
    static int tryWait(MemorySegment f, long fabric, long fids, int count) {
        try {
            return (int) INT_LLI.invokeExact(f, fabric, fids, count);
        } catch (Throwable t) {
            throw LibC.unexpected(t);
        }
    }

    /** int reg(domain, buf, len, access, offset = 0, key, flags = 0, out, context = NULL). */
    static int register(MemorySegment f, long domain, long buffer, long length, long access, long key, long out) {
        try {
            return (int) INT_9.invokeExact(f, domain, buffer, length, access, 0L, key, 0L, out, 0L);
        } catch (Throwable t) {
            throw LibC.unexpected(t);
        }
    }

    /** ssize_t f(a, b, c): cq read and readerr, eq readerr, sendmsg. */
    static long transfer(MemorySegment f, long a, long b, long c) {
        try {
            return (long) LONG_3.invokeExact(f, a, b, c);
        } catch (Throwable t) {
            throw LibC.unexpected(t);
        }
    }

    /** ssize_t read(eq, event, buf, len, flags = 0). */
    static long readEvent(MemorySegment f, long queue, long event, long buffer, long length) {
        try {
            return (long) LONG_5.invokeExact(f, queue, event, buffer, length, 0L);
        } catch (Throwable t) {
            throw LibC.unexpected(t);
        }
    }

    /** ssize_t recv or send(ep, buf, len, desc, addr = 0, context). */
    static long post(MemorySegment f, long endpoint, long buffer, long length, long descriptor, long context) {
        try {
            return (long) LONG_6.invokeExact(f, endpoint, buffer, length, descriptor, 0L, context);
        } catch (Throwable t) {
            throw LibC.unexpected(t);
        }
    }

    /** ssize_t write(ep, buf, len = 0, desc, addr = 0, remote address = 0, key = 0, context). */
    static long writeNothing(MemorySegment f, long endpoint, long buffer, long descriptor, long context) {
        try {
            return (long) LONG_8.invokeExact(f, endpoint, buffer, 0L, descriptor, 0L, 0L, 0L, context);
        } catch (Throwable t) {
            throw LibC.unexpected(t);
        }
    }
}
