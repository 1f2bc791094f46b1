// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.pubsub;

import static io.reactivenetio.Numbers.numbers;
import static io.reactivenetio.testing.TestSettings.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.Link;
import io.reactivenetio.NetioClient;
import io.reactivenetio.NetioLoops;
import io.reactivenetio.NetioServer;
import io.reactivenetio.Numbers;
import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.api.SlowPolicy;
import io.reactivenetio.api.TaggedMessage;
import io.reactivenetio.api.Tags;
import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.testing.TestSettings;
import io.reactivenetio.transport.BackendType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.Disposable;
import reactor.core.Exceptions;
import reactor.core.scheduler.Schedulers;
import reactor.test.StepVerifier;
import reactor.util.retry.Retry;

/** Several tags that are subscribed to at once, by somebody on another thread. */
@Timeout(180)
class MergedStreamsTest {
    private static final long[] TAGS = {1, 2, 3};

    private final NetioLoops loops = NetioLoops.create("merged", 2);
    private final List<NetioConnection> accepted = new CopyOnWriteArrayList<>();

    @AfterEach
    void stop() {
        loops.dispose();
    }

    private NetioSubscriber subscriber(NetioPublisher publisher) {
        DisposableServer server = publisher.serve(NetioServer.create().backend(BackendType.TCP).host(TestSettings.ADDRESS)
                .runOn(loops)).doOnConnection(accepted::add).bindNow();
        return NetioSubscriber.create(NetioClient.create().backend(BackendType.TCP).host(TestSettings.ADDRESS).runOn(loops)
                .port(server.port()));
    }

    /** Also what has come before it was asked for, from another thread: everything that counts them is on the loop. */
    @Test
    void shouldSignalOnTheLoopWhoeverAsks() {
        NetioSubscriber subscriber = subscriber(NetioPublisher.create().publishEach(Tags.range(1, 3), tag -> numbers(20)));
        Set<Boolean> onLoop = ConcurrentHashMap.newKeySet();
        IdleSubscriber idle = new IdleSubscriber();
        subscriber.subscribe(TAGS).doOnNext(message -> onLoop.add(EventLoop.isLoopThread(Thread.currentThread())))
                .doOnComplete(() -> onLoop.add(EventLoop.isLoopThread(Thread.currentThread()))).subscribe(idle);
        Link.await(() -> accepted.size() == 1 && accepted.getFirst().statistics().sentMessages() == 60,
                () -> subscriber.statistics().toString());
        while (idle.got().size() < 60) {
            idle.request(1);
        }
        assertThat(onLoop).containsExactly(true);
    }

    /** Each message is received, dropped or missed, whoever asks for it and whenever a connection is cut; and all are told. */
    @ParameterizedTest
    @EnumSource(names = {"BACKPRESSURE", "DROP_NEWEST", "DROP_OLDEST"})
    void shouldAccountForEveryMessageOfEachTag(SlowPolicy policy) throws InterruptedException {
        Random random = new Random(7);
        int count = TestSettings.scaled(100_000);
        NetioPublisher publisher = NetioPublisher.create(policy, 64);
        for (long tag : TAGS) {
            publisher.publish(tag, numbers(count).publishOn(Schedulers.parallel()));
        }
        AtomicLong told = new AtomicLong();
        NetioSubscriber subscriber = subscriber(publisher).doOnMissed(missed -> told.addAndGet(missed.messages()))
                .reconnect(Retry.fixedDelay(10_000, Duration.ofMillis(1)));
        Set<Long> begun = ConcurrentHashMap.newKeySet();
        List<TaggedMessage> got = new ArrayList<>();
        CompletableFuture<Long> done = subscriber.subscribe(TAGS).doOnNext(message -> begun.add(message.tag()))
                .publishOn(Schedulers.parallel(), 16).doOnNext(got::add).count().toFuture();
        // who is cut off before it has heard a number does not know where it began
        Link.await(() -> begun.size() == TAGS.length, begun::toString);
        for (int i = 0; i < 20 && !done.isDone(); i++) {
            long enough = subscriber.statistics().received() + (random.nextBoolean() ? 0 : random.nextInt(count / 20));
            Link.await(() -> done.isDone() || subscriber.statistics().received() >= enough, () -> "some messages");
            accepted.forEach(NetioConnection::dispose);
        }
        long received = done.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
        SubscriberStatistics statistics = subscriber.statistics();
        assertThat(statistics.received()).isEqualTo(received);
        assertThat(statistics.receivedBytes()).isEqualTo(received * Long.BYTES);
        assertThat(received + statistics.dropped() + statistics.missed()).as("%s", statistics)
                .isEqualTo((long) TAGS.length * count);
        assertThat(told).hasValue(statistics.dropped() + statistics.missed());
        for (long tag : TAGS) {
            assertThat(got.stream().filter(message -> message.tag() == tag).map(Numbers::number)).isSorted()
                    .doesNotHaveDuplicates();
        }
    }

    /** The others neither wait for it nor lose a message, and it comes as soon as it is there. */
    @Test
    void shouldGoOnWithoutATagThatIsNotServed() {
        NetioPublisher publisher = NetioPublisher.create();
        publisher.publish(1, numbers(Integer.MAX_VALUE).delayElements(Duration.ofMillis(1), Schedulers.parallel()));
        publisher.publish(2, numbers(Integer.MAX_VALUE).delayElements(Duration.ofMillis(1), Schedulers.parallel()));
        AtomicLong tries = new AtomicLong();
        NetioSubscriber subscriber = subscriber(publisher).reconnect(Retry.fixedDelay(10_000, Duration.ofMillis(1))
                .doBeforeRetry(signal -> tries.incrementAndGet()));
        List<TaggedMessage> got = new CopyOnWriteArrayList<>();
        Disposable all = subscriber.subscribe(TAGS).subscribe(got::add);
        Link.await(() -> tries.get() >= 50 && got.size() >= 100, () -> tries + " tries, " + got.size() + " messages");
        publisher.publish(3, numbers(5));
        Link.await(() -> of(3, got).size() == 5, () -> of(3, got).toString());
        all.dispose();
        for (long tag = 1; tag <= 2; tag++) {
            List<Long> numbers = of(tag, got);
            assertThat(numbers).isEqualTo(LongStream.range(0, numbers.size()).boxed().toList());
        }
        assertThat(of(3, got)).containsExactly(0L, 1L, 2L, 3L, 4L);
        assertThat(subscriber.statistics()).returns(1L, SubscriberStatistics::connections).returns(0L,
                SubscriberStatistics::missed).returns(0L, SubscriberStatistics::reconnectAttempts);
        assertThat(accepted).hasSize(1);
        publisher.dispose();
    }

    private static List<Long> of(long tag, List<TaggedMessage> messages) {
        return messages.stream().filter(message -> message.tag() == tag).map(Numbers::number).toList();
    }

    /** Not even the connection goes away between two tries, and the end of all of them is that of the connection. */
    @Test
    void shouldKeepTheConnectionWhileNoTagIsServed() {
        AtomicLong tries = new AtomicLong();
        NetioSubscriber subscriber = subscriber(NetioPublisher.create()).reconnect(Retry.fixedDelay(20, Duration.ofMillis(1))
                .doBeforeRetry(signal -> tries.incrementAndGet()));
        StepVerifier.create(subscriber.subscribe(TAGS)).expectErrorMatches(Exceptions::isRetryExhausted).verify(PATIENCE);
        assertThat(tries.get()).isBetween(20L, 60L);
        assertThat(accepted).hasSize(1);
        // the other two are cancelled, on whatever thread one of them begins to be tried again
        Link.await(() -> subscriber.statistics().subscriptions() == 0, () -> subscriber.statistics().toString());
        Link.await(() -> accepted.getFirst().isDisposed(), () -> "closed with the last");
    }
}
