// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.demo.event;

import java.util.concurrent.atomic.LongAdder;

/** Counts built events. Any thread. */
public final class EventMonitor {
    private final LongAdder events = new LongAdder();
    private final LongAdder damaged = new LongAdder();
    private final LongAdder misaligned = new LongAdder();

    public void add(Event event) {
        events.increment();
        if (event.damaged() > 0) {
            damaged.increment();
        }
        if (!event.aligned()) {
            misaligned.increment();
        }
    }

    public long events() {
        return events.sum();
    }

    /** Events with at least one fragment that is damaged or missing. */
    public long damaged() {
        return damaged.sum();
    }

    public long misaligned() {
        return misaligned.sum();
    }
}
