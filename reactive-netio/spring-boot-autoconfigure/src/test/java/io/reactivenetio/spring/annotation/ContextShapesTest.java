// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.annotation;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.NetioClient;
import io.reactivenetio.NetioLoops;
import io.reactivenetio.NetioServer;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.pubsub.NetioSubscriber;
import io.reactivenetio.transport.BackendType;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.context.LifecycleAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;
import reactor.core.publisher.Flux;

/** Contexts that are lazy, paused, started again, and that fail when the server listens already. */
@Timeout(120)
class ContextShapesTest {

    public static class Both {
        final List<Long> got = Collections.synchronizedList(new ArrayList<>());

        @NetioListener(tags = "7", id = "both")
        public void on(ByteBuffer message) {
            got.add(message.getLong());
        }

        @NetioPublish("8")
        public Flux<ByteBuffer> published() {
            return Flux.range(0, 3).map(Detector::number);
        }

        @NetioMapping("9")
        public ByteBuffer answer(ByteBuffer request) {
            return request;
        }
    }

    private static int port(ConfigurableApplicationContext context) {
        return context.getEnvironment().getRequiredProperty("local.netio.port", Integer.class);
    }

    private static NetioClient client(int port) {
        return NetioClient.create().backend(BackendType.TCP).port(port);
    }

    @Test
    void shouldWorkWhenAllBeansAreLazy() {
        try (Detector detector = Detector.of(10)) {
            detector.application().withInitializer(context -> context.addBeanFactoryPostProcessor(
                    new LazyInitializationBeanFactoryPostProcessor())).withBean(Both.class)
                    .withPropertyValues("netio.server.port=0").run(context -> {
                        int port = port(context.getSourceApplicationContext(ConfigurableApplicationContext.class));
                        assertThat(NetioSubscriber.create(client(port)).subscribe(8).map(message -> message.payload().getLong())
                                .collectList().block(Detector.PATIENCE)).containsExactly(0L, 1L, 2L);
                        NetioConnection connection = client(port).connectNow();
                        assertThat(connection.requester(9).request(Detector.number(5)).map(ByteBuffer::getLong)
                                .block(Detector.PATIENCE)).isEqualTo(5);
                        connection.disposeNow(Detector.PATIENCE);
                        Both both = context.getBean(Both.class);
                        Detector.await(() -> both.got.size() == 10, both.got::size);
                    });
        }
    }

    /** As the contexts of tests are, while another one is used. The server goes on, as connections would be lost. */
    @Test
    void shouldReceiveEachMessageOnceOverPausesAndRestarts() {
        try (Detector detector = Detector.of(10)) {
            detector.application().withBean(Both.class).withPropertyValues("netio.server.port=0").run(context -> {
                ConfigurableApplicationContext source = context.getSourceApplicationContext(ConfigurableApplicationContext.class);
                NetioListenerContainer listener = context.getBean(NetioListenerRegistry.class).listener("both");
                Both both = context.getBean(Both.class);
                int port = port(source);
                for (int round = 1; round <= 4; round++) {
                    int all = 10 * round;
                    Detector.await(() -> both.got.size() == all, both.got::size);
                    if (round % 2 == 0) {
                        source.stop();
                        assertThat(listener.state()).isEqualTo(NetioListenerState.STOPPED);
                        source.start();
                        port = port(source);
                    } else {
                        source.pause();
                        assertThat(listener.state()).isEqualTo(NetioListenerState.STOPPED);
                        assertThat(port(source)).isEqualTo(port);
                        client(port).connectNow().disposeNow(Detector.PATIENCE);
                        source.restart();
                    }
                    assertThat(listener.state()).isEqualTo(NetioListenerState.RUNNING);
                }
                Detector.await(() -> both.got.size() == 50, both.got::size);
                assertThat(both.got).isEqualTo(LongStream.range(0, 50).map(n -> n % 10).boxed().toList());
            });
        }
    }

    /** Starts after the server listens, and cannot. */
    public static class Late implements SmartLifecycle {
        @Override
        public void start() {
            throw new IllegalStateException("the late bean fails");
        }

        @Override
        public void stop() {
        }

        @Override
        public boolean isRunning() {
            return false;
        }
    }

    @Test
    void shouldFreeThePortWhenTheStartFailsBehindIt() {
        try (Detector detector = Detector.of(10)) {
            for (int attempt = 0; attempt < 3; attempt++) {
                int free = free();
                detector.application().withBean(Both.class).withBean(Late.class).withPropertyValues("netio.server.port=" + free)
                        .run(context -> {
                            assertThat(context).hasFailed().getFailure().rootCause().hasMessage("the late bean fails");
                            NetioServer.create().backend(BackendType.TCP).port(free).bindNow().disposeNow(Detector.PATIENCE);
                        });
            }
        }
    }

    /** The detector of docs/spring.md: it publishes, and would answer requests that nobody makes. */
    public static class Clock {
        @NetioPublish("7")
        public Flux<ByteBuffer> hits() {
            return Flux.interval(Duration.ofMillis(50)).map(Detector::number);
        }

        @NetioMapping("8")
        public ByteBuffer setting(ByteBuffer name) {
            return name;
        }
    }

    @Test
    void shouldStopAtOnceWithPeersThatOnlySubscribe() {
        NetioLoops loops = NetioLoops.create("subscribers", 1);
        CompletableFuture<Throwable> end = new CompletableFuture<>();
        AtomicLong begun = new AtomicLong();
        Detector.application("netio.server.port=0", "netio.publisher.policy=drop-oldest")
                .withConfiguration(AutoConfigurations.of(LifecycleAutoConfiguration.class)).withBean(Clock.class).run(context -> {
                    CountDownLatch three = new CountDownLatch(3);
                    int port = port(context.getSourceApplicationContext(ConfigurableApplicationContext.class));
                    NetioSubscriber.create(client(port).runOn(loops)).subscribe(7).subscribe(message -> three.countDown(),
                            end::complete);
                    assertThat(three.await(Detector.PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
                    begun.set(System.nanoTime());
                    context.getSourceApplicationContext().close();
                    assertThat(Duration.ofNanos(System.nanoTime() - begun.get())).isLessThan(Duration.ofSeconds(20));
                });
        assertThat(end).succeedsWithin(Detector.PATIENCE).asInstanceOf(InstanceOfAssertFactories.THROWABLE)
                .hasMessageContaining("shut");
        loops.dispose();
    }

    private static int free() {
        try (ServerSocket socket = new ServerSocket()) {
            socket.bind(new InetSocketAddress("127.0.0.1", 0));
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
