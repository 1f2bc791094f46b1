// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.kafka;

import io.reactivenetio.pubsub.Gap;
import io.reactivenetio.pubsub.RunChange;
import io.reactivenetio.pubsub.SequencedEvent;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Says in the log what was missing, at most once per second, and counts it. For one thread. */
final class GapLog {
    private static final Logger LOG = LoggerFactory.getLogger(SinkSettings.LOGGER);
    private static final long PAUSE = TimeUnit.SECONDS.toNanos(1);

    private final SinkCounters counters;
    private final String topic;
    private long gaps;
    private long missed;
    private long runs;
    private @Nullable SequencedEvent last;
    private long lastTime = System.nanoTime() - PAUSE;

    GapLog(SinkCounters counters, String topic) {
        this.counters = counters;
        this.topic = topic;
    }

    void add(SequencedEvent event) {
        if (event instanceof Gap gap) {
            gaps++;
            missed += gap.messages();
            counters.gaps.increment();
            counters.missed.add(gap.messages());
        } else if (event instanceof RunChange) {
            runs++;
            counters.runs.increment();
        }
        last = event;
        sayIfTime(System.nanoTime());
    }

    boolean hasMore() {
        return last != null;
    }

    void sayIfTime(long now) {
        if (last != null && now - lastTime >= PAUSE) {
            lastTime = now;
            say();
        }
    }

    /** At the end: what has not been said. */
    void say() {
        SequencedEvent event = last;
        if (event != null) {
            LOG.warn("{} messages in {} gaps are missing on their way to topic {}, and the source has begun anew {} times;"
                    + " the last: {}", missed, gaps, topic, runs, event);
            gaps = 0;
            missed = 0;
            runs = 0;
            last = null;
        }
    }
}
