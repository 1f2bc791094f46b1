// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.pubsub;

import static io.reactivenetio.Numbers.number;
import static io.reactivenetio.Numbers.numbers;
import static io.reactivenetio.Numbers.upTo;
import static io.reactivenetio.connection.ConnectionProbe.engine;
import static io.reactivenetio.testing.TestSettings.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.Link;
import io.reactivenetio.NetioClient;
import io.reactivenetio.NetioLoops;
import io.reactivenetio.NetioServer;
import io.reactivenetio.Numbers;
import io.reactivenetio.Warnings;
import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.api.SlowPolicy;
import io.reactivenetio.api.Tags;
import io.reactivenetio.testing.TestSettings;
import io.reactivenetio.transport.BackendType;
import io.reactivenetio.transport.exceptions.NetioStreamException;
import io.reactivenetio.transport.exceptions.StreamError;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Flux;
import reactor.core.scheduler.Schedulers;
import reactor.test.StepVerifier;

/** What a publisher does for subscribers that ask for nothing, and to them. */
@Timeout(180)
class SlowSubscribersTest {

    private final NetioLoops loops = NetioLoops.create("slow", 2);
    private final List<NetioConnection> accepted = new CopyOnWriteArrayList<>();

    @AfterEach
    void stop() {
        loops.dispose();
    }

    private NetioSubscriber subscriber(BackendType backend, NetioPublisher publisher) {
        DisposableServer server = publisher.serve(NetioServer.create().backend(backend).provider(TestSettings.PROVIDER)
                .host(TestSettings.ADDRESS).runOn(loops)).doOnConnection(accepted::add).bindNow();
        return NetioSubscriber.create(NetioClient.create().backend(backend).provider(TestSettings.PROVIDER)
                .host(TestSettings.ADDRESS).runOn(loops).port(server.port()));
    }

    /** Nobody else waits with it, so there is nothing to drop for. */
    @ParameterizedTest
    @EnumSource(SlowPolicy.class)
    void shouldMakeNothingOfAColdSourceForNobody(SlowPolicy policy) {
        AtomicLong made = new AtomicLong();
        NetioPublisher publisher = NetioPublisher.create(policy, 16).publishEach(Tags.of(1),
                tag -> Flux.generate(sink -> sink.next(number(made.getAndIncrement()))))
                .publishEach(Tags.of(2), tag -> numbers(1_000));
        NetioSubscriber subscriber = subscriber(BackendType.TCP, publisher);
        IdleSubscriber idle = new IdleSubscriber();
        subscriber.subscribe(1).subscribe(idle);
        Link.await(() -> publisher.statistics().subscribers() == 1, () -> "a subscriber");
        // what this one gets takes the connection more turns than the source would have needed
        StepVerifier.create(subscriber.subscribe(2).count()).expectNext(1_000L).expectComplete().verify(PATIENCE);
        assertThat(made).hasValue(0);
        idle.request(40);
        Link.await(() -> idle.got().size() == 40, () -> idle.got().size() + " of 40");
        assertThat(idle.got()).isEqualTo(upTo(40));
        assertThat(made).hasValue(40);
        assertThat(publisher.statistics().dropped()).isZero();
    }

    /** The others would wait with it for ever. */
    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldEndASubscriberThatTakesNothingWhileOthersWait(BackendType backend) {
        NetioPublisher publisher = NetioPublisher.builder().queue(64).stallTimeout(Duration.ofMillis(100)).build()
                .publish(7, numbers(100_000).publishOn(Schedulers.parallel()));
        NetioSubscriber subscriber = subscriber(backend, publisher);
        IdleSubscriber slow = new IdleSubscriber();
        subscriber.subscribe(7).subscribe(slow);
        Link.await(() -> publisher.statistics().subscribers() == 1, () -> "a subscriber");
        List<Long> fast = Collections.synchronizedList(new ArrayList<>());
        try (Warnings warnings = new Warnings()) {
            subscriber.subscribe(7).map(Numbers::number).subscribe(fast::add);
            Link.await(() -> slow.failure() instanceof NetioStreamException, () -> slow.failure() + ", " + fast.size());
            assertThat(warnings.text()).contains("a subscription to tag 7 is ended: the subscriber has taken nothing for 100 ms");
        }
        assertThat(slow.failure()).hasMessageContaining("taken nothing for 100 ms, while 64 messages wait for it");
        assertThat(((NetioStreamException) slow.failure()).error()).isEqualTo(StreamError.TOO_SLOW);
        Link.await(() -> !fast.isEmpty() && fast.getLast() == 99_999, () -> fast.size() + " messages");
        assertThat(publisher.statistics().tooSlow()).isEqualTo(1);
        assertThat(slow.got()).isEmpty();
    }

    /** Nor does it end those that all ask for nothing: nobody waits for them. */
    @ParameterizedTest
    @EnumSource(value = BackendType.class, names = {"LIBFABRIC", "TCP"})
    void shouldHavePatienceWithASubscriberThatNobodyWaitsFor(BackendType backend) throws Exception {
        NetioPublisher publisher = NetioPublisher.builder().queue(64).stallTimeout(Duration.ofMillis(1)).build()
                .publish(7, numbers(1_000));
        NetioSubscriber subscriber = subscriber(backend, publisher);
        IdleSubscriber one = new IdleSubscriber();
        subscriber.subscribe(7).subscribe(one);
        Link.await(() -> publisher.statistics().subscribers() == 1, () -> "a subscriber");
        CompletableFuture<Void> later = new CompletableFuture<>(); // than many looks at it, on the same clock
        engine(accepted.getFirst()).loop().schedule(() -> later.complete(null), 50, TimeUnit.MILLISECONDS);
        later.get(30, TimeUnit.SECONDS);
        assertThat(publisher.statistics().tooSlow()).isZero();
        one.request(1_000);
        Link.await(() -> one.got().size() == 1_000, () -> one.got().size() + ", " + one.failure());
        assertThat(one.got()).isEqualTo(upTo(1_000));
    }
}
