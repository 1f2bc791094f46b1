// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.ffm;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import org.jspecify.annotations.Nullable;

/** On which CPU a thread runs, sched_setaffinity(2). Any thread, each for itself. */
public final class Affinity {
    /** The largest number that a CPU can have: no Linux is built for more than 8,192 of them. */
    public static final int LAST_CPU = 8191;

    private static final MethodHandle SET = bind("sched_setaffinity");
    private static final MethodHandle GET = bind("sched_getaffinity");
    private static final int CALLER = 0;

    /** Where a thread that was bound may run besides. */
    private static final ThreadLocal<@Nullable MemorySegment> BEFORE = new ThreadLocal<>();

    private Affinity() {
    }

    /** Both have pid_t, size_t, cpu_set_t *. */
    private static MethodHandle bind(String name) {
        return LibC.bind(name, FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG,
                ValueLayout.ADDRESS));
    }

    /**
     * From now on the calling thread, and those that it starts, run on {@code cpu} only. Returns 0 or the negated errno: EINVAL
     * where there is no such CPU, or this process may not use it.
     *
     * @param cpu from 0 to {@link #LAST_CPU}
     */
    public static int bindTo(int cpu) {
        MemorySegment before = mask();
        MemorySegment one = mask();
        one.setAtIndex(ValueLayout.JAVA_LONG, cpu / Long.SIZE, 1L << cpu % Long.SIZE);
        int result = call(GET, before);
        if (result >= 0) {
            result = call(SET, one);
        }
        if (result >= 0) {
            BEFORE.set(before);
        }
        return result;
    }

    /**
     * Runs {@code code} on the calling thread, which may run as if it had not been bound meanwhile: so may the threads that are
     * started by it, for good.
     */
    public static void unbound(Runnable code) {
        MemorySegment before = BEFORE.get();
        if (before == null) {
            code.run();
            return;
        }
        MemorySegment one = mask();
        boolean changed = call(GET, one) >= 0 && call(SET, before) >= 0;
        try {
            code.run();
        } finally {
            if (changed) {
                call(SET, one);
            }
        }
    }

    /** An array of unsigned long, in the CPU's own byte order: the kernel does not mind that its own is shorter. */
    private static MemorySegment mask() {
        return Arena.ofAuto().allocate((LAST_CPU + 1) / Byte.SIZE, Long.BYTES);
    }

    @SuppressWarnings("restricted")
    private static int call(MethodHandle function, MemorySegment mask) {
        MemorySegment captured = LibC.CAPTURED.get();
        try {
            return LibC.result((int) function.invokeExact(captured, CALLER, mask.byteSize(), mask), captured);
        } catch (Throwable t) {
            throw LibC.unexpected(t);
        }
    }
}
