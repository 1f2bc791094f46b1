// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.annotation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivenetio.api.Lease;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.api.Tags;
import io.reactivenetio.spring.NetioClientCustomizer;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.context.LifecycleAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** Listeners that are stopped in the middle of their work, started again, and whose publisher goes and comes back. */
@Timeout(120)
class ListenerStopTest {
    private static final int TAGS = 4_000;
    /** After so long without a message a stop waits no longer. */
    private static final Duration GRACE = Duration.ofMillis(100);

    public static class Working {
        final Semaphore go = new Semaphore(0);
        final CountDownLatch begun = new CountDownLatch(2);
        final AtomicInteger done = new AtomicInteger();
        final AtomicInteger interrupted = new AtomicInteger();
        final List<Lease> leases = Collections.synchronizedList(new ArrayList<>());
        final Sinks.Empty<Void> store = Sinks.empty();
        final AtomicInteger cancelled = new AtomicInteger();

        @NetioListener(tags = "7", concurrency = "2", prefetch = "2", autoStartup = "${blocking:true}")
        public void blocking(Lease message) {
            leases.add(message);
            begun.countDown();
            try {
                go.acquire();
                done.incrementAndGet();
            } catch (InterruptedException e) {
                interrupted.incrementAndGet();
            }
        }

        @NetioListener(tags = "8", concurrency = "2", prefetch = "2", autoStartup = "${reactive:false}")
        public Mono<Void> reactive(Lease message) {
            leases.add(message);
            begun.countDown();
            return store.asMono().doOnSuccess(nothing -> done.incrementAndGet()).doOnCancel(cancelled::incrementAndGet);
        }
    }

    private static CompletableFuture<Void> closing(ConfigurableApplicationContext context) {
        return CompletableFuture.runAsync(context::close, task -> Thread.ofPlatform().start(task));
    }

    /** Without the listener of the other tag, which nobody serves: it could close the connection before this one has used it. */
    private static ApplicationContextRunner application(Detector detector, int tag) {
        return detector.application().withBean("working", Working.class).withBean(Connections.class)
                .withPropertyValues("blocking=" + (tag == 7), "reactive=" + (tag == 8));
    }

    /** A worker leaves just after its last message. */
    private static void awaitStatistics(NetioListenerContainer listener, NetioListenerStatistics expected) {
        Detector.await(() -> listener.statistics().equals(expected), listener::statistics);
    }

    private static void shouldFinish(int tag) {
        try (Detector detector = Detector.endless(Tags.of(tag))) {
            application(detector, tag).run(context -> {
                Working working = context.getBean(Working.class);
                Connections connections = context.getBean(Connections.class);
                working.begun.await();
                NetioListenerContainer listener = context.getBean(NetioListenerRegistry.class)
                        .listener(tag == 7 ? "working.blocking" : "working.reactive");
                Detector.await(() -> listener.statistics().waiting() == 2, listener::statistics);
                CompletableFuture<Void> closed = closing(context.getSourceApplicationContext());
                Detector.await(() -> listener.state() == NetioListenerState.STOPPING, listener::state);
                Detector.await(() -> connections.all.getFirst().isDisposed(), () -> "nobody is subscribed");
                assertThat(closed).isNotDone();
                working.go.release(100);
                working.store.tryEmitEmpty();
                closed.join();
                assertThat(working.done).as("two were worked on, two were waiting").hasValue(4);
                awaitStatistics(listener, new NetioListenerStatistics(4, 4, 0, 0, 0, 0));
                assertThat(listener.state()).isEqualTo(NetioListenerState.STOPPED);
                assertThat(working.leases).hasSize(4).allMatch(Lease::isReleased);
                assertThat(working.interrupted).hasValue(0);
                assertThat(connections.hasNoLeases()).isTrue();
                assertThat(connections.all).hasSize(1);
            });
        }
    }

    @Test
    void shouldFinishWhatThreadsHaveBegunAndWhatWaits() {
        shouldFinish(7);
    }

    @Test
    void shouldFinishWhatPublishersHaveBegunAndWhatWaits() {
        shouldFinish(8);
    }

    /**
     * A cancel would lose what is on its way. A stop cancels in the end, when nothing has come for {@link #GRACE}. If the
     * publisher has no processor for so long, nothing can be said of the round.
     */
    @Test
    void shouldTakeWhatItHasAskedFor() {
        try (Detector detector = Detector.endless(Tags.of(7))) {
            detector.application().withBean(Counting.class).withPropertyValues("auto=false").run(context -> {
                Counting counting = context.getBean(Counting.class);
                NetioListenerContainer listener = context.getBean(NetioListenerRegistry.class).listener("counting");
                int exact = 0;
                for (int round = 0; round < 10 || exact == 0; round++) {
                    int before = counting.got.size();
                    long discarded = listener.statistics().discarded();
                    listener.start();
                    Detector.await(() -> counting.got.size() >= before + 3_000, counting.got::size);
                    NetioConnection connection = detector.connections.getLast();
                    long begun = System.nanoTime();
                    listener.stop().block(Detector.PATIENCE);
                    boolean inTime = System.nanoTime() - begun < GRACE.toNanos();
                    Detector.await(connection::isDisposed, () -> connection);
                    long first = counting.got.get(before);
                    assertThat(first).isZero();
                    if (inTime) {
                        exact++;
                        assertThat(counting.got.size() - before).as("what was sent").isEqualTo(
                                (int) connection.statistics().sentMessages());
                        assertThat(listener.statistics().discarded()).isEqualTo(discarded);
                    }
                }
            });
        }
    }

    /** As a web server, which waits for its clients: the listener must not go on meanwhile. */
    @Test
    void shouldStopBeforeAWebServerWaitsForItsClients() {
        AtomicReference<NetioListenerState> seen = new AtomicReference<>();
        try (Detector detector = Detector.endless(Tags.of(7))) {
            detector.application().withBean(Counting.class).withBean(WebServer.class, seen).run(context -> {
                Counting counting = context.getBean(Counting.class);
                Detector.await(() -> !counting.got.isEmpty(), counting.got::size);
                context.getBean(WebServer.class).registry = context.getBean(NetioListenerRegistry.class);
                context.getSourceApplicationContext().close();
            });
        }
        assertThat(seen).hasValue(NetioListenerState.STOPPED);
    }

    public static class WebServer implements SmartLifecycle {
        private final AtomicReference<NetioListenerState> seen;
        private NetioListenerRegistry registry;
        private boolean running;

        WebServer(AtomicReference<NetioListenerState> seen) {
            this.seen = seen;
        }

        @Override
        public void start() {
            running = true;
        }

        @Override
        public void stop() {
            running = false;
            seen.set(registry.listener("counting").state());
        }

        @Override
        public boolean isRunning() {
            return running;
        }

        @Override
        public int getPhase() {
            return SmartLifecycle.DEFAULT_PHASE - 1024; // that of Spring Boot's
        }
    }

    private static void shouldAbort(int tag) {
        try (Detector detector = Detector.endless(Tags.of(tag))) {
            application(detector, tag).withPropertyValues("spring.lifecycle.timeout-per-shutdown-phase=100ms")
                    .withConfiguration(AutoConfigurations.of(LifecycleAutoConfiguration.class)).run(context -> {
                        Working working = context.getBean(Working.class);
                        Connections connections = context.getBean(Connections.class);
                        working.begun.await();
                        NetioListenerContainer listener = context.getBean(NetioListenerRegistry.class)
                                .listener(tag == 7 ? "working.blocking" : "working.reactive");
                        Detector.await(() -> listener.statistics().waiting() == 2, listener::statistics);
                        context.getSourceApplicationContext().close();
                        Detector.await(() -> listener.state() == NetioListenerState.STOPPED, listener::state);
                        awaitStatistics(listener, tag == 7 ? new NetioListenerStatistics(4, 2, 0, 2, 0, 0)
                                : new NetioListenerStatistics(4, 0, 0, 4, 0, 0));
                        assertThat(working.interrupted).hasValue(tag == 7 ? 2 : 0);
                        assertThat(working.cancelled).hasValue(tag == 7 ? 0 : 2);
                        assertThat(working.leases).hasSize(2).allMatch(Lease::isReleased);
                        assertThat(connections.hasNoLeases()).isTrue();
                    });
        }
    }

    @Test
    void shouldInterruptThreadsThatAreNotDoneInTime() {
        shouldAbort(7);
    }

    @Test
    void shouldCancelPublishersThatAreNotDoneInTime() {
        shouldAbort(8);
    }

    public static class Counting {
        final List<Long> got = Collections.synchronizedList(new ArrayList<>());

        @NetioListener(tags = "7", id = "counting", autoStartup = "${auto:true}")
        public void on(ByteBuffer message) {
            got.add(message.getLong());
        }
    }

    @Test
    void shouldStopAndStartListenersByName() {
        try (Detector detector = Detector.of(10)) {
            detector.application().withBean(Counting.class).withPropertyValues("auto=false").run(context -> {
                Counting counting = context.getBean(Counting.class);
                NetioListenerRegistry registry = context.getBean(NetioListenerRegistry.class);
                assertThat(registry.listener("counting").state()).isEqualTo(NetioListenerState.STOPPED);
                assertThat(registry.listener("counting").failure()).isNull();
                registry.stop("counting").block(); // nothing
                for (int round = 1; round <= 3; round++) {
                    int all = 10 * round;
                    registry.start("counting");
                    registry.start("counting"); // nothing
                    Detector.await(() -> counting.got.size() == all, counting.got::size);
                    assertThat(registry.listener("counting").state()).isEqualTo(NetioListenerState.RUNNING);
                    registry.stop("counting").block(Duration.ofSeconds(10));
                    assertThat(registry.listener("counting").state()).isEqualTo(NetioListenerState.STOPPED);
                }
                assertThatThrownBy(() -> registry.start("nobody")).isInstanceOf(IllegalArgumentException.class)
                        .hasMessage("no listener 'nobody': there are [counting]");
            });
        }
    }

    @Test
    void shouldStartAgainWithTheContext() {
        try (Detector detector = Detector.of(10)) {
            detector.application().withBean(Counting.class).run(context -> {
                Counting counting = context.getBean(Counting.class);
                Detector.await(() -> counting.got.size() == 10, counting.got::size);
                context.getSourceApplicationContext().stop();
                assertThat(context.getBean(NetioListenerRegistry.class).listener("counting").state())
                        .isEqualTo(NetioListenerState.STOPPED);
                context.getSourceApplicationContext().start();
                Detector.await(() -> counting.got.size() == 20, counting.got::size);
            });
        }
    }

    @Test
    void shouldRefuseToStartWhileItStops() {
        try (Detector detector = Detector.endless(Tags.of(7))) {
            detector.application().withBean("working", Working.class).run(context -> {
                Working working = context.getBean(Working.class);
                NetioListenerContainer listener = context.getBean(NetioListenerRegistry.class).listener("working.blocking");
                working.begun.await();
                Mono<Void> stopped = listener.stop();
                assertThatThrownBy(listener::start).isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("still stopping");
                listener.abort();
                stopped.block(Duration.ofSeconds(10));
                listener.start();
                Detector.await(() -> listener.statistics().inFlight() == 2, listener::statistics);
                listener.abort();
            });
        }
    }

    @Test
    void shouldGoOnWhenItsPublisherIsKilledAndComesBack() {
        try (Detector detector = Detector.of(10)) {
            detector.application().withBean(Counting.class).run(context -> {
                Counting counting = context.getBean(Counting.class);
                NetioListenerContainer listener = context.getBean(NetioListenerRegistry.class).listener("counting");
                for (int round = 1; round <= 3; round++) {
                    int all = 10 * round;
                    Detector.await(() -> counting.got.size() == all, counting.got::size);
                    detector.kill();
                    Detector.pause(50);
                    assertThat(listener.state()).isEqualTo(NetioListenerState.RUNNING);
                    detector.start();
                }
                Detector.await(() -> counting.got.size() == 40, counting.got::size);
                assertThat(counting.got).isEqualTo(LongStream.range(0, 40).map(n -> n % 10).boxed().toList());
            });
        }
    }

    /** Nothing is there to connect to. The application starts, and stops. */
    @Test
    void shouldStartAndStopWithoutAPublisher() {
        int port;
        try (Detector detector = Detector.of(10)) {
            port = detector.port();
        }
        Detector.application("netio.clients.detector.port=" + port).withBean(Counting.class).run(context -> assertThat(
                context.getBean(NetioListenerRegistry.class).listener("counting").state()).isEqualTo(NetioListenerState.RUNNING));
    }

    @Test
    void shouldBeCompleteWhenItsSourceIs() {
        try (Detector detector = Detector.each(Tags.of(7), tag -> Flux.range(0, 10).map(Detector::number))) {
            detector.application().withBean(Counting.class).run(context -> {
                NetioListenerContainer listener = context.getBean(NetioListenerRegistry.class).listener("counting");
                Detector.await(() -> listener.state() == NetioListenerState.COMPLETED, listener::state);
                Detector.await(() -> listener.statistics().handled() == 10, listener::statistics);
                listener.stop().block();
                listener.start();
                Detector.await(() -> listener.statistics().handled() == 20, listener::statistics);
            });
        }
    }

    public static class ManyTags {
        final AtomicInteger got = new AtomicInteger();

        @NetioListener("${tags}")
        public void on(ByteBuffer message) {
            got.incrementAndGet();
        }
    }

    /** Each tag reconnects by itself, and all of them have one connection: they must not make one attempt each. */
    @Test
    void shouldReconnectThousandsOfTagsTogether() {
        String tags = String.join(",", LongStream.range(0, TAGS).mapToObj(Long::toString).toList());
        AtomicInteger attempts = new AtomicInteger();
        try (Detector detector = Detector.each(Tags.range(0, TAGS - 1), tag -> Flux.concat(Flux.just(Detector.number(tag)),
                Flux.never()))) {
            detector.application().withPropertyValues("tags=" + tags,
                    "netio.clients.detector.subscriber.reconnect.max-backoff=200ms").withBean(ManyTags.class)
                    .withBean("attempts", NetioClientCustomizer.class, () -> (name, client) ->
                            client.doOnConnect(made -> attempts.incrementAndGet())).run(context -> {
                                ManyTags many = context.getBean(ManyTags.class);
                                Detector.await(() -> many.got.get() == TAGS, () -> many.got);
                                assertThat(attempts).hasValue(1);
                                detector.kill();
                                Detector.pause(1_500);
                                Detector.await(() -> attempts.get() >= 4, attempts::get);
                                // an attempt may have failed before the last of the tags has come for it, and makes the next
                                assertThat(attempts.get()).as("all of them").isLessThan(TAGS / 10);
                                detector.start();
                                Detector.await(() -> many.got.get() == 2 * TAGS, () -> many.got);
                            });
        }
    }
}
