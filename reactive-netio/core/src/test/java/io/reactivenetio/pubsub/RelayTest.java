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
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;
import reactor.core.publisher.Flux;
import reactor.test.publisher.TestPublisher;

/** Many subscriptions of one connection to a shared source, beside those of others. */
class RelayTest {
    private static final Tags TAG = Tags.of(7);
    private static final int QUEUE = 4;
    private static final int MANY = 100;

    private final TestPublisher<Long> upstream = TestPublisher.createNoncompliant(TestPublisher.Violation.REQUEST_OVERFLOW);
    private final SimulatedLoop loop = new SimulatedLoop(EventLoopConfig.defaults(), () -> 1);
    private final Queue<Runnable> turns = new ArrayDeque<>();
    /** Of the connection that has many. */
    private final Executor connection = turns::add;
    private final PublisherCounters counters = new PublisherCounters(LogBudget.of(NetioPublisher.class));
    private long published;

    @AfterEach
    void close() {
        loop.loop().close();
        loop.turn();
    }

    private HotSource<Long> source(SlowPolicy policy, TestPublisher<Long> upstream) {
        return new HotSource<>(TAG, upstream.flux(), n -> new SharedMessage(7, 0, ByteBuffer.allocate(8).putLong(0, n)), policy,
                QUEUE, Long.MAX_VALUE, Long.MAX_VALUE, counters, List.of());
    }

    private SubscriberQueue join(HotSource<Long> source, SlowPolicy policy, Executor of) {
        SubscriberQueue queue = new SubscriberQueue(TAG, policy, QUEUE, Long.MAX_VALUE, () -> { });
        assertThat(source.join(queue, TAG, loop.loop(), of)).isEqualTo(published);
        return queue;
    }

    private List<SubscriberQueue> joinMany(HotSource<Long> source, SlowPolicy policy) {
        return IntStream.range(0, MANY).mapToObj(i -> join(source, policy, connection)).toList();
    }

    private void publish(int count) {
        for (int i = 0; i < count; i++) {
            upstream.next(published++);
        }
    }

    private static List<Long> take(SubscriberQueue queue) {
        List<Long> numbers = new ArrayList<>();
        SharedMessage message;
        while ((message = queue.poll()) != null) {
            assertThat(message.payload().getLong(0)).isEqualTo(message.number());
            numbers.add(message.number());
        }
        return numbers;
    }

    private void runTurns() {
        Runnable turn;
        while ((turn = turns.poll()) != null) {
            turn.run();
        }
    }

    /** What a message costs the source depends on the number of connections: two places here, and one for all others. */
    @ParameterizedTest
    @EnumSource(value = SlowPolicy.class, names = "BACKPRESSURE", mode = Mode.EXCLUDE)
    void shouldPassMessagesOnInTheTurnsOfTheConnection(SlowPolicy policy) {
        HotSource<Long> source = source(policy, upstream);
        List<SubscriberQueue> many = joinMany(source, policy);
        SubscriberQueue good = join(source, policy, Runnable::run);
        publish(3);
        assertThat(many).filteredOn(queue -> queue.waiting() > 0).hasSize(2);
        assertThat(turns).hasSize(1);
        assertThat(take(good)).containsExactly(0L, 1L, 2L);
        runTurns();
        SubscriberQueue late = join(source, policy, connection);
        publish(1);
        runTurns();
        assertThat(many).allSatisfy(queue -> assertThat(take(queue)).containsExactly(0L, 1L, 2L, 3L));
        assertThat(take(late)).containsExactly(3L);
        upstream.complete();
        runTurns();
        assertThat(many).allSatisfy(queue -> assertThat(queue.ended()).isNotNull());
        assertThat(many).allSatisfy(queue -> assertThat(queue.takeDropped()).isZero());
    }

    /** What the connection has no time for is dropped for each of its subscriptions, and counted. */
    @ParameterizedTest
    @EnumSource(value = SlowPolicy.class, names = {"DROP_OLDEST", "DROP_NEWEST"})
    void shouldCountWhatTheConnectionHasNoTimeFor(SlowPolicy policy) {
        HotSource<Long> source = source(policy, upstream);
        List<SubscriberQueue> many = joinMany(source, policy);
        publish(2);
        SubscriberQueue late = join(source, policy, connection);
        publish(8);
        runTurns();
        assertThat(many).allSatisfy(queue -> {
            assertThat(take(queue)).hasSize(QUEUE);
            assertThat(queue.takeDropped()).isEqualTo(10 - QUEUE);
        });
        int got = take(late).size();
        assertThat(late.takeDropped()).isEqualTo(8 - got);
        upstream.complete();
        runTurns();
        assertThat(late.ended()).isNotNull().extracting(SubscriberQueue.End::code).isEqualTo(SubscriberQueue.COMPLETE);
        assertThat(late.takeDropped()).isZero();
    }

    @Test
    void shouldEndThemAllAsTooSlow() {
        HotSource<Long> source = source(SlowPolicy.ERROR, upstream);
        List<SubscriberQueue> many = joinMany(source, SlowPolicy.ERROR);
        publish(QUEUE + 1);
        runTurns();
        assertThat(many).allSatisfy(queue -> assertThat(queue.ended()).isNotNull().extracting(SubscriberQueue.End::code)
                .isEqualTo(StreamError.TOO_SLOW.code()));
        many.forEach(SubscriberQueue::leave);
        SubscriberQueue next = join(source, SlowPolicy.ERROR, connection);
        publish(1);
        runTurns();
        assertThat(take(next)).containsExactly(published - 1);
    }

    private void onLoop(Runnable code) {
        loop.loop().execute(code);
        loop.turn();
    }

    private static int takeSome(SubscriberQueue queue) {
        int taken = 0;
        while (taken < QUEUE && queue.poll() != null) {
            taken++;
        }
        return taken;
    }

    /** Else it would make ten messages for each that is taken, of which nine are dropped; and it waits for nobody. */
    @Test
    void shouldGoOnOnceInATurnWhileSomebodyIsBehind() {
        AtomicLong made = new AtomicLong();
        HotSource<Long> source = new HotSource<>(TAG, Flux.generate(sink -> sink.next(made.getAndIncrement())),
                n -> new SharedMessage(7, 0, ByteBuffer.allocate(8).putLong(0, n)), SlowPolicy.DROP_NEWEST, QUEUE,
                Long.MAX_VALUE, Long.MAX_VALUE, new PublisherCounters(LogBudget.of(NetioPublisher.class)), List.of());
        List<SubscriberQueue> queues = new ArrayList<>();
        onLoop(() -> {
            for (int i = 0; i < 10; i++) {
                SubscriberQueue queue = new SubscriberQueue(TAG, SlowPolicy.DROP_NEWEST, QUEUE, Long.MAX_VALUE, () -> { });
                source.join(queue, TAG, loop.loop(), new ArrayDeque<Runnable>()::add);
                queues.add(queue);
            }
        });
        onLoop(() -> assertThat(queues).allMatch(queue -> takeSome(queue) > 0));
        assertThat(made.get()).isLessThanOrEqualTo(5L * QUEUE);
        AtomicLong taken = new AtomicLong();
        for (int i = 0; i < 20; i++) {
            onLoop(() -> taken.addAndGet(takeSome(queues.getFirst())));
        }
        assertThat(taken.get()).as("in 20 turns, beside nine that take nothing").isGreaterThan(10L * QUEUE);
    }

    /** Each message that the source was asked for is sent, dropped for somebody or counted when all have left. */
    @ParameterizedTest
    @EnumSource(value = SlowPolicy.class, names = {"DROP_OLDEST", "DROP_NEWEST"})
    void shouldCountWhatThoseWhoLeaveHaveNotSent(SlowPolicy policy) {
        HotSource<Long> source = source(SlowPolicy.BACKPRESSURE, upstream);
        List<SubscriberQueue> direct = List.of(join(source, policy, connection), join(source, policy, connection));
        SubscriberQueue early = join(source, policy, connection);
        direct.forEach(SubscriberQueue::leave);
        publish(2);
        runTurns();
        SubscriberQueue late = join(source, policy, connection);
        early.leave();
        assertThat(counters.statistics(0, 0).undelivered()).as("that the later one does not get").isEqualTo(2);
        publish(1);
        runTurns();
        publish(QUEUE + 3); // of which the inbox drops three
        late.leave();
        assertThat(counters.statistics(0, 0).undelivered()).isEqualTo(2 + 1 + QUEUE);
        assertThat(late.takeDropped()).isEqualTo(3);
        runTurns();
        assertThat(counters.statistics(0, 0).undelivered()).isEqualTo(2 + 1 + QUEUE);
    }

    /** They leave in any order, also while they are told of messages; then the source knows nothing of them. */
    @Test
    void shouldForgetThoseThatLeave() {
        HotSource<Long> source = source(SlowPolicy.DROP_OLDEST, upstream);
        SubscriberQueue stays = join(source, SlowPolicy.DROP_OLDEST, Runnable::run);
        List<SubscriberQueue> leaving = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            SubscriberQueue[] queue = new SubscriberQueue[1];
            queue[0] = new SubscriberQueue(TAG, SlowPolicy.DROP_OLDEST, QUEUE, Long.MAX_VALUE, () -> queue[0].leave());
            source.join(queue[0], TAG, loop.loop(), connection);
            leaving.add(queue[0]);
        }
        publish(1);
        runTurns();
        publish(1);
        assertThat(turns).isEmpty();
        assertThat(leaving).allMatch(queue -> queue.waiting() == 0);
        assertThat(take(stays)).containsExactly(0L, 1L);
        leaving.forEach(SubscriberQueue::leave); // again
        assertThat(join(source, SlowPolicy.DROP_OLDEST, connection).waiting()).isZero();
    }
}
