// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.loop.task;

import java.util.function.LongSupplier;

/**
 * What a loop measures time with.
 *
 * @param nanos nanoseconds, good for differences only, as {@link System#nanoTime()}; any thread
 * @param simulated whether a simulation moves it: then no timer of the kernel's is armed, and no thread owns the loop
 */
public record LoopClock(LongSupplier nanos, boolean simulated) {
    public static final LoopClock KERNEL = new LoopClock(System::nanoTime, false);

    public long nanoTime() {
        return nanos.getAsLong();
    }
}
