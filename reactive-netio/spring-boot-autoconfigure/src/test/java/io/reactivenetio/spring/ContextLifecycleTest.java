// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivenetio.NetioClient;
import io.reactivenetio.NetioLoops;
import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.api.SlowPolicy;
import io.reactivenetio.api.TaggedMessage;
import io.reactivenetio.pubsub.NetioPublisher;
import io.reactivenetio.pubsub.NetioSubscriber;
import io.reactivenetio.spring.server.NetioServerLifecycle;
import io.reactivenetio.testing.Eventually;
import io.reactivenetio.testing.TestSettings;
import io.reactivenetio.transport.BackendType;
import io.reactivenetio.transport.exceptions.NetioAbortedException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

@Timeout(300)
class ContextLifecycleTest {
    private static final Duration LIMIT = TestSettings.PATIENCE;

    private static ByteBuffer text(String text) {
        return StandardCharsets.UTF_8.encode(text);
    }

    private static String text(TaggedMessage message) {
        return StandardCharsets.UTF_8.decode(message.payload()).toString();
    }

    private static int port(AssertableApplicationContext context) {
        return context.getEnvironment().getRequiredProperty("local.netio.port", Integer.class);
    }

    private static NetioClient client(int port) {
        return NetioClient.create().backend(BackendType.TCP).port(port);
    }

    /** A connection that the server has accepted: one that is still shaking hands is closed when the server stops. */
    private static NetioConnection accepted(AssertableApplicationContext context) throws InterruptedException {
        NetioConnection made = client(port(context)).connectNow(LIMIT);
        DisposableServer server = context.getBean(NetioServerLifecycle.class).server();
        Eventually.await("accepted", () -> server.connections() > 0);
        return made;
    }

    @Test
    void shouldBringWhatABeanPublishesToABeanThatSubscribes() {
        Contexts.tcp().withPropertyValues("netio.server.port=0")
                .withBean(NetioPublisherCustomizer.class, () -> publisher -> publisher.publish(7,
                        Flux.range(0, 100_000).map(n -> text("event " + n))))
                .run(server -> Contexts.tcp().withPropertyValues("netio.clients.detector.port=" + port(server)).run(client -> {
                    List<String> events = client.getBean(NetioClients.class).subscriber("detector").subscribe(7)
                            .map(ContextLifecycleTest::text).take(3).collectList().block(LIMIT);
                    assertThat(events).containsExactly("event 0", "event 1", "event 2");
                }));
    }

    @Test
    void shouldServeWhatIsPublishedByABeanThatInjectsThePublisher() {
        Contexts.tcp().withPropertyValues("netio.server.port=0").withUserConfiguration(PublishingBean.class).run(server ->
                assertThat(NetioSubscriber.create(client(port(server))).subscribe(9).map(ContextLifecycleTest::text)
                        .blockFirst(LIMIT)).isEqualTo("from a bean"));
    }

    static final class PublishingBean {
        PublishingBean(NetioPublisher publisher) {
            publisher.publish(9, Flux.just(text("from a bean")));
        }
    }

    @Test
    void shouldListenAfterConsumersHaveStartedAndEndConnectionsAfterTheyHaveStopped() {
        List<String> events = new CopyOnWriteArrayList<>();
        AtomicReference<NetioConnection> peer = new AtomicReference<>();
        AtomicReference<NetioLoops> loops = new AtomicReference<>();
        Contexts.tcp().withPropertyValues("netio.server.port=0", "spring.lifecycle.timeout-per-shutdown-phase=2s")
                .withBean(NetioServerHandler.class, () -> (in, out) -> in.connection().onDispose())
                .withBean(Consumer.class, events, peer)
                .run(context -> {
                    NetioServerLifecycle lifecycle = context.getBean(NetioServerLifecycle.class);
                    loops.set(context.getBean(NetioLoops.class));
                    assertThat(events).containsExactly("start: not listening");
                    peer.set(accepted(context));
                    context.getBean(Consumer.class).lifecycle = lifecycle;
                    DisposableServer server = lifecycle.server();
                    context.getSourceApplicationContext().close();
                    assertThat(server.connections()).isZero();
                });
        assertThat(events).containsExactly("start: not listening", "stop: not listening, peer connected");
        peer.get().onDispose().block(LIMIT);
        assertThat(loops.get().isDisposed()).isTrue();
    }

    /** Says what it sees of the server when it starts and stops. */
    static final class Consumer implements SmartLifecycle {
        private final List<String> events;
        private final AtomicReference<NetioConnection> peer;
        private NetioServerLifecycle lifecycle;
        private boolean running;

        Consumer(List<String> events, AtomicReference<NetioConnection> peer) {
            this.events = events;
            this.peer = peer;
        }

        @Override
        public void start() {
            running = true;
            events.add("start: " + (lifecycle == null ? "not listening" : "listening"));
        }

        @Override
        public void stop() {
            running = false;
            lifecycle.server().onDispose().block(LIMIT);
            events.add("stop: " + (lifecycle.server().isDisposed() ? "not listening" : "listening")
                    + (peer.get().isDisposed() ? "" : ", peer connected"));
        }

        @Override
        public boolean isRunning() {
            return running;
        }

        @Override
        public int getPhase() {
            return NetioPhases.CONSUME;
        }
    }

    @Test
    void shouldAnswerARequestThatIsUnderWayWhenTheApplicationStops() {
        CompletableFuture<String> answer = new CompletableFuture<>();
        CountDownLatch there = new CountDownLatch(1);
        Contexts.tcp().withPropertyValues("netio.server.port=0", "spring.lifecycle.timeout-per-shutdown-phase=10s")
                .withBean(NetioServerCustomizer.class, () -> server -> server.doOnConnection(connection -> connection
                        .respond(5, request -> Mono.just(text("done")).doOnSubscribe(asked -> there.countDown())
                                .delayElement(Duration.ofMillis(800))).subscribe()))
                .run(context -> {
                    NetioConnection connection = client(port(context)).connectNow();
                    Mono<ByteBuffer> asked = connection.requester(5).request(text("work"));
                    asked.map(buffer -> StandardCharsets.UTF_8.decode(buffer).toString()).subscribe(answer::complete,
                            answer::completeExceptionally);
                    answer.whenComplete((done, failed) -> connection.dispose()); // so that nobody waits for its end
                    assertThat(there.await(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
                });
        assertThat(answer).succeedsWithin(LIMIT).isEqualTo("done");
    }

    @Test
    void shouldTellSubscribersOfTheShutdownAtOnce() {
        CompletableFuture<Throwable> end = new CompletableFuture<>();
        AtomicReference<Long> begun = new AtomicReference<>();
        Contexts.tcp().withPropertyValues("netio.server.port=0", "netio.publisher.policy=drop-oldest")
                .withBean(NetioPublisherCustomizer.class, () -> publisher -> publisher.publish(7,
                        Flux.interval(Duration.ofMillis(5)).map(n -> text("event " + n))))
                .run(context -> {
                    CompletableFuture<String> first = new CompletableFuture<>();
                    NetioSubscriber.create(client(port(context))).subscribe(7)
                            .subscribe(message -> first.complete(text(message)), end::complete);
                    assertThat(first).succeedsWithin(LIMIT);
                    begun.set(System.nanoTime());
                });
        assertThat(Duration.ofNanos(System.nanoTime() - begun.get())).isLessThan(Duration.ofSeconds(20));
        assertThat(end).succeedsWithin(LIMIT).isInstanceOf(NetioAbortedException.class);
        assertThat(end.join()).hasMessageContaining("the peer shuts down");
    }

    @Test
    void shouldStopInTimeThoughAPeerStays() {
        AtomicReference<Long> begun = new AtomicReference<>();
        Contexts.tcp().withPropertyValues("netio.server.port=0", "spring.lifecycle.timeout-per-shutdown-phase=1s")
                .withBean(NetioServerHandler.class, () -> (in, out) -> Mono.never())
                .run(context -> {
                    accepted(context);
                    begun.set(System.nanoTime());
                });
        assertThat(System.nanoTime() - begun.get()).isBetween(TimeUnit.MILLISECONDS.toNanos(700), TimeUnit.SECONDS.toNanos(20));
    }

    @Test
    void shouldWaitNoLongerThanTheServerIsToldTo() {
        AtomicReference<Long> begun = new AtomicReference<>();
        Contexts.tcp().withPropertyValues("netio.server.port=0", "netio.server.shutdown-timeout=300ms")
                .withBean(NetioServerHandler.class, () -> (in, out) -> Mono.never())
                .run(context -> {
                    accepted(context);
                    begun.set(System.nanoTime());
                });
        assertThat(System.nanoTime() - begun.get()).isBetween(TimeUnit.MILLISECONDS.toNanos(250), TimeUnit.SECONDS.toNanos(20));
    }

    @Test
    void shouldNotWaitForItselfWhenTheContextIsClosedOnALoop() {
        CompletableFuture<Boolean> closed = new CompletableFuture<>();
        Contexts.tcp().withPropertyValues("netio.server.port=0").withBean(NetioServerHandler.class,
                () -> (in, out) -> Mono.never()).run(context -> {
                    NetioConnection peer = accepted(context);
                    context.getBean(NetioLoops.class).scheduler().schedule(() -> {
                        context.getSourceApplicationContext().close();
                        closed.complete(true);
                    });
                    assertThat(closed).succeedsWithin(LIMIT);
                    peer.onDispose().block(LIMIT);
                });
    }

    @Test
    void shouldEndSubscriptionsThatNobodyHasDisposedOf() {
        CompletableFuture<String> ended = new CompletableFuture<>();
        CompletableFuture<String> first = new CompletableFuture<>();
        CompletableFuture<String> neverConnected = new CompletableFuture<>();
        Contexts.tcp().withPropertyValues("netio.server.port=0", "netio.publisher.policy=drop-oldest")
                .withBean(NetioPublisherCustomizer.class, () -> publisher -> publisher.publish(7,
                        Flux.interval(Duration.ofMillis(5)).map(n -> text("event " + n))))
                .run(server -> {
                    Contexts.tcp().withPropertyValues("netio.clients.a.port=" + port(server), "netio.clients.b.port=1",
                            "netio.clients.b.subscriber.reconnect.min-backoff=1s").run(context -> {
                                NetioClients clients = context.getBean(NetioClients.class);
                                clients.subscriber("a").subscribe(7).subscribe(message -> first.complete(text(message)),
                                        error -> ended.complete(error.toString()), () -> ended.complete("complete"));
                                clients.subscriber("b").subscribe(7).subscribe(message -> { },
                                        error -> neverConnected.complete(error.toString()));
                                assertThat(first).succeedsWithin(LIMIT);
                            });
                    assertThat(ended).succeedsWithin(LIMIT).asString().contains("NetioAbortedException");
                    assertThat(neverConnected).succeedsWithin(LIMIT).asString() // between two attempts, or within one
                            .containsAnyOf("disposed of", "closed before it was established", "nobody listens on 127.0.0.1:1",
                                    "event loop has terminated");
                });
    }

    @Test
    void shouldListenAgainWhenAStoppedContextIsStarted() {
        Contexts.tcp().withPropertyValues("netio.server.port=0").withBean(NetioServerHandler.class,
                () -> (in, out) -> out.send(Mono.just(text("hello")))).run(context -> {
                    ConfigurableApplicationContext own = context.getSourceApplicationContext();
                    NetioServerLifecycle lifecycle = own.getBean(NetioServerLifecycle.class);
                    for (int i = 0; i < 3; i++) {
                        own.stop();
                        assertThat(lifecycle.isRunning()).isFalse();
                        assertThatThrownBy(lifecycle::server).isInstanceOf(IllegalStateException.class);
                        own.start();
                        assertThat(lifecycle.isRunning()).isTrue();
                        assertThat(client(port(context)).connect().flatMapMany(NetioConnection::receive)
                                .map(buffer -> StandardCharsets.UTF_8.decode(buffer).toString()).blockFirst(LIMIT))
                                .isEqualTo("hello");
                    }
                });
    }

    @Test
    void shouldUsePropertiesOfThePublisher() {
        Contexts.tcp().withPropertyValues("netio.publisher.policy=drop-newest", "netio.publisher.queue=5",
                "netio.publisher.stall-timeout=3s").run(context -> {
                    NetioPublisher publisher = context.getBean(NetioPublisher.class);
                    assertThat(publisher).extracting("policy", "queue", "stallNanos")
                            .containsExactly(SlowPolicy.DROP_NEWEST, 8, 3_000_000_000L);
                });
        Contexts.tcp().withPropertyValues("netio.publisher.queue=0").withUserConfiguration(PublishingBean.class)
                .run(context -> assertThat(Contexts.failure(context)).contains("netio.publisher.queue", "1 to 1048576"));
        Contexts.tcp().withPropertyValues("netio.publisher.stall-timeout=0s").withUserConfiguration(PublishingBean.class)
                .run(context -> assertThat(Contexts.failure(context))
                        .contains("netio.publisher.stall-timeout", "longer than nothing"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"tcp", "libfabric"})
    void shouldSayThatAPortIsTaken(String backend) throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Contexts.any().withPropertyValues("netio.backend=" + backend, "netio.server.port=" + taken.getLocalPort())
                    .run(context -> assertThat(Contexts.failure(context)).contains(
                            "Cannot listen on 127.0.0.1:" + taken.getLocalPort(), "set netio.server.port to another one"));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"netio.server.port=0", "netio.clients.a.port=7000"})
    void shouldSayWhichProvidersThereAre(String which) {
        Contexts.any().withPropertyValues(which, "netio.provider=psm9").run(context ->
                assertThat(Contexts.failure(context)).contains("rovider 'psm9'", "offers", "tcp", "Set netio.provider"));
    }
}
