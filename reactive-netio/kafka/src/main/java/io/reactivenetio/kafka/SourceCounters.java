// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.kafka;

import java.util.concurrent.atomic.LongAdder;

/** Counts for all subscriptions of a source. Each figure is written by the threads of its subscriptions and read by any. */
final class SourceCounters {
    final LongAdder emitted = new LongAdder();
    final LongAdder bytes = new LongAdder();
    final LongAdder lag = new LongAdder();

    KafkaSourceStatistics statistics() {
        return new KafkaSourceStatistics(emitted.sum(), bytes.sum(), Math.max(0, lag.sum()));
    }
}
