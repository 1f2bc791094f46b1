// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.demo.event;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.test.StepVerifier;
import reactor.test.publisher.TestPublisher;

class EventBuilderTest {

    private static Fragment fragment(int link, long event, int hits) {
        return new Fragment(link, event, Fragment.crossingOf(event), 0, hits, 10L * hits, Fault.NONE);
    }

    private static Flux<Fragment> link(int number, int events) {
        return Flux.range(0, events).map(event -> fragment(number, event, number + 1));
    }

    @Test
    void shouldBuildEventsAcrossLinks() {
        StepVerifier.create(EventBuilder.build(List.of(link(0, 3), link(1, 3), link(2, 3))))
                .expectNext(new Event(0, 6, 60, 0, true), new Event(1, 6, 60, 0, true), new Event(2, 6, 60, 0, true))
                .verifyComplete();
    }

    @Test
    void shouldBuildEventsOfOneLink() {
        StepVerifier.create(EventBuilder.build(List.of(link(4, 1000))).count()).expectNext(1000L).verifyComplete();
    }

    @Test
    void shouldBuildEventsAroundDamagedFragments() {
        Flux<Fragment> damaged = Flux.just(Fragment.unreadable(Fault.CORRUPTED),
                new Fragment(1, 1, Fragment.crossingOf(1), 0, 0, 0, Fault.TRUNCATED));

        StepVerifier.create(EventBuilder.build(List.of(damaged, link(0, 2))))
                .expectNext(new Event(0, 1, 10, 1, true), new Event(1, 1, 10, 1, true))
                .verifyComplete();
    }

    @Test
    void shouldSeeFragmentsThatDoNotBelongTogether() {
        StepVerifier.create(EventBuilder.build(List.of(link(0, 2), link(1, 3).skip(1))))
                .assertNext(event -> assertThat(event.aligned()).isFalse())
                .assertNext(event -> assertThat(event.complete()).isFalse())
                .verifyComplete();
    }

    @Test
    void shouldNotAskALinkForMoreThanAFewFragmentsAheadOfTheOthers() {
        AtomicLong asked = new AtomicLong();
        TestPublisher<Fragment> silent = TestPublisher.create();

        StepVerifier.create(EventBuilder.build(List.of(link(0, 10_000).doOnRequest(asked::addAndGet), silent.flux())))
                .expectSubscription()
                .expectNoEvent(Duration.ofMillis(50))
                .then(() -> assertThat(asked.get()).isEqualTo(64))
                .thenCancel()
                .verify();
        silent.assertCancelled();
    }

    @Test
    void shouldPassAnErrorOfALinkOn() {
        StepVerifier.create(EventBuilder.build(List.of(link(0, 5), Flux.error(new IllegalStateException("gone")))))
                .verifyErrorMessage("gone");
    }

    @Test
    void shouldSlowDownWithoutDroppingOrRunningAhead() {
        AtomicLong asked = new AtomicLong();
        Flux<Event> events = Flux.range(0, 1000).map(n -> new Event(n, 0, 0, 0, true)).doOnRequest(asked::addAndGet);

        StepVerifier.withVirtualTime(() -> EventBuilder.slowedTo(1000, events))
                .expectSubscription()
                .thenAwait(Duration.ofMillis(105))
                .expectNextCount(100)
                .then(() -> assertThat(asked.get()).isLessThanOrEqualTo(130))
                .thenAwait(Duration.ofMillis(900))
                .expectNextCount(900)
                .verifyComplete();
    }
}
