// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.framing.stream;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A window that adapts, between a subscriber and a peer that are played here, on a clock of the test's. */
class PrefetchWindowTest {
    private static final long TRIP = TimeUnit.MICROSECONDS.toNanos(50);

    private long now = 1;
    private long asked;
    private long arrived;
    private long delivered;
    private PrefetchWindow window = new PrefetchWindow(Prefetch.ADAPTIVE, () -> now);

    private void request(long n) {
        asked = cap(asked, window.requested(n, delivered, false));
    }

    private static long cap(long sum, long n) {
        return n == Long.MAX_VALUE ? n : sum + n;
    }

    /** A round trip later all that was asked for is here, of which {@code take} are delivered. */
    private void arrive(long take, int bytes) {
        now += TRIP;
        while (arrived < asked) {
            window.arrived(1, bytes);
            arrived++;
        }
        deliver(take);
    }

    private void deliver(long take) {
        delivered += take;
        asked += window.delivered(delivered);
    }

    private long ahead() {
        return asked - delivered;
    }

    @Test
    void shouldBeExactForASingleRequest() {
        request(100);
        assertThat(asked).isEqualTo(100);
        arrive(100, 64);
        assertThat(asked).isEqualTo(100);
    }

    @Test
    void shouldBeExactForDemandWithoutEnd() {
        request(Long.MAX_VALUE);
        assertThat(asked).isEqualTo(Long.MAX_VALUE);
        window.arrived(1, 64);
        assertThat(window.delivered(1)).isZero();
    }

    @Test
    void shouldBeAheadByOneOfASlowSubscriber() {
        for (int i = 0; i < 1_000; i++) {
            request(1);
            if (arrived > delivered) {
                deliver(1);
            } else {
                arrive(1, 64);
            }
            now += TimeUnit.MILLISECONDS.toNanos(10);
            arrive(0, 64);
            assertThat(ahead()).as("message %d", i).isLessThanOrEqualTo(1);
        }
        assertThat(ahead()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {64, 1 << 20})
    void shouldGrowWhileAFastSubscriberWaitsForTheWire(int bytes) {
        request(1);
        for (int i = 0; i < 100; i++) {
            arrive(asked - delivered, bytes);
            request(1);
        }
        long most = Math.min(65_536, (16 << 20) / bytes);
        assertThat(ahead()).isBetween(most / 2, most + 1);
    }

    @Test
    void shouldGrowWhereRequestsComeWithinTheDelivery() {
        request(1);
        for (int i = 0; i < 30; i++) {
            now += TRIP;
            long here = asked - arrived;
            for (long j = 0; j < here; j++) {
                window.arrived(1, 64);
                arrived++;
                delivered++;
                asked += window.requested(1, delivered, true);
            }
            deliver(0);
        }
        assertThat(ahead()).isGreaterThan(1_000);
    }

    @Test
    void shouldShrinkWhenTheSubscriberBecomesSlow() {
        shouldGrowWhileAFastSubscriberWaitsForTheWire(64);
        for (int i = 0; ahead() > 2; i++) {
            arrive(0, 64);
            deliver(1);
            request(1);
            now += TimeUnit.MILLISECONDS.toNanos(10);
            assertThat(i).isLessThan(100_000);
        }
        assertThat(ahead()).isLessThanOrEqualTo(2);
    }

    /** As concatMap does where each answer takes 20 us on another thread: 32 are asked for, and 24 more when 24 were taken. */
    @Test
    void shouldBringManyMessagesWithEachExchangeHoweverNearThePeerIs() {
        final int messages = 20_000;
        long exchanges = 0;
        request(32);
        for (int i = 1; i <= messages; i++) {
            if (arrived == delivered || arrived < asked && i % 3 == 0) {
                exchanges++;
                arrive(0, 64);
            }
            now += TimeUnit.MICROSECONDS.toNanos(20);
            deliver(1);
            if (i % 24 == 0) {
                request(24);
            }
        }
        assertThat(exchanges).as("exchanges for %d messages", messages).isLessThan(messages / 40);
        assertThat(ahead()).as("ahead, at 200 messages in 4 ms").isBetween(100L, 1_100L);
    }

    /** A sender that has a message every 10 ms gives no reason to be far ahead: what it has comes at once anyway. */
    @Test
    void shouldNotGrowBeyondANearWindowForASlowSender() {
        request(1);
        for (int i = 0; i < 1_000; i++) {
            now += TimeUnit.MILLISECONDS.toNanos(10);
            window.arrived(1, 64);
            arrived++;
            deliver(1);
            request(1);
        }
        assertThat(ahead()).isLessThanOrEqualTo(1_025);
    }

    @Test
    void shouldBeAheadAsFarAsSetWhereItIsFixed() {
        window = new PrefetchWindow(Prefetch.of(100), () -> now);
        asked += window.delivered(0);
        for (int i = 0; i < 10; i++) {
            arrive(0, 64);
            deliver(0);
        }
        assertThat(ahead()).isEqualTo(100);
    }
}
