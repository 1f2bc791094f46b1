// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.annotation.listener;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** How many messages a listener asks for, by its pace. Everything that it asks for arrives when it has nothing to do. */
class MessageDemandTest {
    private static final int FIRST = 1 + 32;
    private static final int PREFETCH = 4_096;
    private static final int MOST = 1 + PREFETCH;
    private static final long FAST = 100;
    private static final long SLOW = TimeUnit.MILLISECONDS.toNanos(10);

    private long nanos;
    private long asked;
    private long arrived;
    private long done;

    private MessageDemand listener(boolean adapts, long bytes) {
        MessageDemand demand = new MessageDemand(1, 1, PREFETCH, adapts, bytes, () -> nanos);
        asked = demand.first();
        return demand;
    }

    private void work(MessageDemand demand, int messages, int size, long nanosEach) {
        for (int i = 0; i < messages; i++) {
            if (done == arrived) {
                for (long due = asked - arrived; due > 0; due--) {
                    demand.arrived(size);
                }
                demand.taken((int) (asked - arrived));
                arrived = asked;
            }
            done++;
            nanos += nanosEach;
            asked += demand.done(1);
        }
    }

    private long ahead() {
        return asked - done;
    }

    @Test
    void shouldAskForTwiceAsManyWhenTheListenerHasRunOutOfThem() {
        MessageDemand demand = listener(true, Long.MAX_VALUE);
        assertThat(asked).isEqualTo(FIRST);
        work(demand, FIRST, 64, FAST);
        assertThat(ahead()).isEqualTo(2 * FIRST);
        work(demand, 20 * MOST, 64, FAST);
        assertThat(ahead()).isBetween(MOST - PREFETCH / 4L, (long) MOST);
    }

    @Test
    void shouldAskForFewWhenTheListenerIsSlow() {
        MessageDemand demand = listener(true, Long.MAX_VALUE);
        work(demand, FIRST * 10, 64, SLOW);
        assertThat(ahead()).isLessThanOrEqualTo(2 * FIRST);
    }

    @Test
    void shouldAskForFewerWhenTheListenerHasBecomeSlow() {
        MessageDemand demand = listener(true, Long.MAX_VALUE);
        work(demand, 20 * MOST, 64, FAST);
        work(demand, 2 * MOST, 64, SLOW);
        assertThat(ahead()).isLessThanOrEqualTo(2 * FIRST);
        work(demand, 20 * MOST, 64, FAST);
        assertThat(ahead()).as("fast again").isGreaterThan(MOST / 2);
    }

    /** One message at a time, which is done before the next one comes. */
    @Test
    void shouldNotAskForMoreWhenThePublisherIsSlow() {
        MessageDemand demand = listener(true, Long.MAX_VALUE);
        for (int i = 0; i < 10 * MOST; i++) {
            demand.arrived(64);
            demand.taken(1);
            done++;
            asked += demand.done(1);
        }
        assertThat(ahead()).isLessThanOrEqualTo(FIRST);
    }

    @Test
    void shouldAskForAsManyAsThereIsMemoryFor() {
        for (boolean adapts : new boolean[] {true, false}) {
            done = 0;
            arrived = 0;
            MessageDemand demand = listener(adapts, 1 << 20);
            work(demand, 20 * MOST, 16 << 10, FAST);
            assertThat(ahead()).as("adapts %s", adapts).isBetween(48L, 64L);
        }
    }

    @Test
    void shouldAskForAFixedNumberWhateverThePace() {
        MessageDemand demand = listener(false, Long.MAX_VALUE);
        work(demand, 2 * MOST, 64, SLOW);
        assertThat(ahead()).isBetween(MOST - PREFETCH / 4L, (long) MOST);
    }
}
