// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.annotation;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.NetioClient;
import io.reactivenetio.NetioLoops;
import io.reactivenetio.api.SlowPolicy;
import io.reactivenetio.api.Tags;
import io.reactivenetio.pubsub.NetioPublisher;
import io.reactivenetio.pubsub.NetioSubscriber;
import io.reactivenetio.pubsub.SubscriberStatistics;
import io.reactivenetio.spring.NetioClients;
import io.reactivenetio.transport.BackendType;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Sinks;
import reactor.util.retry.Retry;

/** A publisher that publishes one run after the other, and completes each. */
@Timeout(120)
class ResubscribeTest {
    private static final int RUNS = 4;

    public static class Runs {
        final List<Long> byMessage = Collections.synchronizedList(new ArrayList<>());
        final List<Long> byFlux = Collections.synchronizedList(new ArrayList<>());
        final List<Long> byDefault = Collections.synchronizedList(new ArrayList<>());

        @NetioListener(tags = "7", id = "message", onComplete = OnComplete.RESUBSCRIBE)
        public void on(ByteBuffer message) {
            byMessage.add(message.getLong());
        }

        @NetioListener(tags = {"8", "9"}, id = "flux", onComplete = OnComplete.RESUBSCRIBE)
        public Flux<Long> all(Flux<ByteBuffer> messages) {
            return messages.map(ByteBuffer::getLong).doOnNext(byFlux::add);
        }

        @NetioListener(tags = "10", id = "default")
        public void byDefault(ByteBuffer message) {
            byDefault.add(message.getLong());
        }
    }

    private static Flux<ByteBuffer> run(int run) {
        return Flux.range(100 * run, 100).map(Detector::number);
    }

    private static List<Long> numbers(int runs) {
        return LongStream.range(0, 100L * runs).boxed().toList();
    }

    private static void shouldReceive(String property, boolean byDefault) {
        NetioPublisher publisher = NetioPublisher.create();
        try (Detector detector = new Detector(publisher).start()) {
            detector.application().withBean(Runs.class).withPropertyValues(property).run(context -> {
                Runs runs = context.getBean(Runs.class);
                NetioListenerRegistry registry = context.getBean(NetioListenerRegistry.class);
                for (int run = 0; run < RUNS; run++) {
                    for (int tag = 7; tag <= (run == 0 || byDefault ? 10 : 9); tag++) {
                        publisher.publish(tag, run(run));
                    }
                    int all = 100 * (run + 1);
                    Detector.await(() -> runs.byMessage.size() == all && runs.byFlux.size() == 2 * all, () ->
                            runs.byMessage.size() + ", " + runs.byFlux.size());
                    int expected = byDefault ? all : 100;
                    Detector.await(() -> runs.byDefault.size() == expected, runs.byDefault::size);
                    if (!byDefault) {
                        Detector.await(() -> registry.listener("default").state() == NetioListenerState.COMPLETED, () -> "");
                    }
                }
                assertThat(runs.byMessage).isEqualTo(numbers(RUNS));
                assertThat(runs.byFlux).containsExactlyInAnyOrderElementsOf(LongStream.range(0, 100L * RUNS).boxed()
                        .flatMap(number -> List.of(number, number).stream()).toList());
                assertThat(registry.listener("message").state()).isEqualTo(NetioListenerState.RUNNING);
                assertThat(registry.listener("flux").state()).isEqualTo(NetioListenerState.RUNNING);
            });
        }
    }

    @Test
    void shouldReceiveEachRunFromItsStart() {
        shouldReceive("netio.listeners.on-complete=stay", false);
    }

    /** The second run begins without a subscriber, and does not wait for one. */
    @Test
    void shouldCountWhatARunHasPublishedBefore() {
        NetioPublisher publisher = NetioPublisher.create(SlowPolicy.DROP_NEWEST, 1_000);
        Sinks.Many<ByteBuffer> second = Sinks.many().multicast().directBestEffort();
        try (Detector detector = new Detector(publisher).start()) {
            publisher.publish(7, run(0));
            detector.application().withBean(Runs.class).run(context -> {
                Runs runs = context.getBean(Runs.class);
                Detector.await(() -> runs.byMessage.size() == 100, runs.byMessage::size);
                NetioLoops loops = NetioLoops.create("first", 1);
                Disposable other = NetioSubscriber.create(NetioClient.create().backend(BackendType.TCP).port(detector.port())
                        .runOn(loops)).reconnect(Retry.fixedDelay(Long.MAX_VALUE, Duration.ofMillis(10))).subscribe(7)
                        .subscribe();
                publisher.publish(7, second.asFlux());
                for (int n = 100; n < 200; n++) {
                    second.tryEmitNext(Detector.number(n));
                    Detector.pause(1);
                }
                SubscriberStatistics[] now = new SubscriberStatistics[1];
                Detector.await(() -> {
                    second.tryEmitNext(Detector.number(200));
                    now[0] = context.getBean(NetioClients.class).subscriber("detector").statistics();
                    return now[0].received() > 100;
                }, () -> now[0]);
                long published = publisher.statistics().published();
                Detector.await(() -> {
                    now[0] = context.getBean(NetioClients.class).subscriber("detector").statistics();
                    return now[0].received() + now[0].missed() >= published;
                }, () -> now[0] + " of " + published);
                other.dispose();
                loops.dispose();
            });
        }
    }

    public static class Values {
        final AtomicInteger got = new AtomicInteger();

        @NetioListener(tags = "${tags}", onComplete = OnComplete.RESUBSCRIBE)
        public void on(ByteBuffer message) {
            got.incrementAndGet();
        }
    }

    /** Each subscription gets a value, and is complete: that must not keep a loop busy. */
    @Test
    void shouldSubscribeLessAndLessOftenToWhatEndsAtOnce() {
        AtomicInteger subscriptions = new AtomicInteger();
        String tags = String.join(",", LongStream.range(0, 500).mapToObj(Long::toString).toList());
        try (Detector detector = Detector.each(Tags.range(0, 499), tag -> {
            subscriptions.incrementAndGet();
            return Flux.just(Detector.number(tag));
        })) {
            detector.application().withBean(Values.class).withPropertyValues("tags=" + tags).run(context -> {
                Values values = context.getBean(Values.class);
                Detector.await(() -> values.got.get() >= 500 * 8, () -> values.got);
                long begun = System.nanoTime();
                int before = subscriptions.get();
                Detector.pause(500);
                int made = subscriptions.get() - before;
                long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begun);
                assertThat(made).as("at most once in a second, in %d s", seconds + 1).isLessThan(500 * (2 + (int) seconds));
            });
        }
    }

    @Test
    void shouldTakeThePropertyWhereTheAnnotationSaysNothing() {
        shouldReceive("netio.listeners.on-complete=resubscribe", true);
    }
}
