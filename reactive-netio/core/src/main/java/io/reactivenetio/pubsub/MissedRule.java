// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.pubsub;

import io.reactivenetio.transport.backend.Durations;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Consumer;

/** Who is to be told what was missed, and how often at most. */
record MissedRule(long intervalNanos, Consumer<? super Missed> consumer) {
    /** Ten times per second. */
    static final Duration DEFAULT_INTERVAL = Duration.ofMillis(100);

    static MissedRule of(Duration interval, Consumer<? super Missed> consumer) {
        Objects.requireNonNull(consumer, "consumer");
        if (interval.isNegative()) {
            throw new IllegalArgumentException("doOnMissed: the interval must not be negative: " + interval);
        }
        return new MissedRule(Durations.nanos(interval), consumer);
    }
}
