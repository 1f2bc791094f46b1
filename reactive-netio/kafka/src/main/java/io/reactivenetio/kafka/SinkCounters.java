// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.kafka;

import java.util.concurrent.atomic.LongAdder;

/** Counts for all subscriptions of a sink. Each figure is written by the threads of its subscriptions and read by any. */
final class SinkCounters {
    final LongAdder sent = new LongAdder();
    final LongAdder acknowledged = new LongAdder();
    final LongAdder failed = new LongAdder();
    final LongAdder tooLarge = new LongAdder();
    final LongAdder bytes = new LongAdder();
    final LongAdder inFlight = new LongAdder();
    final LongAdder inFlightBytes = new LongAdder();
    final LongAdder gaps = new LongAdder();
    final LongAdder missed = new LongAdder();
    final LongAdder runs = new LongAdder();
    final LongAdder transactions = new LongAdder();

    KafkaSinkStatistics statistics() {
        return new KafkaSinkStatistics(sent.sum(), acknowledged.sum(), failed.sum(), tooLarge.sum(), bytes.sum(), inFlight.sum(),
                inFlightBytes.sum(), gaps.sum(), missed.sum(), runs.sum(), transactions.sum());
    }
}
