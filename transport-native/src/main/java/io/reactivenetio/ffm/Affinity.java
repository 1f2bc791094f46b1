// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.ffm;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/** On which CPU a thread runs, sched_setaffinity(2). Any thread, each for itself. */
public final class Affinity {
    /** The largest number that a CPU can have: no Linux is built for more than 8,192 of them. */
    public static final int LAST_CPU = 8191;

    /** pid_t, size_t, const cpu_set_t *. */
    private static final MethodHandle SET = LibC.bind("sched_setaffinity", FunctionDescriptor.of(ValueLayout.JAVA_INT,
            ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.ADDRESS));
    private static final int CALLER = 0;

    private Affinity() {
    }

    /**
     * From now on the calling thread, and those that it starts, run on {@code cpu} only. Returns 0 or the negated errno: EINVAL
     * where there is no such CPU, or this process may not use it.
     *
     * @param cpu from 0 to {@link #LAST_CPU}
     */
    @SuppressWarnings("restricted")
    public static int bindTo(int cpu) {
        MemorySegment captured = LibC.CAPTURED.get();
        try (Arena arena = Arena.ofConfined()) {
            // An array of unsigned long, in the CPU's own byte order, as long as needed: the kernel takes the rest for zeros.
            int word = cpu / Long.SIZE;
            MemorySegment mask = arena.allocate(ValueLayout.JAVA_LONG, word + 1L);
            mask.setAtIndex(ValueLayout.JAVA_LONG, word, 1L << cpu % Long.SIZE);
            return LibC.result((int) SET.invokeExact(captured, CALLER, mask.byteSize(), mask), captured);
        } catch (Throwable t) {
            throw LibC.unexpected(t);
        }
    }
}
