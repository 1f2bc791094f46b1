// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.detector;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.Flux;
import reactor.core.scheduler.Schedulers;
import reactor.test.StepVerifier;
import reactor.test.publisher.TestPublisher;

@Timeout(60)
class EventBuilderTest {
    private static final Duration PATIENCE = EventBuilder.TICK.multipliedBy(EventBuilder.PATIENCE);

    private final EventBuilder builder = new EventBuilder();
    private final TestPublisher<Fragment> links = TestPublisher.create();

    private static Fragment fragment(int link, long event) {
        return new Fragment(link, event, 0, new byte[link]);
    }

    private static List<Fragment> all(long event) {
        return IntStream.range(0, Fragment.LINKS).mapToObj(link -> fragment(link, event)).toList();
    }

    private static Flux<Fragment> all(long event, int butNot) {
        return Flux.fromIterable(all(event)).filter(fragment -> fragment.link() != butNot);
    }

    private void send(int link, long... events) {
        LongStream.of(events).forEach(event -> links.next(fragment(link, event)));
    }

    private void sendAllBut(int link, long event) {
        all(event, link).subscribe(links::next);
    }

    @Test
    void shouldPutTogetherWhatBelongsTogether() {
        List<Integer> turns = new ArrayList<>(IntStream.range(0, 2 * Fragment.LINKS).mapToObj(i -> i / 2).toList());
        Collections.shuffle(turns, new Random(1));
        long[] next = new long[Fragment.LINKS];
        Arrays.fill(next, 7);

        List<Event> events = builder.build(Flux.fromIterable(turns).map(link -> fragment(link, next[link]++)))
                .collectList().block();

        assertThat(events).extracting(Event::number).containsExactly(7L, 8L);
        assertThat(events).allMatch(Event::isComplete);
        assertThat(events.getFirst().size()).isEqualTo(28);
        assertThat(events.getFirst().fragments()).extracting(Fragment::link).containsExactly(0, 1, 2, 3, 4, 5, 6, 7);
    }

    @Test
    void shouldGiveUpWhatIsBehindACompleteEvent() {
        StepVerifier.create(builder.build(all(1, 3).concatWith(all(2, 3)).concatWith(Flux.fromIterable(all(3)))
                        .concatWith(Flux.never())))
                .assertNext(event -> assertThat(event).matches(e -> !e.isComplete() && e.number() == 1 && e.size() == 25))
                .assertNext(event -> assertThat(event).matches(e -> !e.isComplete() && e.number() == 2))
                .assertNext(event -> assertThat(event).matches(e -> e.isComplete() && e.number() == 3))
                .thenCancel().verify();
    }

    @Test
    void shouldGiveUpAnEventInTimeAndKnowItsLastFragmentAsAStray() {
        StepVerifier.withVirtualTime(() -> builder.build(links.flux()))
                .expectSubscription()
                .then(() -> sendAllBut(3, 1))
                .expectNoEvent(PATIENCE.minus(EventBuilder.TICK))
                .then(() -> sendAllBut(3, 2)) // this one has the whole time, too
                .thenAwait(EventBuilder.TICK)
                .assertNext(event -> assertThat(event).matches(e -> e.number() == 1 && e.fragments().size() == 7))
                .then(() -> send(3, 1, 2))
                .assertNext(event -> assertThat(event).matches(e -> e.number() == 2 && e.isComplete()))
                .then(() -> assertThat(builder.strays()).isEqualTo(1))
                .then(() -> assertThat(builder.open()).isZero())
                .expectNoEvent(PATIENCE.multipliedBy(2))
                .then(links::complete)
                .verifyComplete();
    }

    @Test
    void shouldNotTakeTheTimeOfAStalledSubscriberForThatOfALink() {
        StepVerifier.withVirtualTime(() -> builder.build(links.flux().onBackpressureBuffer()), 1)
                .expectSubscription()
                .then(() -> all(1).forEach(links::next))
                .assertNext(event -> assertThat(event.number()).isEqualTo(1))
                .then(() -> all(2).forEach(links::next)) // this one waits for the subscriber, and what follows for this one
                .then(() -> sendAllBut(3, 3))
                .thenAwait(Duration.ofHours(1))
                .thenRequest(1)
                .assertNext(event -> assertThat(event.number()).isEqualTo(2))
                .thenAwait(PATIENCE.dividedBy(2))
                .then(() -> send(3, 3))
                .thenRequest(1)
                .assertNext(event -> assertThat(event).matches(e -> e.number() == 3 && e.isComplete()))
                .thenCancel().verify();
    }

    @Test
    void shouldAskForOneEventMoreThanItsSubscriberTakes() {
        List<Long> requests = Collections.synchronizedList(new ArrayList<>());
        Flux<Fragment> endless = Flux.<Fragment, Integer>generate(() -> 0, (n, sink) -> {
            sink.next(fragment(n % Fragment.LINKS, n / Fragment.LINKS));
            return n + 1;
        }).doOnRequest(requests::add);
        StepVerifier.create(builder.build(endless), 10)
                .expectNextCount(10)
                .then(() -> assertThat(requests).allMatch(n -> n == 1).hasSizeBetween(81, 90))
                .thenCancel().verify();
    }

    @Test
    void shouldBeginAnewWhenTheNumbersDo() {
        StepVerifier.create(builder.build(Flux.concat(all(1_000, 3), Flux.fromIterable(all(1_001)), all(0, 3),
                        Flux.fromIterable(all(1)))))
                .expectNextMatches(event -> event.number() == 1_000 && !event.isComplete())
                .expectNextMatches(event -> event.number() == 1_001 && event.isComplete())
                .expectNextMatches(event -> event.number() == 0 && !event.isComplete())
                .expectNextMatches(event -> event.number() == 1 && event.isComplete())
                .verifyComplete();
        assertThat(builder.strays()).isZero();
    }

    @Test
    void shouldCountAFragmentThatComesTwiceOnce() {
        StepVerifier.create(builder.build(Flux.just(fragment(0, 1), fragment(0, 1)).concatWith(all(1, 0))))
                .expectNextMatches(Event::isComplete)
                .verifyComplete();
        assertThat(builder.strays()).isEqualTo(1);
    }

    @Test
    void shouldHaveALimit() {
        int more = 500;
        StepVerifier.create(builder.build(Flux.range(0, EventBuilder.MOST_OPEN + more).map(n -> fragment(n % 7, n))
                        .concatWith(Flux.never())))
                .expectNextCount(more)
                .then(() -> assertThat(builder.open()).isEqualTo(EventBuilder.MOST_OPEN))
                .thenCancel().verify();
    }

    @Test
    void shouldGiveWhatIsBegunAtTheEndButNotAfterAnError() {
        StepVerifier.create(builder.build(all(1, 0))).expectNextMatches(event -> !event.isComplete()).verifyComplete();
        StepVerifier.create(new EventBuilder().build(all(1, 0).concatWith(Flux.error(new IllegalStateException("broken")))))
                .verifyErrorMessage("broken");
    }

    @Test
    void shouldBuildOfLinksOnThreadsOfTheirOwn() {
        int events = EventBuilder.MOST_OPEN; // one link may come to its end before another has begun
        Flux<Fragment> fragments = Flux.merge(Flux.range(0, Fragment.LINKS).map(link -> Flux.range(0, events)
                .map(event -> fragment(link, event)).subscribeOn(Schedulers.parallel())), Fragment.LINKS, 5);
        List<Event> built = builder.build(fragments).collectList().block();

        assertThat(built).hasSize(events).allMatch(Event::isComplete);
        assertThat(built).extracting(Event::number).isSorted();
        assertThat(builder.open()).isZero();
    }

    @Test
    void shouldEndWithItsSubscriber() {
        StepVerifier.create(builder.build(links.flux())).then(() -> sendAllBut(1, 1)).thenCancel().verify();
        links.assertCancelled();
    }
}
