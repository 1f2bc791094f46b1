// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.recorder;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The time of a replay, which all its streams share. It begins to run when it is asked for the first time.
 *
 * <p>Recorded times are those of a clock that may have been set. Where it was set back, the replay goes on from there at its
 * pace. Where all streams would wait for longer than a longest pause, as where it was set ahead, the rest of the pause is left
 * out. A replay so has a list of shifts, from recorded times to those of the replay: the first stream that comes to such a place
 * adds one, and the others use it when they come there.
 */
final class ReplayClock {
    /** From so long on, whoever wants to know is told of a pause. */
    private static final long WORTH_TELLING = TimeUnit.SECONDS.toNanos(10);
    /** How long nothing must have been replayed before a pause is told: until then, other streams may go on. */
    private static final long QUIET = TimeUnit.SECONDS.toNanos(1);
    private static final double FAR = Long.MAX_VALUE / 4.0;

    private final double speed;
    private final long longest;
    private final LongConsumer pauses;
    private final LongSupplier nanoTime;
    private final List<Long> shifts = new ArrayList<>();
    /** The streams that wait, and when what they wait for is due by the replay's time. */
    private final Map<Line, Long> waiting = new HashMap<>();
    private boolean runs;
    private long started;
    private long lastDue;
    private long latest = Long.MIN_VALUE;
    private boolean told;

    /**
     * @param first the recorded time at which the replay begins
     * @param longest the longest pause, in nanoseconds
     * @param pauses is told how long a pause is that begins
     */
    ReplayClock(long first, double speed, long longest, LongConsumer pauses, LongSupplier nanoTime) {
        this.speed = speed;
        this.longest = longest;
        this.pauses = pauses;
        this.nanoTime = nanoTime;
        shifts.add(-first);
    }

    /** One stream of the replay. {@code wake} has it ask again, and must not ask within the call. */
    Line line(Runnable wake) {
        return new Line(wake);
    }

    /** A stream, and where it has come to. Any thread. */
    final class Line {
        private final Runnable wake;
        private int shift;
        private long last = Long.MIN_VALUE;

        private Line(Runnable wake) {
            this.wake = wake;
        }

        /** In how many nanoseconds an event of this time is due, or this has to ask again; now if it is not above 0. */
        long untilDue(long time) {
            List<Runnable> afterwards = new ArrayList<>();
            long nanos;
            synchronized (ReplayClock.this) {
                nanos = ask(this, time, afterwards);
            }
            afterwards.forEach(Runnable::run);
            return nanos;
        }

        /** It asks no more. */
        void close() {
            synchronized (ReplayClock.this) {
                waiting.remove(this);
            }
        }
    }

    private long ask(Line line, long time, List<Runnable> afterwards) {
        long now = nanoTime.getAsLong();
        if (!runs) {
            runs = true;
            started = now;
            lastDue = now;
        }
        long due = place(line, time);
        long nanos = untilDue(due, now);
        long quiet = now - lastDue;
        if (nanos > 0) {
            waiting.put(line, due);
            if (quiet < longest) {
                return Math.min(nanos, Math.min(longest - quiet, tell(now, quiet, afterwards)));
            }
            skip(now);
            waiting.keySet().stream().filter(each -> each != line).map(each -> each.wake).forEach(afterwards::add);
            due = place(line, time);
            nanos = Math.min(longest, untilDue(due, now));
        }
        if (nanos <= 0) {
            waiting.remove(line);
            lastDue = now;
            told = false;
            line.last = due;
            latest = Math.max(latest, due);
        }
        return nanos;
    }

    private long untilDue(long due, long now) {
        return (long) Math.min(FAR, due / speed - (now - started));
    }

    /** Moves a line to the shift of this recorded time, and returns the replay's time for it. */
    private long place(Line line, long time) {
        long due = shifted(time, line.shift);
        for (int next = line.shift + 1; next < shifts.size(); next++) {
            long then = shifted(time, next);
            if (then >= line.last && (due < line.last || then < due)) {
                line.shift = next;
                due = then;
            }
        }
        if (due < line.last) { // the clock was set back, and no other stream has come there
            shifts.add(latest - time);
            line.shift = shifts.size() - 1;
            due = latest;
        }
        return due;
    }

    private long shifted(long time, int which) {
        long shift = shifts.get(which);
        long sum = time + shift;
        return ((time ^ sum) & (shift ^ sum)) < 0 ? (time < 0 ? Long.MIN_VALUE : Long.MAX_VALUE) / 4 : sum;
    }

    /** The line that is due next of those that wait. */
    private @Nullable Line first(long now) {
        return waiting.entrySet().stream().filter(each -> untilDue(each.getValue(), now) > 0)
                .min(Map.Entry.comparingByValue()).map(Map.Entry::getKey).orElse(null);
    }

    /** Tells of a pause once. Returns when this has to be looked at again. */
    private long tell(long now, long quiet, List<Runnable> afterwards) {
        if (told || quiet < QUIET) {
            return told ? Long.MAX_VALUE : QUIET - quiet;
        }
        Line first = first(now);
        long pause = first == null ? 0 : untilDue(waiting.getOrDefault(first, 0L), now);
        if (pause < WORTH_TELLING) {
            return Long.MAX_VALUE;
        }
        told = true;
        long most = Math.min(pause, longest - quiet);
        afterwards.add(() -> pauses.accept(most));
        return Long.MAX_VALUE;
    }

    /** Leaves out a pause: what is due then is due now, and what comes behind it that much earlier. */
    private void skip(long now) {
        Line first = first(now);
        if (first != null) {
            long due = waiting.getOrDefault(first, 0L);
            shifts.add(shifts.get(first.shift) - (due - (long) ((now - started) * speed)));
        }
        lastDue = now;
        told = false;
    }
}
