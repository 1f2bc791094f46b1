// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.demo;

import java.time.Duration;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.scheduler.Scheduler;

/** Lets the {@link TriggerClock} go on for a period of data taking. Read by any thread. */
final class Trigger {
    /** How many events may wait in front of the slowest link: 50 ms of them, like the FIFO of real front-end electronics. */
    private static final double WINDOW_SECONDS = 0.05;
    private static final int MIN_WINDOW = 16;
    private static final int MAX_WINDOW = 1024;

    /** Seconds that the trigger takes to come up to its rate, as it does in an experiment; a young JVM likes it too. */
    private static final double RAMP = 1;
    private static final Duration TICK = Duration.ofMillis(1);

    private final double seconds;
    private final long rate;
    private volatile @Nullable Run run;

    Trigger(double seconds, long rate) {
        this.seconds = seconds;
        this.rate = rate;
    }

    /** One period of data taking. */
    private record Run(long start, TriggerClock clock) {
        double seconds() {
            return (System.nanoTime() - start) / 1e9;
        }
    }

    /**
     * How many events there are, rising, for that many links; it begins with the last of them.
     *
     * @param slowest how many events the slowest link has sent
     */
    Flux<Long> counts(Scheduler scheduler, LongSupplier slowest, int links) {
        return Flux.defer(() -> {
            Run begun = begin();
            return Flux.interval(TICK, scheduler)
                    .onBackpressureDrop()
                    .map(tick -> begun.clock.advance(System.nanoTime(), slowest.getAsLong()))
                    .takeUntil(events -> begun.seconds() >= seconds);
        }).publish().refCount(links);
    }

    private Run begin() {
        long now = System.nanoTime();
        Run begun = new Run(now, new TriggerClock(now, Math.min(RAMP, seconds / 2), rate,
                Math.clamp((long) (rate * WINDOW_SECONDS), MIN_WINDOW, MAX_WINDOW)));
        run = begun;
        return begun;
    }

    boolean busy() {
        Run now = run;
        return now != null && now.clock.busy();
    }

    DetectorStatus status(List<Long> stalls) {
        Run now = run;
        return now == null ? DetectorStatus.none() : new DetectorStatus((long) (now.seconds() * 1000), now.clock.due(),
                now.clock.issued(), now.clock.lost(), stalls);
    }
}
