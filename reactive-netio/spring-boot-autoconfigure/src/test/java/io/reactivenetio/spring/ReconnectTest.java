// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.spring.server.NetioServerLifecycle;
import io.reactivenetio.testing.Eventually;
import io.reactivenetio.testing.TestSettings;
import io.reactivenetio.transport.exceptions.NetioConnectException;
import io.reactivenetio.transport.exceptions.NetioException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.health.contributor.CompositeHealthContributor;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.context.ApplicationContext;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

@Timeout(300)
class ReconnectTest {
    private static final Duration LIMIT = TestSettings.PATIENCE;

    /** A port on which nobody listens. */
    private static int freePort() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Health health(ApplicationContext context, String client) {
        CompositeHealthContributor all = context.getBean(CompositeHealthContributor.class);
        CompositeHealthContributor clients = (CompositeHealthContributor) all.getContributor("clients");
        return ((HealthIndicator) clients.getContributor(client)).health();
    }

    @Test
    void shouldGoOnWhenADetectorThatWasKilledIsBack() throws IOException {
        int port = freePort();
        Contexts.tcp().withPropertyValues("netio.clients.detector.port=" + port,
                "netio.clients.detector.subscriber.reconnect.max-backoff=500ms").run(context -> {
                    assertThat(health(context, "detector").getStatus()).isEqualTo(Status.UNKNOWN);
                    assertThat(health(context, "detector").getDetails()).containsEntry("reason", "nobody uses it");
                    AtomicLong received = new AtomicLong();
                    CompletableFuture<String> end = new CompletableFuture<>();
                    Disposable reading = context.getBean(NetioClients.class).subscriber("detector").subscribe(7).subscribe(
                            message -> received.incrementAndGet(), error -> end.complete(error.toString()),
                            () -> end.complete("complete"));
                    Eventually.await("no detector yet", () -> health(context, "detector").getStatus().equals(Status.DOWN));
                    for (int life = 0; life < 3; life++) {
                        long before = received.get();
                        try (DetectorProcess detector = DetectorProcess.start(port)) {
                            assertThat(detector.port()).isEqualTo(port);
                            Eventually.await("data of life " + life, () -> received.get() > before + 5);
                            assertThat(health(context, "detector").getStatus()).isEqualTo(Status.UP);
                        }
                        Eventually.await("noticed", () -> health(context, "detector").getStatus().equals(Status.DOWN));
                        Map<?, ?> details = (Map<?, ?>) health(context, "detector").getDetails().get("subscriptions");
                        assertThat(details.get("reason").toString()).contains("127.0.0.1:" + port);
                        Object since = details.get("since");
                        // attempts to connect fail meanwhile
                        assertThat(Eventually.within(Duration.ofMillis(700), () -> !since.equals(((Map<?, ?>) health(context,
                                "detector").getDetails().get("subscriptions")).get("since")))).isFalse();
                        details = (Map<?, ?>) health(context, "detector").getDetails().get("subscriptions");
                        assertThat(details.get("state")).hasToString("DOWN");
                    }
                    assertThat(end).isNotDone();
                    reading.dispose();
                });
    }

    @Test
    void shouldNotConnectAgainIfThatIsSwitchedOff() {
        Contexts.tcp().withPropertyValues("netio.clients.detector.port=" + freePort(),
                "netio.clients.detector.subscriber.reconnect.enabled=false").run(context ->
                        assertThatThrownBy(() -> context.getBean(NetioClients.class).subscriber("").subscribe(7).blockLast(LIMIT))
                                .isInstanceOf(NetioConnectException.class));
    }

    @Test
    void shouldBeUnusedWhenTheLastSubscriptionIsCancelled() throws IOException {
        try (DetectorProcess detector = DetectorProcess.start(0)) {
            Contexts.tcp().withPropertyValues("netio.clients.detector.port=" + detector.port()).run(context -> {
                NetioClients clients = context.getBean(NetioClients.class);
                for (int i = 0; i < 3; i++) {
                    clients.subscriber("detector").subscribe(7).take(2).blockLast(LIMIT);
                    Eventually.await("unused", () -> health(context, "detector").getStatus().equals(Status.UNKNOWN));
                }
                NetioConnection connection = clients.client("detector").connectNow();
                Eventually.await("up", () -> health(context, "detector").getStatus().equals(Status.UP));
                connection.disposeNow(LIMIT);
                Eventually.await("unused", () -> health(context, "detector").getStatus().equals(Status.UNKNOWN));
            });
        }
    }

    @Test
    void shouldShareAConnectionForRequestsAndMakeItAnew() {
        Contexts.tcp().withPropertyValues("netio.server.port=0").withBean(NetioServerCustomizer.class, ReconnectTest::echoing)
                .run(server -> Contexts.tcp().withPropertyValues("netio.clients.db.port="
                        + server.getEnvironment().getProperty("local.netio.port")).run(context -> {
                            Mono<NetioConnection> shared = context.getBean(NetioClients.class).connection("db");
                            NetioConnection first = shared.block(LIMIT);
                            assertThat(shared.block(LIMIT)).isSameAs(first);
                            assertThat(ask(shared)).isEqualTo("question");
                            assertThat(health(context, "db").getStatus()).isEqualTo(Status.UP);
                            first.disposeNow(LIMIT);
                            NetioConnection second = shared.block(LIMIT);
                            assertThat(second).isNotSameAs(first);
                            assertThat(ask(shared)).isEqualTo("question");
                            server.getBean(NetioServerLifecycle.class).server().disposeNow(Duration.ofMillis(10));
                            second.onDispose().block(LIMIT);
                            assertThatThrownBy(() -> ask(shared)).isInstanceOf(NetioException.class);
                            assertThatThrownBy(() -> ask(shared)).isInstanceOf(NetioConnectException.class);
                            Eventually.await("down", () -> health(context, "db").getStatus().equals(Status.DOWN));
                            context.close();
                            assertThatThrownBy(() -> shared.block(LIMIT)).isInstanceOf(IllegalStateException.class)
                                    .hasMessageContaining("stops");
                        }));
    }

    private static NetioServerCustomizer echoing() {
        return server -> server.doOnConnection(connection -> connection.respond(1, Mono::just).subscribe());
    }

    private static String ask(Mono<NetioConnection> connection) {
        Mono<ByteBuffer> answer = connection.flatMap(c -> c.requester(1).request(StandardCharsets.UTF_8.encode("question")));
        return StandardCharsets.UTF_8.decode(answer.block(LIMIT)).toString();
    }

    @Test
    void shouldMakeOneConnectionForManyWhoAskAtOnce() {
        AtomicLong made = new AtomicLong();
        NetioServerCustomizer counting = server -> server.doOnConnection(connection -> made.incrementAndGet());
        Contexts.tcp().withPropertyValues("netio.server.port=0").withBean(NetioServerCustomizer.class, () -> counting)
                .run(server -> Contexts.tcp().withPropertyValues("netio.clients.db.port="
                        + server.getEnvironment().getProperty("local.netio.port")).run(context -> {
                            Mono<NetioConnection> shared = context.getBean(NetioClients.class).connection("");
                            assertThat(Flux.range(0, 4_000).flatMap(i -> shared, 4_000).distinct().count().block(LIMIT))
                                    .isEqualTo(1);
                            Eventually.await("accepted, which the server may notice later", () -> made.get() > 0);
                            assertThat(made).hasValue(1);
                        }));
    }
}
