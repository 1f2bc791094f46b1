// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.annotation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivenetio.NetioClient;
import io.reactivenetio.NetioServer;
import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.api.NetioRequester;
import io.reactivenetio.testing.TestSettings;
import io.reactivenetio.transport.BackendType;
import io.reactivenetio.transport.exceptions.NetioStreamException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Methods that answer requests, over real connections. */
@Timeout(120)
class NetioMappingTest {
    private static final Duration PATIENCE = TestSettings.PATIENCE;

    record Key(String name) {
    }

    record Setting(String name, int value) {
    }

    public static class Answers {
        final List<String> threads = new CopyOnWriteArrayList<>();

        private <T> T here(T answer) {
            threads.add(Thread.currentThread().isVirtual() ? "virtual" : Thread.currentThread().getName().replaceAll("\\d", ""));
            return answer;
        }

        @NetioMapping("1")
        public ByteBuffer buffer(ByteBuffer request) {
            return here(ByteBuffer.allocate(Long.BYTES).putLong(0, 2 * request.getLong()));
        }

        @NetioMapping("2")
        public String text(String request) {
            return here("answer to " + request);
        }

        @NetioMapping("3")
        public Mono<Setting> setting(Key request) {
            return here(Mono.just(new Setting(request.name(), 42)));
        }

        @NetioMapping("4")
        public void nothing(String request) {
            here("");
        }

        @NetioMapping("5")
        public Mono<Void> emptyMono() {
            return here(Mono.empty());
        }

        @NetioMapping("${six}")
        public CompletableFuture<String> future(String request) {
            return here(CompletableFuture.supplyAsync(() -> "later " + request));
        }

        @NetioMapping("7")
        public String none() {
            return null;
        }

        @NetioMapping(value = "8", blocking = BlockingMode.NON_BLOCKING)
        public String onTheLoop(String request) {
            return here(request);
        }

        @NetioMapping(value = "9", blocking = BlockingMode.VIRTUAL_THREADS)
        public Mono<String> monoThatBlocks(String request) throws InterruptedException {
            Detector.pause(1);
            return here(Mono.just(request));
        }

        @NetioMapping("10")
        public List<Setting> all(List<Key> keys) {
            return keys.stream().map(key -> new Setting(key.name(), key.name().length())).toList();
        }
    }

    private static ApplicationContextRunner server(Class<?>... beans) {
        ApplicationContextRunner runner = Detector.application("netio.server.port=0", "six=0x6");
        for (Class<?> bean : beans) {
            runner = runner.withBean(bean.getSimpleName(), Object.class, () -> instance(bean));
        }
        return runner;
    }

    private static Object instance(Class<?> type) {
        try {
            return type.getDeclaredConstructor().newInstance();
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    private static NetioConnection connected(ApplicationContext server) {
        return NetioClient.create().backend(BackendType.TCP)
                .port(server.getEnvironment().getRequiredProperty("local.netio.port", Integer.class)).connectNow();
    }

    private static String ask(NetioConnection connection, long tag, String question) {
        return connection.requester(tag).request(StandardCharsets.UTF_8.encode(question))
                .map(answer -> StandardCharsets.UTF_8.decode(answer).toString()).defaultIfEmpty("empty").block(PATIENCE);
    }

    @Test
    void shouldAnswerWithWhatAMethodReturns() {
        server(Answers.class).run(context -> {
            Answers answers = context.getBean(Answers.class);
            NetioConnection connection = connected(context);
            assertThat(connection.requester(1).request(Detector.number(21)).block(PATIENCE).getLong()).isEqualTo(42);
            assertThat(ask(connection, 2, "you")).isEqualTo("answer to you");
            assertThat(ask(connection, 3, "{\"name\":\"threshold\"}")).isEqualTo("{\"name\":\"threshold\",\"value\":42}");
            assertThat(ask(connection, 4, "?")).isEqualTo("empty");
            assertThat(ask(connection, 5, "?")).isEqualTo("empty");
            assertThat(ask(connection, 6, "than never")).isEqualTo("later than never");
            assertThat(ask(connection, 7, "?")).isEqualTo("empty");
            assertThat(ask(connection, 8, "8")).isEqualTo("8");
            assertThat(ask(connection, 9, "9")).isEqualTo("9");
            assertThat(ask(connection, 10, "[{\"name\":\"four\"}]")).isEqualTo("[{\"name\":\"four\",\"value\":4}]");
            assertThat(answers.threads).containsExactly("virtual", "virtual", "netio-", "virtual", "netio-", "netio-", "netio-",
                    "virtual");
            connection.dispose();
        });
    }

    public static class Failing {
        @NetioMapping("1")
        public String throwing(String request) throws Exception {
            throw new java.io.IOException("no " + request);
        }

        @NetioMapping("2")
        public Mono<String> failing(String request) {
            return Mono.error(new IllegalArgumentException("not " + request));
        }

        @NetioMapping("3")
        public String decoding(Key key) {
            return key.name();
        }
    }

    @Test
    void shouldTellTheRequesterWhatHasFailed() {
        server(Failing.class).run(context -> {
            NetioConnection connection = connected(context);
            assertThatThrownBy(() -> ask(connection, 1, "way")).isInstanceOf(NetioStreamException.class)
                    .hasMessageContaining("java.io.IOException: no way");
            assertThatThrownBy(() -> ask(connection, 2, "here")).hasMessageContaining("IllegalArgumentException: not here");
            assertThatThrownBy(() -> ask(connection, 3, "no json")).isInstanceOf(NetioStreamException.class);
            assertThatThrownBy(() -> ask(connection, 5, "?")).as("nobody").isInstanceOf(NetioStreamException.class);
            connection.dispose();
        });
    }

    public static class Slow {
        final Semaphore go = new Semaphore(0);
        final AtomicInteger now = new AtomicInteger();
        final AtomicInteger most = new AtomicInteger();
        final AtomicBoolean interrupted = new AtomicBoolean();

        @NetioMapping(value = "1", concurrency = "3")
        public String blocking(String request) throws InterruptedException {
            most.accumulateAndGet(now.incrementAndGet(), Math::max);
            try {
                go.acquire();
            } catch (InterruptedException e) {
                interrupted.set(true);
                throw e;
            }
            now.decrementAndGet();
            return request;
        }
    }

    @Test
    void shouldWorkOnAsManyRequestsAsItsConcurrencySays() {
        server(Slow.class).run(context -> {
            Slow slow = context.getBean(Slow.class);
            NetioConnection connection = connected(context);
            NetioRequester requester = connection.requester(1);
            CompletableFuture<Long> answered = Flux.range(0, 100).flatMap(n -> requester.request(Detector.number(n)), 100).count()
                    .toFuture();
            Detector.await(() -> slow.now.get() == 3, () -> slow.now);
            assertThat(context.getBean(NetioMappings.class).inFlight()).isEqualTo(3);
            Detector.pause(50);
            slow.go.release(100);
            assertThat(answered.join()).isEqualTo(100);
            assertThat(slow.most).hasValue(3);
            Detector.await(() -> context.getBean(NetioMappings.class).inFlight() == 0, () -> "none in flight");
            connection.dispose();
        });
    }

    @Test
    void shouldInterruptAMethodWhoseRequesterGivesUp() {
        server(Slow.class).run(context -> {
            Slow slow = context.getBean(Slow.class);
            NetioConnection connection = connected(context);
            Disposable asking = connection.requester(1).request(Detector.number(1)).subscribe();
            Detector.await(() -> slow.now.get() == 1, () -> "the method is called");
            asking.dispose();
            Detector.await(slow.interrupted::get, () -> "interrupted");
            connection.dispose();
        });
    }

    @Test
    void shouldAnswerWhatWasAskedBeforeTheApplicationStops() throws InterruptedException {
        CountDownLatch closed = new CountDownLatch(1);
        server(Slow.class).run(context -> {
            Slow slow = context.getBean(Slow.class);
            NetioConnection connection = connected(context);
            CompletableFuture<ByteBuffer> answer = connection.requester(1).request(Detector.number(1)).toFuture();
            Detector.await(() -> slow.now.get() == 1, () -> slow.now);
            Thread.ofPlatform().start(() -> {
                context.getSourceApplicationContext().close();
                closed.countDown();
            });
            Detector.await(() -> !context.getBean(NetioMappings.class).isRunning(), () -> "stopping");
            assertThatThrownBy(() -> ask(connection, 1, "too late")).hasMessageContaining("the application stops");
            assertThat(answer).isNotDone();
            slow.go.release(1);
            assertThat(answer.join().getLong()).isEqualTo(1);
            connection.dispose();
        });
        assertThat(closed.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
    }

    public static class Asking {
        @NetioMapping(client = "control", value = "1")
        public String name(String question) {
            return question + "? I am a client";
        }
    }

    @Test
    void shouldAnswerOnTheConnectionOfAClientAndKeepThatOpen() {
        List<NetioConnection> accepted = new CopyOnWriteArrayList<>();
        NetioServer control = NetioServer.create().backend(BackendType.TCP).doOnConnection(accepted::add);
        DisposableServer server = control.bindNow();
        Detector.application("netio.clients.control.port=" + server.port()).withBean(Asking.class).run(context -> {
            for (int round = 1; round <= 2; round++) {
                int open = round;
                Detector.await(() -> accepted.size() == open, accepted::size);
                assertThat(ask(accepted.getLast(), 1, "Who")).isEqualTo("Who? I am a client");
                accepted.getLast().dispose();
            }
        });
        server.dispose();
        accepted.forEach(NetioConnection::dispose);
    }

    @Test
    void shouldAskWithValues() {
        server(Answers.class).run(server -> Detector.application("netio.clients.settings.port="
                + server.getEnvironment().getProperty("local.netio.port")).run(context -> {
                    NetioRequesters requesters = context.getBean(NetioRequesters.class);
                    NetioTypedRequester<Key, Setting> settings = requesters.requester("settings", 3, Key.class, Setting.class);
                    assertThat(settings.tag()).isEqualTo(3);
                    assertThat(settings.request(new Key("gain")).block(PATIENCE)).isEqualTo(new Setting("gain", 42));
                    assertThat(requesters.requester("", 4, String.class, String.class).request("?").blockOptional(PATIENCE))
                            .isEmpty();
                    assertThatThrownBy(() -> requesters.requester("x", 4, String.class, String.class))
                            .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("settings");
                }));
    }
}
