// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.loop.thread;

/**
 * How long a loop that has run out of work looks for more before it sleeps. A fixed time is easy; the adaptive one holds only
 * while the next work is likely to come sooner than a sleep is worth. So the loop keeps two averages, in which the last sample
 * counts an eighth: of the gaps between running out of work and the next work, and of what it takes until a wake-up by another
 * thread reaches it. It spins while the gaps are shorter than two wake-ups, its own and that of a peer which sleeps as well and
 * answers it: with one wake-up as the limit, two ends that answer each other would never begin to spin.
 *
 * <p>A gap counts as 32 times that limit at most. So one long gap is enough to end the spinning, and some thirty short ones are
 * enough to begin it again, however long the loop was idle. It ends as well where another thread has had the CPU meanwhile: two
 * loops that spin on one CPU would wait for each other as long as the kernel lets a thread run. Confined to the loop thread.
 */
public final class Spin {
    /** What a wake-up takes until one has been measured: 5 to 50 us are usual, by machine and power saving. */
    static final long FIRST_WAKE_UP_NANOS = 20_000;
    /** More is not the wake-up: no CPU was free. */
    static final long LONGEST_WAKE_UP_NANOS = 100_000;
    /** A turn without work takes about 1 us: in this time another thread has had the CPU. */
    private static final long DISTURBED_NANOS = 100_000;
    private static final int SHARE = 8;
    private static final int LONGEST_GAP = 32;

    private final long fixedNanos;
    private final long adaptiveNanos;
    private long wakeUpNanos = FIRST_WAKE_UP_NANOS;
    private long gapNanos;
    private long limitNanos;

    /** The two times that {@code EventLoopConfig} has; 0 for none. */
    public Spin(long fixedNanos, long adaptiveNanos) {
        this.fixedNanos = fixedNanos;
        this.adaptiveNanos = adaptiveNanos;
        learnLimit();
        gapNanos = LONGEST_GAP * limitNanos;
    }

    /** How long to look for work from now on. */
    public long nanos() {
        return gapNanos < limitNanos ? Math.max(fixedNanos, adaptiveNanos) : fixedNanos;
    }

    /** A turn that found nothing to do has taken so long. */
    public void lookedInVain(long nanos) {
        if (nanos > DISTURBED_NANOS) {
            gapNanos = LONGEST_GAP * limitNanos;
        }
    }

    /** A wake-up by another thread has taken so long. */
    public void wokenUp(long nanos) {
        wakeUpNanos += (Math.clamp(nanos, 0, LONGEST_WAKE_UP_NANOS) - wakeUpNanos) / SHARE;
        learnLimit();
    }

    /**
     * Work has come {@code sinceNanos} after the loop had run out of it. Of that the loop was awake for {@code awakeNanos}, in
     * which nothing had come yet; what it took to wake up afterwards is no part of the gap.
     */
    public void worked(long sinceNanos, long awakeNanos) {
        long gap = Math.max(sinceNanos - wakeUpNanos, awakeNanos);
        gapNanos += (Math.min(gap, LONGEST_GAP * limitNanos) - gapNanos) / SHARE;
    }

    private void learnLimit() {
        limitNanos = Math.min(2 * wakeUpNanos, adaptiveNanos);
    }
}
