// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.MeterRegistry;
import io.reactivenetio.NetioClient;
import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.spring.server.NetioServerLifecycle;
import io.reactivenetio.testing.Eventually;
import io.reactivenetio.testing.TestSettings;
import io.reactivenetio.transport.BackendType;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.actuate.info.Info;
import org.springframework.boot.actuate.info.InfoContributor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.CompositeHealthContributor;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthContributor;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.export.simple.SimpleMetricsExportAutoConfiguration;
import org.springframework.context.ApplicationContext;
import reactor.core.publisher.Mono;

@Timeout(300)
class ManagementTest {
    private static final Duration LIMIT = TestSettings.PATIENCE;

    private static Health server(ApplicationContext context) {
        return ((HealthIndicator) context.getBean(CompositeHealthContributor.class).getContributor("server")).health();
    }

    @Test
    void shouldSayThatTheServerListensAndStops() throws Exception {
        CountDownLatch stopping = new CountDownLatch(1);
        CompletableFuture<Health> stopped = new CompletableFuture<>();
        Contexts.tcp().withPropertyValues("netio.server.port=0", "spring.lifecycle.timeout-per-shutdown-phase=10s")
                .withBean(NetioServerHandler.class, () -> (in, out) -> Mono.never()).run(context -> {
                    Health health = server(context);
                    assertThat(health.getStatus()).isEqualTo(Status.UP);
                    DisposableServer server = context.getBean(NetioServerLifecycle.class).server();
                    assertThat(health.getDetails()).containsEntry("address", server.address().toString())
                            .containsEntry("connections", 0);
                    assertThat((Instant) health.getDetails().get("since")).isBeforeOrEqualTo(Instant.now());
                    NetioConnection peer = NetioClient.create().backend(BackendType.TCP).port(server.port()).connectNow(LIMIT);
                    Eventually.await("accepted: otherwise it is closed at once", () -> server.connections() > 0);
                    Thread.ofPlatform().start(() -> {
                        server.onDispose().block();
                        stopped.complete(server(context));
                        peer.dispose();
                        stopping.countDown();
                    });
                });
        assertThat(stopping.await(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(stopped.join().getStatus()).isEqualTo(Status.OUT_OF_SERVICE);
        assertThat(stopped.join().getDetails()).containsEntry("reason", "it is being stopped").containsEntry("connections", 1);
    }

    @Test
    void shouldSayThatTheServerIsLostOrHasNotStarted() {
        Contexts.tcp().withPropertyValues("netio.server.port=0").run(context -> {
            DisposableServer server = context.getBean(NetioServerLifecycle.class).server();
            server.dispose();
            server.onDispose().block(LIMIT);
            Eventually.within(LIMIT, () -> !server(context).getStatus().equals(Status.UP));
            assertThat(server(context).getStatus()).isEqualTo(Status.DOWN);
            assertThat(server(context).getDetails().get("reason").toString()).contains("nothing here has stopped it");
            context.getSourceApplicationContext().stop();
            assertThat(server(context).getStatus()).isEqualTo(Status.OUT_OF_SERVICE);
            context.getSourceApplicationContext().start();
            assertThat(server(context).getStatus()).isEqualTo(Status.UP);
        });
    }

    @Test
    void shouldHaveHealthWhereNothingIsConfigured() {
        Contexts.any().run(context -> assertThat(context.getBean(CompositeHealthContributor.class)).isEmpty());
        Contexts.tcp().withPropertyValues("netio.clients.a.port=7000", "netio.clients.b.port=7001").run(context -> {
            CompositeHealthContributor all = context.getBean(CompositeHealthContributor.class);
            assertThat(all.stream().map(entry -> entry.name())).containsExactly("clients");
            assertThat(((CompositeHealthContributor) all.getContributor("clients")).stream().map(entry -> entry.name()))
                    .containsExactlyInAnyOrder("a", "b");
        });
        HealthContributor own = (HealthIndicator) () -> Health.up().build();
        Contexts.tcp().withPropertyValues("netio.server.port=0").withBean("netioHealthContributor", HealthContributor.class,
                () -> own).run(context -> assertThat(context).getBean(HealthContributor.class).isSameAs(own));
    }

    @Test
    void shouldTellOfTheBackend() {
        Contexts.tcp().withPropertyValues("netio.clients.a.port=7000").run(context ->
                assertThat(info(context)).isEqualTo(Map.of("backend", BackendType.TCP)));
        Contexts.any().run(context -> assertThat(info(context)).isEqualTo(Map.of("backend", BackendType.AUTO)));
        Contexts.any().withPropertyValues("netio.backend=libfabric").run(context -> {
            assertThat(info(context)).containsEntry("backend", BackendType.LIBFABRIC).containsEntry("provider", "tcp");
            assertThat(info(context).get("libfabric").toString()).contains("version=", "path=/", "tested=");
            assertThat(info(context).get("devices").toString()).contains("tcp=[");
        });
    }

    @SuppressWarnings("unchecked") // it is what the starter tells
    private static Map<String, Object> info(ApplicationContext context) {
        Info.Builder builder = new Info.Builder();
        context.getBean(InfoContributor.class).contribute(builder);
        return (Map<String, Object>) builder.build().get("netio");
    }

    @Test
    void shouldBindMetersToTheRegistriesOfSpringBoot() {
        Contexts.tcp().withConfiguration(AutoConfigurations.of(MetricsAutoConfiguration.class,
                CompositeMeterRegistryAutoConfiguration.class, SimpleMetricsExportAutoConfiguration.class))
                .withPropertyValues("netio.server.port=0", "netio.clients.a.port=7000").run(context -> {
                    MeterRegistry registry = context.getBean(MeterRegistry.class);
                    assertThat(registry.get("netio.connections").tag("network", "tcp").gauges()).hasSize(2);
                    assertThat(registry.get("netio.connections").tags("role", "client", "name", "a").gauge().value()).isZero();
                    assertThat(registry.get("netio.subscriber.received").tags("role", "client", "name", "a").functionCounter()
                            .count()).isZero();
                    assertThat(registry.get("netio.loop.turns").functionCounters()).isNotEmpty();
                    assertThat(registry.get("netio.publisher.subscriptions").gauges()).hasSize(1);
                });
    }
}
