// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BooleanSupplier;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.retry.Retry;

/**
 * Pauses that grow, which all subscriptions of a subscriber have together: those that have failed as often in a row wait for the
 * same moment. So thousands of them that lose their connection ask for one new connection at a time, and not for one each. Any
 * thread.
 */
final class SharedBackoff extends Retry {
    private static final double JITTER = 0.5;
    /** So that it can be counted in nanoseconds. */
    private static final Duration LONGEST = Duration.ofDays(36_500);

    private final Duration least;
    private final Duration most;
    private final BooleanSupplier goesOn;
    /** Those that have begun and are not over, by the number of failures in a row. */
    private final Map<Long, Mono<Long>> pauses = new HashMap<>();

    /**
     * Creates one that begins with {@code least} and doubles up to {@code most}. What arrives begins it anew.
     *
     * @param goesOn asked with each failure; false ends the subscription with that failure
     */
    SharedBackoff(Duration least, Duration most, BooleanSupplier goesOn) {
        this.least = least.compareTo(LONGEST) < 0 ? least : LONGEST;
        this.most = most.compareTo(LONGEST) < 0 ? most : LONGEST;
        this.goesOn = goesOn;
    }

    @Override
    public Publisher<?> generateCompanion(Flux<RetrySignal> signals) {
        return signals.concatMap(signal -> goesOn.getAsBoolean() ? pause(signal.totalRetriesInARow())
                : Mono.error(signal.failure()));
    }

    private synchronized Mono<Long> pause(long failures) {
        Duration pause = least;
        long level = 0;
        while (level < failures && pause.compareTo(most) < 0) {
            pause = pause.multipliedBy(2);
            level++;
        }
        long key = level;
        Duration limited = pause.compareTo(most) < 0 ? pause : most;
        return pauses.computeIfAbsent(key, none -> Mono.delay(jittered(limited)).doOnNext(over -> end(key)).cache());
    }

    private synchronized void end(long key) {
        pauses.remove(key);
    }

    private Duration jittered(Duration pause) {
        double factor = 1 + ThreadLocalRandom.current().nextDouble(-JITTER, JITTER);
        long nanos = (long) (pause.toNanos() * factor);
        return Duration.ofNanos(Math.clamp(nanos, least.toNanos(), most.toNanos()));
    }
}
