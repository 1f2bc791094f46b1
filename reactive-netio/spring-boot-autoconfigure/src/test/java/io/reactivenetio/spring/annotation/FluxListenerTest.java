// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.annotation;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.api.Lease;
import io.reactivenetio.api.MessageBatch;
import io.reactivenetio.api.Tags;
import io.reactivenetio.pubsub.NetioPublisher;
import io.reactivenetio.spring.annotation.ListenerFailuresTest.Told;
import io.reactivenetio.spring.annotation.NetioFailure.Kind;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** Methods that take all messages as a Flux. */
@Timeout(120)
class FluxListenerTest {

    public static class Storing {
        final List<Long> began = Collections.synchronizedList(new ArrayList<>());
        final List<Long> stored = Collections.synchronizedList(new ArrayList<>());
        final Sinks.Many<Integer> permits = Sinks.many().unicast().onBackpressureBuffer();
        final Flux<Integer> permitted = permits.asFlux();

        @NetioListener(tags = "7", id = "storing")
        public Mono<Void> store(Flux<ByteBuffer> messages) {
            return messages.map(ByteBuffer::getLong).doOnNext(began::add)
                    .zipWith(permitted, 1).doOnNext(pair -> stored.add(pair.getT1())).then();
        }
    }

    @Test
    void shouldAskForWhatTheMethodAsksFor() {
        try (Detector detector = Detector.endless(Tags.of(7))) {
            detector.application().withBean(Storing.class).run(context -> {
                Storing storing = context.getBean(Storing.class);
                NetioListenerContainer listener = context.getBean(NetioListenerRegistry.class).listener("storing");
                Detector.await(() -> storing.began.size() == 1, storing.began::size);
                Detector.pause(50);
                assertThat(detector.requested).hasValue(1);
                for (int i = 1; i <= 100; i++) {
                    storing.permits.tryEmitNext(i).orThrow();
                }
                Detector.await(() -> storing.stored.size() == 100, storing.stored::size);
                Detector.await(() -> detector.requested.get() == 101, () -> detector.requested);
                Detector.await(() -> storing.began.size() == 101, storing.began::size); // the last waits for a permit
                assertThat(listener.statistics().received()).isEqualTo(101);
                Mono<Void> stopped = listener.stop();
                storing.permits.tryEmitNext(101).orThrow(); // the last message that was taken
                stopped.block(Duration.ofSeconds(10));
                assertThat(storing.stored).hasSize(101);
                assertThat(listener.state()).isEqualTo(NetioListenerState.STOPPED);
            });
        }
    }

    /** Fails with each third message, and once when it is called. */
    public static class Failing {
        final AtomicInteger calls = new AtomicInteger();
        final List<Long> got = Collections.synchronizedList(new ArrayList<>());

        @NetioListener(tags = "7", id = "failing", retryDelay = "1ms")
        public Flux<Long> on(Flux<ByteBuffer> messages) throws IOException {
            if (calls.incrementAndGet() == 2) {
                throw new IOException("not this time");
            }
            return messages.map(ByteBuffer::getLong).doOnNext(number -> {
                if (number == 3) {
                    throw new IllegalStateException("three");
                }
                got.add(number);
            });
        }
    }

    @Test
    void shouldCallTheMethodAgainWhenWhatItMadeHasFailed() {
        try (Detector detector = Detector.of(10)) {
            detector.application().withBean(Failing.class).withBean(Told.class).run(context -> {
                Failing failing = context.getBean(Failing.class);
                Told told = context.getBean(Told.class);
                Detector.await(() -> failing.calls.get() >= 5, () -> failing.calls);
                context.getBean(NetioListenerRegistry.class).stop("failing").block(Duration.ofSeconds(10));
                assertThat(told.failures).hasSizeGreaterThanOrEqualTo(4)
                        .allSatisfy(failure -> assertThat(failure.kind()).isEqualTo(Kind.FLUX));
                assertThat(told.failures.get(0).error()).hasMessage("three");
                assertThat(told.failures.get(1).error()).hasMessage("not this time");
                assertThat(failing.got.subList(0, 6)).containsExactly(0L, 1L, 2L, 0L, 1L, 2L);
                int calls = failing.calls.get();
                Detector.pause(50);
                assertThat(failing.calls).as("it is stopped").hasValue(calls);
            });
        }
    }

    /** Reads batches where they lie, and fails once in the middle of one. */
    public static class Batches {
        final List<Long> got = Collections.synchronizedList(new ArrayList<>());
        final AtomicInteger calls = new AtomicInteger();
        final AtomicInteger batches = new AtomicInteger();

        @NetioListener(tags = "7", id = "batches", retryDelay = "1ms")
        public Flux<Long> on(Flux<MessageBatch> all) {
            boolean first = calls.incrementAndGet() == 1;
            return all.map(batch -> {
                batches.incrementAndGet();
                long sum = 0;
                while (batch.next()) {
                    long number = batch.getLong(0);
                    if (first && number == 300) {
                        throw new IllegalStateException("in the middle");
                    }
                    got.add(number);
                    sum += number;
                }
                return sum;
            });
        }
    }

    @Test
    void shouldTakeMessagesInBatches() {
        List<Long> expected = LongStream.concat(LongStream.range(0, 300), LongStream.range(0, 2_000)).boxed().toList();
        try (Detector detector = Detector.of(2_000)) {
            detector.application().withBean(Batches.class).withBean(Told.class).run(context -> {
                Batches batches = context.getBean(Batches.class);
                Detector.await(() -> batches.got.size() == expected.size(), batches.got::size);
                NetioListenerContainer listener = context.getBean(NetioListenerRegistry.class).listener("batches");
                listener.stop().block(Duration.ofSeconds(10));
                assertThat(batches.got).isEqualTo(expected);
                assertThat(batches.batches.get()).isLessThan(expected.size());
                assertThat(listener.statistics().received()).isEqualTo(batches.batches.get());
                assertThat(context.getBean(Told.class).failures).singleElement()
                        .satisfies(failure -> assertThat(failure.error()).hasMessage("in the middle"));
            });
        }
    }

    /** Takes its time to take the subscription. */
    public static class Slow {
        final CountDownLatch subscribing = new CountDownLatch(1);
        final CountDownLatch goOn = new CountDownLatch(1);
        final List<String> signals = new CopyOnWriteArrayList<>();

        @NetioListener(tags = "7", id = "slow", autoStartup = "false")
        public Mono<Void> on(Flux<ByteBuffer> messages) {
            return messages.doOnSubscribe(subscription -> {
                subscribing.countDown();
                try {
                    assertThat(goOn.await(60, TimeUnit.SECONDS)).isTrue();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
                signals.add("subscribed");
            }).doOnComplete(() -> signals.add("complete")).then();
        }
    }

    @Test
    void shouldNotTellTheEndBeforeTheSubscriptionIsTaken() throws Exception {
        try (Detector detector = Detector.endless(Tags.of(7))) {
            detector.application().withBean(Slow.class).run(context -> {
                Slow slow = context.getBean(Slow.class);
                NetioListenerContainer listener = context.getBean(NetioListenerRegistry.class).listener("slow");
                CompletableFuture<Void> starting = CompletableFuture.runAsync(listener::start,
                        task -> Thread.ofPlatform().start(task));
                assertThat(slow.subscribing.await(60, TimeUnit.SECONDS)).isTrue();
                Mono<Void> stopped = listener.stop();
                assertThat(slow.signals).isEmpty();
                assertThat(listener.state()).isEqualTo(NetioListenerState.STOPPING);
                slow.goOn.countDown();
                stopped.block(Detector.PATIENCE);
                assertThat(listener.state()).isEqualTo(NetioListenerState.STOPPED);
                assertThat(slow.signals).containsExactly("subscribed", "complete");
                starting.join();
            });
        }
    }

    /** Forgets the leases that it gets, in every way. */
    public static class Forgetful {
        final List<Lease> kept = new CopyOnWriteArrayList<>();

        @NetioListener(tags = "7", id = "keeps")
        public Flux<Lease> keeps(Flux<Lease> messages) {
            return messages.doOnNext(kept::add).take(5).filter(lease -> lease.buffer().getLong(0) % 2 == 0);
        }

        @NetioListener(tags = "7", id = "buffers")
        public Mono<List<Lease>> buffers(Flux<Lease> messages) {
            return messages.doOnNext(kept::add).take(5).collectList();
        }

        @NetioListener(tags = "7", id = "waits")
        public Mono<Void> waits(Flux<Lease> messages) {
            return messages.doOnNext(kept::add).take(3).collectList().then(Mono.never());
        }

        @NetioListener(tags = "7,8", id = "fails")
        public Mono<Void> fails(Flux<Lease> messages) {
            return messages.doOnNext(kept::add).take(5).takeLast(2).then(Mono.error(new IllegalStateException("lost")));
        }
    }

    @Test
    void shouldGiveBackAllLeasesThatTheMethodForgets() {
        try (Detector detector = Detector.each(Tags.range(7, 8), tag -> Flux.range(0, 100).map(Detector::number)
                .concatWith(Flux.never()))) {
            detector.application().withBean(Forgetful.class).withBean(Connections.class).withBean(Told.class).run(context -> {
                Forgetful forgetful = context.getBean(Forgetful.class);
                NetioListenerRegistry registry = context.getBean(NetioListenerRegistry.class);
                Detector.await(() -> registry.listener("keeps").state() == NetioListenerState.COMPLETED
                        && registry.listener("buffers").state() == NetioListenerState.COMPLETED
                        && registry.listener("waits").statistics().received() == 3
                        && context.getBean(Told.class).failures.size() > 2, () -> registry.listeners());
                Connections connections = context.getBean(Connections.class);
                registry.listener("waits").abort();
                registry.listener("fails").abort();
                Detector.await(connections::hasNoLeases, connections::statistics);
                assertThat(forgetful.kept).hasSizeGreaterThan(13).allMatch(Lease::isReleased);
            });
        }
    }

    public static class ManyTags {
        final AtomicInteger got = new AtomicInteger();

        @NetioListener(tags = "${tags}", id = "many")
        public Publisher<?> on(Flux<Lease> messages) {
            return messages.doOnNext(lease -> got.incrementAndGet()).map(lease -> {
                try (lease) {
                    return lease.tag();
                }
            });
        }
    }

    @Test
    void shouldMergeMoreTagsThanReactorDoesByItself() {
        try (Detector detector = Detector.each(Tags.range(0, 999), tag -> Flux.range(0, 5).map(Detector::number)
                .concatWith(Flux.never()))) {
            String tags = String.join(",", java.util.stream.IntStream.range(0, 1_000).mapToObj(Integer::toString).toList());
            detector.application().withBean(ManyTags.class).withPropertyValues("tags=" + tags).run(context -> {
                ManyTags many = context.getBean(ManyTags.class);
                Detector.await(() -> many.got.get() == 5_000, () -> many.got);
            });
        }
    }

    /** The source of tag 7 fails, and nothing helps against that; those of 8 and 9 go on. */
    @Test
    void shouldGoOnWithTheOtherTagsWhenOneFails() {
        Sinks.Empty<Void> go = Sinks.empty();
        NetioPublisher publisher = NetioPublisher.create().publishEach(Tags.range(7, 9), tag -> tag == 7
                ? Flux.error(new IOException("no")) : Flux.just(Detector.number(0)).concatWith(go.asMono().thenMany(
                        Flux.range(1, 2).map(Detector::number))).concatWith(Flux.never()));
        try (Detector detector = new Detector(publisher).start()) {
            detector.application().withBean(ManyTags.class).withPropertyValues("tags=7,8,9").withBean(Told.class).run(context -> {
                ManyTags many = context.getBean(ManyTags.class);
                Told told = context.getBean(Told.class);
                Detector.await(() -> many.got.get() == 2 && told.failures.size() == 1, () -> many.got + " " + told.failures);
                go.tryEmitEmpty();
                Detector.await(() -> many.got.get() == 6, () -> many.got);
                assertThat(told.failures).singleElement().satisfies(failure -> {
                    assertThat(failure.kind()).isEqualTo(Kind.SUBSCRIPTION);
                    assertThat(failure.what()).isEqualTo("the subscription to tag 7");
                });
                assertThat(context.getBean(NetioListenerRegistry.class).listener("many").state())
                        .isEqualTo(NetioListenerState.RUNNING);
            });
        }
    }

    @Test
    void shouldGoOnWhenThePublisherIsKilledAndFailWhenItsSourceDoes() {
        Sinks.Empty<Void> broken = Sinks.empty();
        Flux<ByteBuffer> end = Flux.<ByteBuffer>never().takeUntilOther(broken.asMono())
                .concatWith(Mono.error(new IOException("no")));
        NetioPublisher publisher = NetioPublisher.create().publishEach(Tags.of(7), tag -> Flux.range(0, 3).map(Detector::number)
                .concatWith(end));
        try (Detector detector = new Detector(publisher).start()) {
            detector.application().withBean(ManyTags.class).withPropertyValues("tags=7").withBean(Told.class).run(context -> {
                ManyTags many = context.getBean(ManyTags.class);
                NetioListenerContainer listener = context.getBean(NetioListenerRegistry.class).listener("many");
                Detector.await(() -> many.got.get() == 3, () -> many.got);
                detector.kill();
                detector.start();
                Detector.await(() -> many.got.get() == 6, () -> many.got);
                assertThat(listener.state()).isEqualTo(NetioListenerState.RUNNING);
                broken.tryEmitEmpty();
                Detector.await(() -> listener.state() == NetioListenerState.FAILED, listener::state);
                assertThat(context.getBean(Told.class).failures).singleElement()
                        .satisfies(failure -> assertThat(failure.kind()).isEqualTo(Kind.SUBSCRIPTION));
                assertThat(listener.failure()).hasMessageContaining("no");
            });
        }
    }
}
