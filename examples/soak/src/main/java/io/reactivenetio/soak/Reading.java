// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.soak;

import io.reactivenetio.pubsub.SequencedEvent;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;

/** What one subscription has seen, and whether it was all right. Any thread. */
final class Reading implements Disposable {
    private final RunCheck check = new RunCheck();
    private final Disposable subscription;

    /** Subscribes to {@code events}. */
    Reading(Flux<? extends SequencedEvent> events) {
        subscription = events.subscribe(this::take, failure -> end(failure.toString()), () -> end("complete"));
    }

    private synchronized void take(SequencedEvent event) {
        check.take(event);
        notifyAll();
    }

    private synchronized void end(String how) {
        check.fault("ended: " + how);
        notifyAll();
    }

    synchronized long arrived() {
        return check.arrived();
    }

    synchronized long missing() {
        return check.missing();
    }

    synchronized int runs() {
        return check.runs().size();
    }

    /** Returns whether nothing was wrong, and the subscription has not ended. */
    synchronized boolean holds() {
        return check.faults().isEmpty();
    }

    synchronized String text() {
        return String.format(Locale.ROOT, "%,d messages, %,d told as missing, %d runs; faults %s", check.arrived(),
                check.missing(), check.runs().size(), check.faults());
    }

    /** Waits until there are so many runs, and more messages than that; returns whether that came within the limit. */
    synchronized boolean await(int runs, long messages, Duration limit) throws InterruptedException {
        long end = System.nanoTime() + limit.toNanos();
        while (check.runs().size() < runs || check.arrived() <= messages) {
            long left = end - System.nanoTime();
            if (left <= 0) {
                return false;
            }
            TimeUnit.NANOSECONDS.timedWait(this, left);
        }
        return true;
    }

    @Override
    public void dispose() {
        subscription.dispose();
    }
}
