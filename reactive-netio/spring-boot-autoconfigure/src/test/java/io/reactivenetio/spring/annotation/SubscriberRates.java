// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.annotation;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.NetioClient;
import io.reactivenetio.NetioLoops;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.api.TaggedMessage;
import io.reactivenetio.api.Tags;
import io.reactivenetio.pubsub.NetioSubscriber;
import io.reactivenetio.transport.BackendType;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.util.retry.Retry;

/**
 * How many messages of 64 bytes a second come over plain TCP to what people write behind a {@link NetioSubscriber}, and to
 * listeners, beside {@code receive()} of a connection, and beside Reactor without a network. Both ends are in this JVM. It takes
 * three minutes, and runs only where it is named: docs/performance.md has the command.
 */
class SubscriberRates {
    private static final int SIZE = 64;
    private static final Duration WARM_UP = Duration.ofSeconds(4);
    private static final int SECONDS = 5;
    private static final AtomicLong COUNT = new AtomicLong();

    private static void count() {
        COUNT.lazySet(COUNT.get() + 1); // one thread at a time
    }

    /** What most methods are. */
    public static class OnVirtualThreads {
        @NetioListener(tags = "7")
        public void on(ByteBuffer message) {
            count();
        }
    }

    /** It promises not to block. */
    public static class OnTheLoop {
        @NetioListener(tags = "7", blocking = BlockingMode.NON_BLOCKING)
        public void on(ByteBuffer message) {
            count();
        }
    }

    /** It returns a Publisher that is over already. */
    public static class EmptyMono {
        @NetioListener(tags = "7")
        public Mono<Void> on(ByteBuffer message) {
            count();
            return Mono.empty();
        }
    }

    /** It returns a Publisher that has to be subscribed to. */
    public static class SubscribedMono {
        @NetioListener(tags = "7")
        public Mono<Void> on(ByteBuffer message) {
            return Mono.<Void>fromRunnable(SubscriberRates::count).hide();
        }
    }

    /** It takes all messages at once. */
    public static class OfAFlux {
        @NetioListener(tags = "7")
        public Mono<Void> on(Flux<ByteBuffer> messages) {
            return messages.doOnNext(message -> count()).then();
        }
    }

    @SuppressWarnings("SystemOut") // a row of the table
    private static void measure(String what) {
        Detector.pause(WARM_UP.toMillis());
        double[] rates = new double[SECONDS];
        for (int i = 0; i < SECONDS; i++) {
            long before = COUNT.get();
            long began = System.nanoTime();
            Detector.pause(1_000);
            rates[i] = (COUNT.get() - before) * 1e3 / (System.nanoTime() - began);
        }
        Arrays.sort(rates);
        System.out.printf("%-30s %6.2f M/s  (%.2f to %.2f)%n", what, rates[SECONDS / 2], rates[0], rates[SECONDS - 1]);
        assertThat(rates[SECONDS - 1]).as(what).isPositive();
    }

    private static <T> void measure(Detector detector, Class<T> listener) {
        detector.application().withBean(listener).run(context -> measure(listener.getSimpleName()));
    }

    /** An asynchronous Mono that answers at once. */
    private static Mono<Integer> save(TaggedMessage message) {
        return Mono.fromCallable(() -> message.payload().remaining()).hide();
    }

    private static void measure(String what, Flux<?> messages) {
        Disposable subscription = messages.subscribe(each -> count());
        measure(what);
        subscription.dispose();
    }

    private static void pipelines(String what, Flux<TaggedMessage> messages) {
        measure(what, messages);
        measure("  limitRate(100)", messages.limitRate(100));
        measure("  concatMap(save)", messages.concatMap(SubscriberRates::save));
        measure("  flatMap(save, 16)", messages.flatMap(SubscriberRates::save, 16));
        measure("  publishOn(elastic)", messages.publishOn(Schedulers.boundedElastic()));
        measure("  parallel(2).runOn(parallel)", messages.parallel(2).runOn(Schedulers.parallel()).sequential());
    }

    @Test
    void rates() {
        ByteBuffer message = ByteBuffer.allocateDirect(SIZE);
        try (Detector detector = Detector.each(Tags.of(7), tag -> Flux.generate(sink -> sink.next(message.clear())))) {
            NetioLoops loops = NetioLoops.create("receiver", 1);
            NetioClient client = NetioClient.create().backend(BackendType.TCP).runOn(loops).port(detector.port());
            NetioConnection connection = client.connectNow();
            measure("receive()", connection.stream(7).receive());
            connection.disposeNow();
            pipelines("NetioSubscriber", NetioSubscriber.create(client).reconnect(Retry.backoff(3, Duration.ofMillis(100)))
                    .subscribe(Tags.of(7)));
            TaggedMessage same = TaggedMessage.of(7, message);
            pipelines("Reactor alone", Flux.<TaggedMessage>generate(sink -> sink.next(same)).subscribeOn(Schedulers.single()));
            loops.dispose();
            measure(detector, OfAFlux.class);
            measure(detector, EmptyMono.class);
            measure(detector, SubscribedMono.class);
            measure(detector, OnTheLoop.class);
            measure(detector, OnVirtualThreads.class);
        }
    }
}
