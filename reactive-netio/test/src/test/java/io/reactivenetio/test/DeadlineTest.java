// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.test;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.NetioCodec;
import io.reactivenetio.api.Deadline;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.test.NetioTestPair.Side;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** A deadline travels with its request, on a time of its own. */
@Timeout(60)
class DeadlineTest {
    private static final long TAG = 7;
    private static final Duration LIMIT = Duration.ofMillis(100);

    private final NetioTestPair pair = NetioTestPair.inMemory();
    private final List<Optional<Duration>> seen = new ArrayList<>();
    private final List<Object> ends = new ArrayList<>();
    private final AtomicInteger cancelled = new AtomicInteger();

    @AfterEach
    void close() {
        pair.close();
    }

    private static ByteBuffer text(String text) {
        return StandardCharsets.UTF_8.encode(text);
    }

    /** Answers at most {@code concurrency} requests with {@code answer} at a time. */
    private void respond(int concurrency, Mono<ByteBuffer> answer) {
        pair.server().respond(TAG, concurrency, request -> Mono.deferContextual(context -> {
            seen.add(Deadline.of(context).map(Deadline::remaining));
            return answer.doOnCancel(cancelled::incrementAndGet);
        })).subscribe();
    }

    private Disposable ask(Duration timeout) {
        return ask(pair.client(), timeout);
    }

    private Disposable ask(NetioConnection connection, Duration timeout) {
        return connection.requester(TAG).request(text("?"), timeout).subscribe(ends::add, ends::add, () -> ends.add("complete"));
    }

    @Test
    void shouldCancelTheWorkAtTheDeadlineWithoutACancelOfThePeer() {
        respond(4, Mono.never());
        ask(LIMIT);
        pair.hold(Side.CLIENT);
        pair.advance(LIMIT.minusNanos(1));
        assertThat(seen).containsExactly(Optional.of(LIMIT));
        assertThat(cancelled).hasValue(0);
        assertThat(ends).isEmpty();
        pair.advance(Duration.ofNanos(1));
        assertThat(cancelled).hasValue(1);
        assertThat(ends).hasSize(1).first().isInstanceOf(TimeoutException.class)
                .hasToString("java.util.concurrent.TimeoutException: no answer of tag 7 within PT0.1S");
        pair.resume();
        respondsAsEver();
    }

    private void respondsAsEver() {
        assertThat(pair.client().isDisposed() || pair.server().isDisposed()).isFalse();
        assertThat(pair.takeErrors()).isEmpty();
        pair.server().respond(TAG + 9, Mono::just).subscribe();
        assertThat(pair.client().requester(TAG + 9).request(text("!")).block()).isEqualTo(text("!"));
    }

    @Test
    void shouldCountTheTimeThatARequestWaitsToBeSent() {
        Sinks.One<ByteBuffer> first = Sinks.one();
        respond(1, first.asMono());
        ask(Duration.ofSeconds(1));
        ask(LIMIT);
        ask(Duration.ofMillis(20));
        pair.advance(Duration.ofMillis(60));
        first.tryEmitValue(text("answer"));
        assertThat(seen).containsExactly(Optional.of(Duration.ofSeconds(1)), Optional.of(Duration.ofMillis(40)));
        assertThat(ends).filteredOn(TimeoutException.class::isInstance).hasSize(1);
        assertThat(ends).filteredOn(ByteBuffer.class::isInstance).hasSize(2);
    }

    @Test
    void shouldCountFromItsArrivalOnTheOtherSide() {
        respond(4, Mono.never());
        pair.advance(Duration.ofSeconds(1)); // the two know each other
        pair.delay(Side.CLIENT, Duration.ofMillis(30));
        ask(LIMIT);
        pair.advance(Duration.ofMillis(30));
        assertThat(seen).containsExactly(Optional.of(LIMIT));
        pair.hold(Side.CLIENT);
        pair.advance(Duration.ofMillis(99));
        assertThat(ends).hasSize(1);
        assertThat(cancelled).hasValue(0);
        pair.advance(Duration.ofMillis(1));
        assertThat(cancelled).hasValue(1);
        pair.delay(Side.CLIENT, Duration.ZERO);
        pair.resume();
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -1, Long.MIN_VALUE})
    void shouldSendNothingWhenThereIsNoTimeAtAll(long seconds) {
        respond(4, Mono.never());
        ask(Duration.ofSeconds(seconds));
        pair.advance(Duration.ofSeconds(1));
        assertThat(seen).isEmpty();
        assertThat(ends).hasSize(1).first().isInstanceOf(TimeoutException.class);
    }

    @Test
    void shouldTakeEndlessTimesForNone() {
        respond(4, Mono.just(text("answer")));
        for (Duration endless : List.of(Duration.ofSeconds(Long.MAX_VALUE), ChronoUnit.FOREVER.getDuration(),
                Duration.ofDays(300 * 366))) {
            ask(endless);
        }
        assertThat(seen).hasSize(3).allMatch(Optional::isEmpty);
        ask(Duration.ofDays(290 * 365));
        assertThat(seen.getLast()).contains(Duration.ofDays(290 * 365));
        assertThat(ends).containsOnly(text("answer"), "complete").hasSize(8);
    }

    @Test
    void shouldCountAnewForEachSubscription() {
        respond(4, Mono.never());
        Mono<ByteBuffer> asking = pair.client().requester(TAG).request(text("?"), LIMIT).retry(2);
        asking.subscribe(ends::add, ends::add);
        for (int i = 1; i <= 3; i++) {
            assertThat(seen).hasSize(i);
            pair.advance(LIMIT);
        }
        assertThat(seen).containsOnly(Optional.of(LIMIT)).hasSize(3);
        assertThat(ends).hasSize(1);
        assertThat(cancelled).hasValue(3);
    }

    @Test
    void shouldTakeTheAnswerThatComesAtTheMomentOfTheDeadlineOnceOrNotAtAll() {
        for (int nanos = -2; nanos <= 2; nanos++) {
            ends.clear();
            NetioTestPair own = NetioTestPair.inMemory();
            Sinks.One<ByteBuffer> answer = Sinks.one();
            own.server().respond(TAG, request -> answer.asMono()).subscribe();
            ask(own.client(), LIMIT);
            own.advance(LIMIT.plusNanos(nanos));
            answer.tryEmitValue(text("answer"));
            own.advance(LIMIT);
            assertThat(ends.getFirst()).isInstanceOf(nanos < 0 ? ByteBuffer.class : TimeoutException.class);
            assertThat(ends).hasSize(nanos < 0 ? 2 : 1);
            assertThat(own.takeErrors()).isEmpty();
            assertThat(own.client().isDisposed()).isFalse();
            own.close();
        }
    }

    @Test
    void shouldForgetTheDeadlineOfWhatIsOver() {
        respond(4, Mono.just(text("answer")));
        ask(LIMIT);
        Disposable given = pair.client().requester(TAG).request(text("?"), LIMIT).delaySubscription(LIMIT).subscribe();
        given.dispose();
        given.dispose();
        pair.server().respond(TAG + 1, request -> Mono.never()).subscribe();
        Disposable asked = pair.client().requester(TAG + 1).request(text("?"), LIMIT).subscribe(ends::add, ends::add);
        asked.dispose();
        pair.advance(LIMIT.multipliedBy(3));
        assertThat(ends).containsExactly(text("answer"), "complete");
        respondsAsEver();
    }

    /** The client's responder is asked by the server's, with what is left, or with a shorter time of its own. */
    @Test
    void shouldHandOnWhatIsLeftWithTheContext() {
        List<Optional<Duration>> further = new ArrayList<>();
        pair.client().respond(TAG + 1, request -> Mono.deferContextual(context -> {
            further.add(Deadline.of(context).map(Deadline::remaining));
            return Mono.just(request);
        })).subscribe();
        Duration shorter = Duration.ofMillis(10);
        pair.server().respond(TAG, request -> Mono.delay(Duration.ofMillis(30), pair.server().scheduler())
                .thenMany(Flux.concat(pair.server().requester(TAG + 1).request(request),
                        pair.server().requester(TAG + 1).request(request, shorter),
                        pair.server().requester(TAG + 1).request(request, Duration.ofHours(1)))).last()).subscribe();
        ask(LIMIT);
        pair.advance(Duration.ofMillis(30));
        assertThat(further).containsExactly(Optional.of(Duration.ofMillis(70)), Optional.of(shorter),
                Optional.of(Duration.ofMillis(70)));
        assertThat(ends).containsExactly(text("?"), "complete");
    }

    @Test
    void shouldAskWithValues() {
        respond(4, Mono.never());
        pair.client().requester(TAG, NetioCodec.utf8(), NetioCodec.utf8()).request("?", LIMIT).subscribe(ends::add, ends::add);
        pair.advance(LIMIT);
        assertThat(seen).containsExactly(Optional.of(LIMIT));
        assertThat(ends).hasSize(1).first().isInstanceOf(TimeoutException.class);
    }
}
