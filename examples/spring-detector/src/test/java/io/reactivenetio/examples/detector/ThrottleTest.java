// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.detector;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.examples.detector.Throttle.Pace;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.Flux;
import reactor.test.StepVerifier;
import reactor.test.scheduler.VirtualTimeScheduler;

@Timeout(60)
class ThrottleTest {
    private final Throttle throttle = new Throttle();

    @Test
    void shouldLetAllPassAtFirst() {
        assertThat(throttle.pace()).isEqualTo(Pace.FAST);
        assertThat(Flux.range(0, 100_000).concatMap(n -> throttle.turn().thenReturn(n), 1).count().block()).isEqualTo(100_000);
    }

    @Test
    void shouldPauseBeforeEachWhenSlow() {
        throttle.set(Pace.SLOW);
        StepVerifier.withVirtualTime(() -> Flux.range(0, 100).concatMap(n -> throttle.turn().thenReturn(n), 1).count())
                .expectSubscription().expectNoEvent(Duration.ofMillis(999)).thenAwait(Duration.ofMillis(1))
                .expectNext(100L).verifyComplete();
    }

    @Test
    void shouldTellThoseWhoWaitOfAnotherPace() {
        VirtualTimeScheduler clock = VirtualTimeScheduler.getOrSet();
        try {
            List<Pace> turns = new ArrayList<>();
            throttle.set(Pace.STALLED);
            throttle.turn().subscribe(turns::add);
            clock.advanceTimeBy(Duration.ofDays(1));
            throttle.set(Pace.SLOW);
            clock.advanceTimeBy(Duration.ofMillis(5));
            throttle.set(Pace.STALLED);
            clock.advanceTimeBy(Duration.ofDays(1));
            assertThat(turns).isEmpty();
            throttle.set(Pace.FAST);
            assertThat(turns).containsExactly(Pace.FAST);
            assertThat(throttle.pace()).isEqualTo(Pace.FAST);
        } finally {
            VirtualTimeScheduler.reset();
        }
    }
}
