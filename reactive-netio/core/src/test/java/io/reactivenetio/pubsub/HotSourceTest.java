// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.pubsub;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.api.SlowPolicy;
import io.reactivenetio.api.Tags;
import io.reactivenetio.framing.stream.SharedMessage;
import io.reactivenetio.loop.EventLoopConfig;
import io.reactivenetio.loop.SimulatedLoop;
import io.reactivenetio.transport.backend.LogBudget;
import io.reactivenetio.transport.exceptions.StreamError;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.test.publisher.TestPublisher;

/** A source that waits for its subscriptions: for which, and until when. */
class HotSourceTest {
    private static final Tags TAG = Tags.of(7);
    private static final int QUEUE = 4;
    private static final long PATIENCE = TimeUnit.SECONDS.toNanos(1);

    private final PublisherCounters counters = new PublisherCounters(LogBudget.of(NetioPublisher.class));
    private final TestPublisher<Long> upstream = TestPublisher.create();
    private final HotSource<Long> source = new HotSource<>(TAG, upstream.flux().doOnRequest(this::count),
            n -> new SharedMessage(7, 0, ByteBuffer.allocate(8).putLong(0, n)), SlowPolicy.BACKPRESSURE,
            QUEUE, Long.MAX_VALUE, PATIENCE,
            counters, List.of());
    private final SimulatedLoop one = new SimulatedLoop(EventLoopConfig.defaults(), this::now);
    private final SimulatedLoop other = new SimulatedLoop(EventLoopConfig.defaults(), this::now);
    private long now = 1;
    private long published;
    private long asked;

    private long now() {
        return now;
    }

    private void count(long n) {
        asked += n;
    }

    @AfterEach
    void close() {
        end(one);
        end(other);
    }

    private static void end(SimulatedLoop loop) {
        loop.loop().close();
        loop.turn();
    }

    private SubscriberQueue join(SimulatedLoop loop) {
        SubscriberQueue queue = new SubscriberQueue(TAG, SlowPolicy.BACKPRESSURE, QUEUE, Long.MAX_VALUE, () -> { });
        source.join(queue, TAG, loop.loop(), Runnable::run);
        return queue;
    }

    private void publish(int count) {
        for (int i = 0; i < count; i++) {
            upstream.next(published++);
        }
    }

    private static void take(SubscriberQueue queue, int count) {
        for (int i = 0; i < count; i++) {
            Objects.requireNonNull(queue.poll(), "a message");
        }
    }

    /** So many times the time that a subscription may take nothing. */
    private void wait(int patiences) {
        for (int i = 0; i < patiences * 10; i++) {
            now += PATIENCE / 10;
            one.turn();
            other.turn();
        }
    }

    /** It has made room, which nobody noticed as it was not found empty: the source is asked, and nobody is ended. */
    @Test
    void shouldGoOnWhenASubscriptionTookSomeAndStopped() {
        SubscriberQueue fast = join(one);
        publish(1);
        take(fast, 1);
        SubscriberQueue slow = join(one);
        publish(3);
        take(fast, 3);
        fast.idle();
        take(slow, 1);
        assertThat(asked).isEqualTo(QUEUE);
        wait(1);
        assertThat(asked).isEqualTo(QUEUE + 2);
        publish(2);
        take(fast, 2);
        take(slow, 4);
        assertThat(fast.ended()).isNull();
        assertThat(slow.ended()).isNull();
    }

    /** The subscription that is left waits on another loop, and is told there. */
    @Test
    void shouldWatchFromALoopThatIsThere() {
        SubscriberQueue first = join(one);
        SubscriberQueue slow = join(other);
        SubscriberQueue fast = join(other);
        SubscriberQueue last = join(one);
        publish(QUEUE);
        take(first, QUEUE);
        take(fast, QUEUE);
        take(last, QUEUE);
        fast.idle(); // the source waits for the slow one, and looks on a loop
        first.leave();
        last.leave();
        end(one);
        wait(3);
        assertThat(slow.ended()).isNotNull().extracting(SubscriberQueue.End::code).isEqualTo(StreamError.TOO_SLOW.code());
        assertThat(fast.ended()).isNull();
    }

    /** Who is woken may run at once, on this thread, and come back into the source: to leave it, for one. */
    @Test
    void shouldWakeWithoutItsLock() {
        AtomicInteger woken = new AtomicInteger();
        SubscriberQueue queue = new SubscriberQueue(TAG, SlowPolicy.BACKPRESSURE, QUEUE, Long.MAX_VALUE, () -> {
            assertThat(Thread.holdsLock(source)).isFalse();
            woken.incrementAndGet();
        });
        source.join(queue, TAG, one.loop(), Runnable::run);
        SubscriberQueue[] leaver = new SubscriberQueue[1];
        leaver[0] = new SubscriberQueue(TAG, SlowPolicy.BACKPRESSURE, QUEUE, Long.MAX_VALUE, () -> leaver[0].leave());
        source.join(leaver[0], TAG, one.loop(), Runnable::run);
        SubscriberQueue last = join(one);
        publish(2);
        take(last, 2);
        assertThat(woken).hasValue(2);
        source.close();
        assertThat(woken).hasValue(3);
        assertThat(last.ended()).isNotNull();
    }

    /** However often the only subscription leaves and another one comes, all of which take nothing. */
    @Test
    void shouldLookOnceAtATime() {
        SubscriberQueue slow = join(one);
        publish(QUEUE);
        for (int i = 0; i < 100; i++) {
            one.turn();
            assertThat(one.delayedTasks()).isEqualTo(1);
            slow.leave();
            slow = join(one);
        }
        wait(1);
        assertThat(one.delayedTasks()).isEqualTo(1);
        assertThat(taken(slow)).containsExactly(0L, 1L, 2L, 3L);
    }

    private SubscriberQueue join(Tags wanted, List<Long> numbers) {
        SubscriberQueue queue = new SubscriberQueue(wanted, SlowPolicy.BACKPRESSURE, QUEUE, Long.MAX_VALUE, () -> { });
        numbers.add(source.join(queue, wanted, one.loop(), Runnable::run));
        return queue;
    }

    private static List<Long> taken(SubscriberQueue queue) {
        List<Long> numbers = new ArrayList<>();
        SharedMessage message;
        while ((message = queue.poll()) != null) {
            numbers.add(message.number());
        }
        return numbers;
    }

    /** What it was about to send comes first, and the source is asked for less. */
    @Test
    void shouldKeepWhatASubscriptionLeaves() {
        List<Long> begins = new ArrayList<>();
        SubscriberQueue first = join(TAG, begins);
        publish(QUEUE);
        SharedMessage polled = Objects.requireNonNull(first.poll());
        first.unsent(polled);
        first.leave();
        assertThat(source.kept()).isEqualTo(QUEUE);
        SubscriberQueue second = join(TAG, begins);
        assertThat(source.kept()).isZero();
        assertThat(begins).containsExactly(0L, 0L);
        assertThat(asked).isEqualTo(QUEUE);
        assertThat(taken(second)).containsExactly(0L, 1L, 2L, 3L);
        second.idle();
        assertThat(asked).isEqualTo(2 * QUEUE);
        publish(QUEUE);
        assertThat(taken(second)).containsExactly(4L, 5L, 6L, 7L);
        assertThat(counters.statistics(0, 0).undelivered()).isZero();
    }

    /** They were asked for on behalf of one that has left, by a source that is elsewhere. */
    @Test
    void shouldKeepWhatComesWhenNobodyIsThere() {
        SubscriberQueue first = join(one);
        publish(1);
        first.leave();
        publish(QUEUE - 1);
        upstream.complete();
        assertThat(source.kept()).isEqualTo(QUEUE);
        SubscriberQueue second = join(one);
        assertThat(second.ended()).isNull();
        assertThat(taken(second)).containsExactly(0L, 1L, 2L, 3L);
        assertThat(second.ended()).isNotNull().extracting(SubscriberQueue.End::code).isEqualTo(SubscriberQueue.COMPLETE);
        second.leave();
        assertThat(source.kept()).as("taken, if not sent").isZero();
    }

    /** Who is there already has later ones, behind which they cannot come. */
    @Test
    void shouldCountWhatNobodyCanHaveAnyMore() {
        SubscriberQueue first = join(one);
        publish(QUEUE);
        SubscriberQueue second = join(other);
        first.leave();
        assertThat(source.kept()).isZero();
        assertThat(counters.statistics(0, 0).undelivered()).isEqualTo(QUEUE);
        second.leave();
        assertThat(counters.statistics(0, 0).undelivered()).isEqualTo(QUEUE);
    }

    @Test
    void shouldLeaveToOthersWhatTheyHave() {
        SubscriberQueue first = join(one);
        SubscriberQueue second = join(other);
        publish(QUEUE);
        first.leave();
        assertThat(source.kept()).isZero();
        take(second, 1);
        second.leave();
        assertThat(source.kept()).isEqualTo(QUEUE - 1);
        source.retire();
        assertThat(source.kept()).isZero();
        assertThat(counters.statistics(0, 0).undelivered()).isEqualTo(QUEUE - 1);
    }
}
