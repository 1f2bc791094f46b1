// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.pubsub;

import io.reactivenetio.api.Tags;
import io.reactivenetio.diagnostics.UserCode;
import io.reactivenetio.loop.DelayedTask;
import io.reactivenetio.loop.EventLoop;
import java.time.Instant;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Adds up what one subscription has missed, and tells it no more often than its rule says: the first at once, the others when the
 * interval is over or the stream ends. Between two connections nothing waits here, so the loop may change then. On the loop.
 */
final class MissedReport implements Runnable {
    /** Writes under the name of the class that users know. */
    private static final Logger LOG = LoggerFactory.getLogger("io.reactivenetio.pubsub.NetioSubscriber");

    private final Tags tags;
    private final MissedRule rule;
    private long dropped;
    private long missed;
    private Instant from = Instant.EPOCH;
    /** When the consumer may be told again, on the loop's clock, once it has been told. */
    private long nextNanos;
    private boolean told;
    private @Nullable EventLoop loop;
    private @Nullable DelayedTask due;

    MissedReport(Tags tags, MissedRule rule) {
        this.tags = tags;
        this.rule = rule;
    }

    /** Adds messages, and tells them now or later on {@code on}, the loop of the present connection. */
    void add(EventLoop on, long moreDropped, long moreMissed) {
        if (dropped + missed == 0) {
            from = Instant.now();
        }
        dropped += moreDropped;
        missed += moreMissed;
        if (due == null) {
            long wait = told ? nextNanos - on.nanoTime() : 0;
            loop = on;
            if (wait <= 0 || !delay(on, wait)) {
                tell(on);
            }
        }
    }

    private boolean delay(EventLoop on, long nanos) {
        try {
            due = on.schedule(this, nanos, TimeUnit.NANOSECONDS);
            return true;
        } catch (RejectedExecutionException terminated) {
            return false;
        }
    }

    @Override
    public void run() {
        due = null;
        EventLoop on = loop;
        if (on != null && dropped + missed > 0) {
            tell(on);
        }
    }

    /** Tells what has not been told, because the stream ends. */
    void ended() {
        DelayedTask delayed = due;
        if (delayed != null) {
            delayed.cancel();
            run();
        }
        loop = null;
    }

    private void tell(EventLoop on) {
        Instant now = Instant.now();
        Missed event = new Missed(tags, dropped, missed, from, from.isAfter(now) ? from : now);
        dropped = 0;
        missed = 0;
        told = true;
        nextNanos = on.nanoTime() + rule.intervalNanos();
        UserCode.tell(rule.consumer(), event, LOG, "doOnMissed has thrown");
    }
}
