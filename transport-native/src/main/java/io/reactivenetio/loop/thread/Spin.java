// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.loop.thread;

/**
 * How long a loop that has run out of work looks for more before it sleeps. A fixed time is easy; the adaptive ones hold only
 * while the next work is likely to come sooner than a sleep is worth. So the loop keeps averages, in which the last sample counts
 * an eighth: of the gaps between running out of work and the next work, and of what it takes until a wake-up by another thread
 * reaches it. It spins while the gaps are shorter than two wake-ups, its own and that of a peer which sleeps as well and answers
 * it: with one wake-up as the limit, two ends that answer each other would never begin to spin.
 *
 * <p>A gap counts as 32 times that limit at most. So one long gap is enough to end the spinning, and some thirty short ones are
 * enough to begin it again, however long the loop was idle. It ends as well where another thread has had the CPU meanwhile: two
 * loops that spin on one CPU would wait for each other as long as the kernel lets a thread run.
 *
 * <p>One adaptive time is for work of all kinds. Another one is for tasks of other threads: work from the network counts as a
 * gap of twice the limit there, so that more than half of the work has to be tasks. A Scheduler's thread that asks for the next
 * message, and a sink that has one, then find the loop awake. They save the system call by which they would wake it, and the
 * kernel's time to do so. Confined to the loop thread.
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
    private final Gaps all;
    private final Gaps beforeTasks;
    private long wakeUpNanos = FIRST_WAKE_UP_NANOS;

    /** The average gap before work of one kind, and how long to spin for that. */
    private static final class Gaps {
        private final long mostNanos;
        private long limitNanos;
        private long averageNanos;

        Gaps(long mostNanos) {
            this.mostNanos = mostNanos;
            limitBy(FIRST_WAKE_UP_NANOS);
            forget();
        }

        void limitBy(long wakeUpNanos) {
            limitNanos = Math.min(2 * wakeUpNanos, mostNanos);
        }

        void forget() {
            averageNanos = LONGEST_GAP * limitNanos;
        }

        void add(long nanos) {
            averageNanos += (Math.min(nanos, LONGEST_GAP * limitNanos) - averageNanos) / SHARE;
        }

        long spinNanos() {
            return averageNanos < limitNanos ? mostNanos : 0;
        }
    }

    /** The three times that {@code EventLoopConfig} has; 0 for none. */
    public Spin(long fixedNanos, long adaptiveNanos, long taskNanos) {
        this.fixedNanos = fixedNanos;
        this.all = new Gaps(adaptiveNanos);
        this.beforeTasks = new Gaps(taskNanos);
    }

    /** How long to look for work from now on. */
    public long nanos() {
        return Math.max(fixedNanos, Math.max(all.spinNanos(), beforeTasks.spinNanos()));
    }

    /** A turn that found nothing to do has taken so long. */
    public void lookedInVain(long nanos) {
        if (nanos > DISTURBED_NANOS) {
            all.forget();
            beforeTasks.forget();
        }
    }

    /** A wake-up by another thread has taken so long. */
    public void wokenUp(long nanos) {
        wakeUpNanos += (Math.clamp(nanos, 0, LONGEST_WAKE_UP_NANOS) - wakeUpNanos) / SHARE;
        all.limitBy(wakeUpNanos);
        beforeTasks.limitBy(wakeUpNanos);
    }

    /**
     * Work has come {@code sinceNanos} after the loop had run out of it. Of that the loop was awake for {@code awakeNanos}, in
     * which nothing had come yet; what it took to wake up afterwards is no part of the gap. {@code tasks}: it came from other
     * threads.
     */
    public void worked(long sinceNanos, long awakeNanos, boolean tasks) {
        long gap = Math.max(sinceNanos - wakeUpNanos, awakeNanos);
        all.add(gap);
        beforeTasks.add(tasks ? gap : 2 * beforeTasks.limitNanos);
    }
}
