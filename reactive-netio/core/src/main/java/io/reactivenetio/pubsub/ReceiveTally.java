// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.pubsub;

import java.util.concurrent.atomic.AtomicLong;

/**
 * What the subscriptions of a subscriber get on one loop, which alone writes it: plain reads and opaque writes, without a locked
 * instruction. Any thread may read it.
 */
final class ReceiveTally {
    private final AtomicLong messages = new AtomicLong();
    private final AtomicLong bytes = new AtomicLong();
    private final AtomicLong dropped = new AtomicLong();
    private final AtomicLong missed = new AtomicLong();
    private final AtomicLong runChanges = new AtomicLong();
    private final AtomicLong slow = new AtomicLong();
    private final AtomicLong waiting = new AtomicLong();
    private final AtomicLong lastNanos = new AtomicLong();

    /** Counts messages that a subscription was given in the turn that began at {@code nanos}. */
    void countReceived(long number, long size, long nanos) {
        add(bytes, size);
        lastNanos.setOpaque(nanos);
        messages.setRelease(messages.getPlain() + number); // who sees them sees when the last came
    }

    void countDropped(long number) {
        add(dropped, number);
    }

    void countMissed(long number) {
        add(missed, number);
    }

    void countRunChange() {
        countRunChanges(1);
    }

    void countRunChanges(long number) {
        add(runChanges, number);
    }

    /** A subscription that was slow or not is slow or not now, and so many more messages wait for it at the publisher. */
    void slow(int now, int before, int moreWaiting) {
        add(slow, now - before);
        add(waiting, moreWaiting);
    }

    private static void add(AtomicLong counter, long amount) {
        counter.setOpaque(counter.getPlain() + amount);
    }

    long messages() {
        return messages.getAcquire();
    }

    long bytes() {
        return bytes.getOpaque();
    }

    long dropped() {
        return dropped.getOpaque();
    }

    long missed() {
        return missed.getOpaque();
    }

    long runChanges() {
        return runChanges.getOpaque();
    }

    /** How many subscriptions are slow now. */
    long slow() {
        return slow.getOpaque();
    }

    /** How many messages wait for them at the publisher. */
    long waiting() {
        return waiting.getOpaque();
    }

    /** When the last messages came, on the loop's clock. Means nothing before there were {@link #messages}. */
    long lastNanos() {
        return lastNanos.getOpaque();
    }
}
