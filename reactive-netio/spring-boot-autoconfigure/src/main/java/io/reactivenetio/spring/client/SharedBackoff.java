// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.client;

import io.reactivenetio.transport.exceptions.NetioStreamException;
import io.reactivenetio.transport.exceptions.StreamError;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.reactivestreams.Publisher;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.retry.Retry;

/**
 * Pauses that grow, which all subscriptions of a subscriber have together: those that have failed as often in a row wait for the
 * same moment. So thousands of them that lose their connection ask for one new connection at a time, and not for one each. Any
 * thread.
 */
final class SharedBackoff extends Retry {
    private static final Logger LOG = LoggerFactory.getLogger(SharedBackoff.class);
    private static final long BETWEEN_WARNINGS_NANOS = 1_000_000_000;
    private static final double JITTER = 0.5;
    /** A peer that refuses a subscription only after so long has let it wait for a source that may come any moment. */
    private static final long LONG_NANOS = 1_000_000_000;
    /** The longest pause that can be counted in nanoseconds. */
    private static final Duration LONGEST = Duration.ofDays(36_500);

    private final String name;
    private final Duration least;
    private final Duration most;
    private final BooleanSupplier goesOn;
    /** The pauses that have begun and are not over, by the number of failures in a row. */
    private final Map<Long, Mono<Long>> pauses = new HashMap<>();
    private long warned = System.nanoTime() - BETWEEN_WARNINGS_NANOS;

    /**
     * Creates one that begins with {@code least} and doubles up to {@code most}. What arrives begins it anew.
     *
     * @param name what logs call the subscriber
     * @param goesOn asked with each failure; false ends the subscription with that failure
     */
    SharedBackoff(String name, Duration least, Duration most, BooleanSupplier goesOn) {
        this.name = name;
        this.least = least.compareTo(LONGEST) < 0 ? least : LONGEST;
        this.most = most.compareTo(LONGEST) < 0 ? most : LONGEST;
        this.goesOn = goesOn;
    }

    @Override
    public Publisher<?> generateCompanion(Flux<RetrySignal> signals) {
        AtomicLong begun = new AtomicLong(System.nanoTime());
        return signals.concatMap(signal -> {
            if (!goesOn.getAsBoolean()) {
                return Mono.error(signal.failure());
            }
            boolean waited = false;
            if (signal.failure() instanceof NetioStreamException refused && refused.error() == StreamError.NOT_SERVED) {
                waited = System.nanoTime() - begun.get() >= LONG_NANOS;
                if (signal.totalRetriesInARow() == 0) {
                    tell(refused);
                }
            }
            return pause(waited ? 0 : signal.totalRetriesInARow()).doOnNext(over -> begun.set(System.nanoTime()));
        });
    }

    /** Says that a subscription waits for somebody who serves it, which is an error of a tag as often as not. */
    private synchronized void tell(NetioStreamException refused) {
        long now = System.nanoTime();
        boolean warns = now - warned >= BETWEEN_WARNINGS_NANOS; // there may be thousands of them
        if (warns) {
            warned = now;
        }
        LOG.atLevel(warns ? Level.WARN : Level.DEBUG).log("{}: {}; it subscribes again until somebody does", name,
                refused.getMessage());
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
