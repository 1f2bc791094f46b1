// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivenetio.Link;
import io.reactivenetio.transport.backend.Durations;
import io.reactivenetio.transport.exceptions.NetioException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;

/** Whoever waits has the element, or it is disposed of. */
@Timeout(180)
class BlockingMonoTest {
    private final List<String> disposed = new CopyOnWriteArrayList<>();
    private final AtomicReference<CoreSubscriber<? super String>> waiting = new AtomicReference<>();
    /** Signals its element when the test does, also after a cancel, as one does that is made at that moment. */
    private final Mono<String> late = new Mono<>() {
        @Override
        public void subscribe(CoreSubscriber<? super String> actual) {
            actual.onSubscribe(Operators.emptySubscription());
            waiting.set(actual);
        }
    };

    private String await(Duration timeout) {
        return BlockingMono.await(late, timeout, "making it", disposed::add);
    }

    @Test
    void shouldDisposeOfWhatComesAfterTheTime() {
        assertThatThrownBy(() -> await(Duration.ofMillis(1))).isInstanceOf(NetioException.class)
                .hasMessage("making it took longer than 1 ms");
        waiting.get().onNext("late");
        assertThat(disposed).containsExactly("late");
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -1, Long.MIN_VALUE})
    void shouldFailAtOnceWithoutTime(long seconds) {
        assertThatThrownBy(() -> await(Duration.ofSeconds(seconds))).isInstanceOf(NetioException.class)
                .hasMessageContaining("making it took longer than");
        waiting.get().onNext("late");
        assertThat(disposed).containsExactly("late");
    }

    @Test
    void shouldDisposeOfWhatComesToAnInterruptedThread() throws InterruptedException {
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        Thread waiter = Thread.ofPlatform().start(() -> {
            try {
                await(Durations.FOREVER);
            } catch (RuntimeException e) {
                thrown.set(e);
            }
        });
        Link.await(() -> waiting.get() != null, () -> "the wait");
        waiter.interrupt();
        waiter.join();
        waiting.get().onNext("late");
        waiting.get().onComplete();
        assertThat(thrown.get()).hasCauseInstanceOf(InterruptedException.class);
        assertThat(disposed).containsExactly("late");
    }

    /** The two moments race: it has one owner, whichever is first. */
    @Test
    void shouldGiveItToExactlyOne() throws InterruptedException {
        for (int round = 0; round < 2_000; round++) {
            waiting.set(null);
            disposed.clear();
            AtomicReference<String> got = new AtomicReference<>();
            Thread waiter = Thread.ofVirtual().start(() -> {
                try {
                    got.set(await(Durations.FOREVER));
                } catch (RuntimeException interrupted) {
                    // it is disposed of
                }
            });
            CoreSubscriber<? super String> to;
            while ((to = waiting.get()) == null) {
                Thread.onSpinWait();
            }
            Thread interrupting = Thread.ofVirtual().start(waiter::interrupt);
            to.onNext("it");
            to.onComplete();
            waiter.join();
            interrupting.join();
            assertThat(disposed).hasSize(got.get() == null ? 1 : 0);
        }
    }

    @Test
    void shouldTakeATimeThatIsForEver() {
        for (Duration endless : List.of(ChronoUnit.FOREVER.getDuration(), Duration.ofSeconds(Long.MAX_VALUE),
                Duration.ofDays(366 * 293))) {
            assertThat(BlockingMono.<String>await(Mono.just("it"), endless, "making it", disposed::add)).isEqualTo("it");
        }
        assertThat(disposed).isEmpty();
    }
}
