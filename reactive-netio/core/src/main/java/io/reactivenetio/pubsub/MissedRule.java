// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.pubsub;

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
        boolean endless = interval.compareTo(Duration.ofNanos(Long.MAX_VALUE)) >= 0;
        return new MissedRule(endless ? Long.MAX_VALUE : interval.toNanos(), consumer);
    }
}
