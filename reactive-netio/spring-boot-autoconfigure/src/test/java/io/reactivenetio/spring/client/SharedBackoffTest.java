// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.transport.exceptions.NetioStreamException;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.test.scheduler.VirtualTimeScheduler;

/** Many subscriptions fail together, and try again together. */
class SharedBackoffTest {
    private final AtomicBoolean goesOn = new AtomicBoolean(true);
    private final SharedBackoff backoff = new SharedBackoff("subscriber 'a'", Duration.ofMillis(100), Duration.ofMillis(1_000),
            goesOn::get);
    private VirtualTimeScheduler time;

    @BeforeEach
    void stopTime() {
        time = VirtualTimeScheduler.getOrSet();
    }

    @AfterEach
    void letTimeGo() {
        VirtualTimeScheduler.reset();
    }

    private long now() {
        return time.now(TimeUnit.MILLISECONDS);
    }

    @Test
    void shouldTryAgainAtTheSameMoments() {
        Set<Long> moments = new TreeSet<>();
        AtomicInteger attempts = new AtomicInteger();
        for (int i = 0; i < 1_000; i++) {
            Mono.defer(() -> {
                moments.add(now());
                attempts.incrementAndGet();
                return Mono.error(new IllegalStateException("no"));
            }).retryWhen(backoff).subscribe();
            time.advanceTimeBy(Duration.ofNanos(1));
        }
        for (int i = 0; i < 10_000; i++) {
            time.advanceTimeBy(Duration.ofMillis(1));
        }
        List<Long> all = new ArrayList<>(moments);
        // the first four pauses take 0.8 to 2.05 s, and each after them 0.5 to 1 s
        assertThat(all.size()).as("%s", all).isBetween(5 + 7_950 / 1_000, 5 + 9_200 / 500);
        assertThat(attempts.get()).isEqualTo(1_000 * all.size());
        assertThat(all.get(1) - all.get(0)).isBetween(100L, 151L);
        assertThat(all.get(2) - all.get(1)).isBetween(99L, 301L);
        assertThat(all.getLast() - all.get(all.size() - 2)).isBetween(499L, 1_001L);
    }

    @Test
    void shouldBeginAnewWithWhatArrives() {
        List<Long> moments = new ArrayList<>();
        Flux.defer(() -> {
            moments.add(now());
            return moments.size() == 5 ? Flux.concat(Mono.just("a message"), Mono.error(new IllegalStateException("lost")))
                    : Flux.error(new IllegalStateException("no"));
        }).retryWhen(backoff).subscribe();
        for (int i = 0; i < 4_000; i++) {
            time.advanceTimeBy(Duration.ofMillis(1));
        }
        assertThat(moments.get(4) - moments.get(3)).isBetween(399L, 1_001L);
        assertThat(moments.get(5) - moments.get(4)).isBetween(99L, 151L);
    }

    /** A tag that nobody serves has failed often, and keeps nobody waiting. */
    @Test
    void shouldNotHaveThoseWaitWhoHaveFailedLessOften() {
        Mono.error(new IllegalStateException("never")).retryWhen(backoff).subscribe();
        for (int i = 0; i < 5_000; i++) {
            time.advanceTimeBy(Duration.ofMillis(1));
        }
        AtomicInteger attempts = new AtomicInteger();
        Mono.defer(() -> attempts.incrementAndGet() == 1 ? Mono.error(new IllegalStateException("once")) : Mono.just("there"))
                .retryWhen(backoff).subscribe();
        time.advanceTimeBy(Duration.ofMillis(151));
        assertThat(attempts).hasValue(2);
    }

    @Test
    void shouldEndWithTheFailureWhenItDoesNotGoOn() {
        goesOn.set(false);
        List<Throwable> failures = new ArrayList<>();
        Mono.error(new IllegalStateException("the last")).retryWhen(backoff).subscribe(nothing -> { }, failures::add);
        assertThat(failures).singleElement().satisfies(failure -> assertThat(failure).hasMessage("the last"));
    }

    @Test
    void shouldTakeAnyDuration() {
        SharedBackoff longest = new SharedBackoff("subscriber", Duration.ofMillis(1), Duration.ofSeconds(Long.MAX_VALUE),
                goesOn::get);
        Mono.error(new IllegalStateException("no")).retryWhen(longest).subscribe();
        for (int i = 0; i < 200; i++) {
            time.advanceTimeBy(Duration.ofDays(36_500));
        }
    }

    private List<String> logged(int code, int subscriptions) {
        PrintStream before = System.err; // where the tests' logger writes
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        System.setErr(new PrintStream(text, true, StandardCharsets.UTF_8));
        try {
            for (int i = 0; i < subscriptions; i++) {
                Mono.error(() -> new NetioStreamException("nobody serves tag 77", code)).retryWhen(backoff).subscribe();
            }
            time.advanceTimeBy(Duration.ofSeconds(10));
        } finally {
            System.setErr(before);
        }
        return text.toString(StandardCharsets.UTF_8).lines().filter(line -> line.contains("SharedBackoff")).toList();
    }

    /** A tag that nobody serves is a mistake as often as not, and otherwise nobody would hear of it. */
    @Test
    void shouldSayOnceThatNobodyServesATag() {
        assertThat(logged(7, 1)).isEmpty();
        assertThat(logged(3, 1)).singleElement().asString().contains("WARN", "subscriber 'a': nobody serves tag 77",
                "subscribes again until somebody does");
        assertThat(logged(3, 1_000)).as("one per second at most").hasSizeLessThan(100);
    }
}
