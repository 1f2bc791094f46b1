// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.peers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;

/** What others make the processors of this machine do meanwhile: all that is not of this process and those it started. */
final class Noise {
    /** The columns of {@code /proc/stat}: user, nice, system, then idle and iowait, then irq, softirq, steal. */
    private static final int IDLE = 3;
    private static final int IOWAIT = 4;
    private static final int COUNTED = 8;
    private static final double TICKS_PER_SECOND = 100;
    /** The share of all that the processors can do which noise may take; the clock of {@code /proc/stat} is no finer. */
    private static final double ALLOWED = 0.1;

    private final double beganBusy = busySeconds();
    private final double beganOwn = ownSeconds();
    private final long began = System.nanoTime();

    /** Whether others had more than a tenth of the machine since this was made. */
    boolean isLoud() {
        double seconds = (System.nanoTime() - began) / 1e9;
        double others = busySeconds() - beganBusy - (ownSeconds() - beganOwn);
        return others > ALLOWED * seconds * Runtime.getRuntime().availableProcessors();
    }

    private static double busySeconds() {
        try {
            String[] words = Files.readAllLines(Path.of("/proc/stat")).getFirst().trim().split(" +");
            long[] ticks = Arrays.stream(words).skip(1).limit(COUNTED).mapToLong(Long::parseLong).toArray();
            return (Arrays.stream(ticks).sum() - ticks[IDLE] - ticks[IOWAIT]) / TICKS_PER_SECOND;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static double ownSeconds() {
        ProcessHandle self = ProcessHandle.current();
        return seconds(self) + self.descendants().mapToDouble(Noise::seconds).sum();
    }

    private static double seconds(ProcessHandle process) {
        return process.info().totalCpuDuration().orElse(Duration.ZERO).toNanos() / 1e9;
    }
}
