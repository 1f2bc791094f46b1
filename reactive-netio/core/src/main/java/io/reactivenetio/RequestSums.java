// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAccumulator;
import java.util.concurrent.atomic.LongAdder;

/** Adds up the requests of one side. Any thread. */
final class RequestSums {
    private final LongAdder begun = new LongAdder();
    private final Map<RequestOutcome, LongAdder> ended = new EnumMap<>(RequestOutcome.class);
    private final LongAdder nanos = new LongAdder();
    private final LongAccumulator longest = new LongAccumulator(Math::max, 0);

    RequestSums() {
        for (RequestOutcome outcome : RequestOutcome.values()) {
            ended.put(outcome, new LongAdder());
        }
    }

    void begun() {
        begun.increment();
    }

    void ended(RequestOutcome outcome, long time) {
        nanos.add(time);
        longest.accumulate(time);
        adder(outcome).increment();
    }

    private LongAdder adder(RequestOutcome outcome) {
        return Objects.requireNonNull(ended.get(outcome));
    }

    RequestStatistics statistics() {
        long answered = adder(RequestOutcome.ANSWERED).sum();
        long refused = adder(RequestOutcome.REFUSED).sum();
        long failed = adder(RequestOutcome.FAILED).sum();
        long cancelled = adder(RequestOutcome.CANCELLED).sum();
        long lost = adder(RequestOutcome.LOST).sum();
        long underWay = begun.sum() - answered - refused - failed - cancelled - lost; // read last, so that it is not negative
        return new RequestStatistics(underWay, answered, refused, failed, cancelled, lost, Duration.ofNanos(nanos.sum()),
                Duration.ofNanos(longest.get()));
    }
}
