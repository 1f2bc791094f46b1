// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.annotation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivenetio.api.Lease;
import io.reactivenetio.api.Tags;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Starts, stops and aborts at any moment: nothing is left behind. */
@Timeout(120)
class ListenerRacesTest {
    private static final int ROUNDS = 100;

    public static class Everything {
        final List<Lease> leases = Collections.synchronizedList(new ArrayList<>());

        private Lease kept(Lease lease) {
            leases.add(lease);
            return lease;
        }

        private static void now() {
            if (ThreadLocalRandom.current().nextInt(4) == 0) {
                throw new IllegalStateException("now and then");
            }
        }

        /** Keeps the connection open, so that the others are subscribed at once. */
        @NetioListener(tags = "7", id = "keeper", prefetch = "0")
        public Mono<Void> keeper(ByteBuffer message) {
            return Mono.never();
        }

        @NetioListener(tags = "7,8", id = "blocking", concurrency = "4", retry = "1", retryDelay = "1ms", errorHandler = "silent")
        public void blocking(Lease message) throws InterruptedException {
            kept(message);
            Detector.pause(ThreadLocalRandom.current().nextInt(3));
            now();
        }

        @NetioListener(tags = "7,8", id = "mono", concurrency = "4", retry = "1", retryDelay = "1ms", errorHandler = "silent")
        public Mono<Void> mono(Lease message) {
            kept(message);
            now();
            return Mono.delay(Duration.ofNanos(ThreadLocalRandom.current().nextInt(2_000_000))).doOnNext(n -> now()).then();
        }

        @NetioListener(tags = "7,8", id = "loop", blocking = BlockingMode.NON_BLOCKING, errorHandler = "silent")
        public void loop(Lease message) {
            kept(message);
            now();
        }

        @NetioListener(tags = "7,8", id = "flux", retryDelay = "1ms", errorHandler = "silent")
        public Flux<?> flux(Flux<Lease> messages) {
            return messages.map(this::kept).limitRate(16).flatMap(message -> Mono.delay(Duration.ofNanos(500_000))
                    .doOnNext(n -> now()), 4);
        }
    }

    /** Starts a thread for each task: the common pool has one on a machine with two processors. */
    private final Executor threads = task -> Thread.ofPlatform().daemon().start(task);

    /** With {@code -Dtest.jvm.args='-Xmx1g -Xmn1m'} the collector looks all the time, and weak references find nothing. */
    @ParameterizedTest
    @ValueSource(strings = {"blocking", "mono", "loop", "flux"})
    void shouldLeaveNothingBehind(String id) {
        try (Detector detector = Detector.endless(Tags.range(7, 8))) {
            detector.application().withBean(Everything.class).withBean(Connections.class)
                    .withBean("silent", NetioErrorHandler.class, () -> failure -> { }).run(context -> {
                        NetioListenerRegistry registry = context.getBean(NetioListenerRegistry.class);
                        registry.listeners().stream().filter(other -> !other.id().equals("keeper"))
                                .forEach(NetioListenerContainer::abort);
                        NetioListenerContainer listener = registry.listener(id);
                        Detector.await(() -> registry.listener("keeper").statistics().inFlight() == 1, registry::listeners);
                        Detector.await(() -> listener.state() == NetioListenerState.STOPPED, listener::state);
                        Random random = new Random(1);
                        for (int round = 0; round < ROUNDS; round++) {
                            CompletableFuture<Void> starting = CompletableFuture.runAsync(listener::start, threads);
                            busy(random.nextInt(10_000_000));
                            if (random.nextBoolean()) {
                                CompletableFuture<Void> other = CompletableFuture.runAsync(listener::abort, threads);
                                listener.abort();
                                other.join();
                            } else {
                                listener.stop().block(Detector.PATIENCE);
                            }
                            starting.join();
                            listener.abort();
                            Detector.await(() -> listener.state() == NetioListenerState.STOPPED, () -> listener);
                        }
                        Connections connections = context.getBean(Connections.class);
                        Detector.await(connections::hasNoLeases, connections::statistics);
                        assertThat(context.getBean(Everything.class).leases).isNotEmpty().allMatch(Lease::isReleased);
                        Detector.await(() -> isDone(listener.statistics(), id.equals("flux")), listener::statistics);
                        listener.start();
                        long before = listener.statistics().received();
                        Detector.await(() -> listener.statistics().received() > before + 10, listener::statistics);
                        registry.listeners().forEach(NetioListenerContainer::abort);
                    });
        }
    }

    /** A worker leaves just after the last message, and a message may come while its stream is being cancelled. */
    private static boolean isDone(NetioListenerStatistics now, boolean flux) {
        return now.inFlight() + now.waiting() == 0
                && (flux || now.handled() + now.failed() + now.discarded() == now.received());
    }

    private static void busy(long nanos) {
        long until = System.nanoTime() + nanos;
        while (System.nanoTime() < until) {
            Thread.onSpinWait();
        }
    }

    public static class Pausing {
        final AtomicInteger attempts = new AtomicInteger();

        @NetioListener(tags = "7", id = "pausing", retry = "1", retryDelay = "1h")
        public void on(Lease message) {
            attempts.incrementAndGet();
            throw new IllegalStateException("try again");
        }
    }

    @Test
    void shouldNotWaitForAttemptsThatAreFarAway() {
        try (Detector detector = Detector.of(100)) {
            detector.application().withBean(Pausing.class).withBean(Connections.class).run(context -> {
                Pausing pausing = context.getBean(Pausing.class);
                NetioListenerContainer listener = context.getBean(NetioListenerRegistry.class).listener("pausing");
                Detector.await(() -> pausing.attempts.get() == 1 && listener.statistics().received() > 30, listener::statistics);
                listener.abort();
                Detector.await(() -> listener.state() == NetioListenerState.STOPPED, listener::state);
                Detector.await(() -> isDone(listener.statistics(), false), listener::statistics);
                assertThat(listener.statistics().handled() + listener.statistics().failed()).isZero();
                Connections connections = context.getBean(Connections.class);
                Detector.await(connections::hasNoLeases, connections::statistics);
            });
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Broken {
        static volatile boolean broken = true;

        @Bean
        @Lazy
        static ListenerStopTest.Counting counting() {
            if (broken) {
                throw new IllegalStateException("no store there");
            }
            return new ListenerStopTest.Counting();
        }
    }

    @Test
    void shouldStartWhenALazyBeanCanBeMadeAtLast() {
        try (Detector detector = Detector.of(10)) {
            Broken.broken = true;
            detector.application().withUserConfiguration(Broken.class).withPropertyValues("auto=false").run(context -> {
                NetioListenerContainer listener = context.getBean(NetioListenerRegistry.class).listener("counting");
                assertThatThrownBy(listener::start).hasStackTraceContaining("no store there");
                assertThat(listener.state()).isEqualTo(NetioListenerState.STOPPED);
                Broken.broken = false;
                listener.start();
                Detector.await(() -> listener.statistics().handled() == 10, listener::statistics);
            });
        }
    }

    /** Stops itself while it works on a message, and is started by the next one's arrival elsewhere. */
    public static class StopsItself {
        private final NetioListenerRegistry registry;
        final AtomicInteger got = new AtomicInteger();

        StopsItself(NetioListenerRegistry registry) {
            this.registry = registry;
        }

        @NetioListener(tags = "7", id = "self", prefetch = "0")
        public void on(ByteBuffer message) {
            if (got.incrementAndGet() == 3) {
                registry.stop("self");
            }
        }
    }

    @Test
    void shouldStopFromWithinAListener() {
        try (Detector detector = Detector.endless(Tags.of(7))) {
            detector.application().withBean(StopsItself.class).run(context -> {
                NetioListenerContainer listener = context.getBean(NetioListenerRegistry.class).listener("self");
                Detector.await(() -> listener.state() == NetioListenerState.STOPPED, listener::state);
                assertThat(context.getBean(StopsItself.class).got).hasValue(3);
            });
        }
    }
}
