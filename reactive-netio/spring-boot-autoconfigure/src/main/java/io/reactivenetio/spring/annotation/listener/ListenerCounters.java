// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.annotation.listener;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongConsumer;

/** What a listener counts from the start of the application on. Any thread. */
final class ListenerCounters {
    final LongAdder received = new LongAdder();
    final LongAdder handled = new LongAdder();
    final LongAdder failed = new LongAdder();
    final LongAdder discarded = new LongAdder();
    /** Who wants to know for how many nanoseconds each message was worked on. */
    final List<LongConsumer> timers = new CopyOnWriteArrayList<>();

    /** Returns when the work on a message begins, for {@link #tellTime}; 0 if nobody wants to know. */
    long begin() {
        return timers.isEmpty() ? 0 : System.nanoTime();
    }

    void tellTime(long begunNanos) {
        if (!timers.isEmpty() && begunNanos != 0) {
            long nanos = System.nanoTime() - begunNanos;
            timers.forEach(timer -> timer.accept(nanos));
        }
    }
}
