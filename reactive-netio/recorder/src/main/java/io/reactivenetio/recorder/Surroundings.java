// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.recorder;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * What a recorder needs of the machine, so that tests can have others.
 *
 * @param disk where it writes
 * @param nanoTime a clock that nobody sets: all durations are of it
 * @param patience how it waits for another recorder to show that it lives
 * @param process locks files for it
 */
record Surroundings(Disk disk, LongSupplier nanoTime, DirectoryLock.Wait patience, SystemLock.Locker process) {
    static final Surroundings REAL = of(Disk.REAL);

    static Surroundings of(Disk disk) {
        return new Surroundings(disk, System::nanoTime, TimeUnit.NANOSECONDS::sleep, SystemLock.Locker.THIS);
    }

    Surroundings nanoTime(LongSupplier clock) {
        return new Surroundings(disk, clock, patience, process);
    }
}
