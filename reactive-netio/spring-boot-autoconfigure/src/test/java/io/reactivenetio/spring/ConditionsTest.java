// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.reactivenetio.NetioClient;
import io.reactivenetio.NetioLoops;
import io.reactivenetio.NetioServer;
import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.api.NetioEncoder;
import io.reactivenetio.pubsub.NetioPublisher;
import io.reactivenetio.pubsub.NetioSubscriber;
import io.reactivenetio.spring.client.ConfiguredClients;
import io.reactivenetio.spring.server.NetioServerLifecycle;
import io.reactivenetio.testing.Eventually;
import io.reactivenetio.testing.TestSettings;
import io.reactivenetio.transport.BackendType;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.actuate.info.InfoContributor;
import org.springframework.boot.health.contributor.HealthContributor;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.Order;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

@Timeout(300)
class ConditionsTest {
    private static final Duration LIMIT = TestSettings.PATIENCE;

    private static List<String> threads(String name) {
        return Thread.getAllStackTraces().keySet().stream().map(Thread::getName).filter(own -> own.startsWith(name)).toList();
    }

    @Test
    void shouldStartNoThreadsWhereNothingIsConfigured() throws InterruptedException {
        Contexts.any().withPropertyValues("netio.loops.name=unneeded").run(context -> {
            assertThat(context).hasNotFailed().hasSingleBean(NetioClients.class).hasSingleBean(NetioCodecs.class)
                    .doesNotHaveBean(NetioServer.class).doesNotHaveBean(NetioServerLifecycle.class);
            assertThat(context.getBean(NetioClients.class).names()).isEmpty();
            assertThat(threads("unneeded")).isEmpty();
            assertThat(context.getBean(NetioLoops.class)).isNotNull();
            assertThat(threads("unneeded")).containsExactly("unneeded-1");
        });
        Eventually.await("the loop has ended, its thread is about to", () -> threads("unneeded").isEmpty());
    }

    @ParameterizedTest
    @ValueSource(strings = {"org.springframework.boot.health", "org.springframework.boot.actuate", "io.micrometer",
        "org.springframework.http", "org.springframework.web", "tools.jackson", "com.google.protobuf",
        "org.springframework.boot.jackson", "org.springframework.boot.micrometer"})
    void shouldWorkWithoutWhatIsOptional(String missing) {
        Contexts.tcp().withClassLoader(new FilteredClassLoader(missing)).withPropertyValues("netio.server.port=0",
                "netio.clients.a.port=7000").run(context -> {
                    assertThat(context).hasNotFailed().hasSingleBean(NetioServerLifecycle.class).hasSingleBean(NetioCodecs.class);
                    assertThat(context.getBean(NetioCodecs.class).decoder(ResolvableType.forClass(String.class))).isNotNull();
                    assertThat(context.getBeansOfType(HealthContributor.class)).hasSize(missing.contains("health") ? 0 : 1);
                    assertThat(context.getBeansOfType(InfoContributor.class)).hasSize(missing.contains("actuate") ? 0 : 1);
                    assertThat(context.getBeansOfType(MeterBinder.class)).hasSize(missing.equals("io.micrometer") ? 0 : 1);
                });
    }

    @Test
    void shouldShowNothingWhereManagementIsSwitchedOff() {
        Contexts.tcp().withPropertyValues("netio.server.port=0", "management.health.netio.enabled=false",
                "management.info.netio.enabled=false").run(context ->
                        assertThat(context).doesNotHaveBean(HealthContributor.class).doesNotHaveBean(InfoContributor.class));
    }

    @Test
    void shouldHaveAServerIfAPortOrEnabledSaysSo() {
        Contexts.tcp().withPropertyValues("netio.server.port=0").run(context ->
                assertThat(context).hasSingleBean(NetioServer.class).hasSingleBean(NetioServerLifecycle.class));
        Contexts.tcp().withPropertyValues("netio.server.enabled=true").run(context ->
                assertThat(context.getBean(NetioServerLifecycle.class).server().port()).isPositive());
        Contexts.tcp().withPropertyValues("netio.server.port=0", "netio.server.enabled=false").run(context ->
                assertThat(context).doesNotHaveBean(NetioServer.class).doesNotHaveBean(NetioServerLifecycle.class));
        Contexts.tcp().withPropertyValues("netio.server.address=127.0.0.1").run(context ->
                assertThat(context).doesNotHaveBean(NetioServer.class));
    }

    @Test
    void shouldUseBeansOfTheUserInstead() {
        Contexts.any().withPropertyValues("netio.server.port=1", "netio.clients.a.backend=tcp", "netio.clients.a.port=7000")
                .withUserConfiguration(Own.class).run(context -> {
                    NetioLoops loops = context.getBean(NetioLoops.class);
                    assertThat(loops).isSameAs(context.getBean(Own.class).loops);
                    assertThat(Contexts.setting(context.getBean(NetioClients.class).client("a"), "loops")).isSameAs(loops);
                    assertThat(context.getBean(NetioPublisher.class)).isSameAs(context.getBean(Own.class).publisher);
                    DisposableServer server = context.getBean(NetioServerLifecycle.class).server();
                    assertThat(server.port()).isGreaterThan(1);
                    assertThat(context).hasSingleBean(NetioServer.class).hasSingleBean(NetioCodecs.class);
                    assertThat(NetioSubscriber.create(NetioClient.create().backend(BackendType.TCP).port(server.port()))
                            .subscribe(3).blockFirst(LIMIT)).isNotNull();
                });
    }

    @Configuration(proxyBeanMethods = false)
    static class Own {
        private final NetioLoops loops = NetioLoops.create("own", 1);
        private final NetioPublisher publisher = NetioPublisher.create().publish(3, Mono.just(java.nio.ByteBuffer.allocate(1)));

        @Bean(destroyMethod = "dispose")
        NetioLoops myLoops() {
            return loops;
        }

        @Bean
        NetioPublisher myPublisher() {
            return publisher;
        }

        @Bean
        NetioServer myServer() {
            return publisher.serve(NetioServer.create().backend(BackendType.TCP).runOn(loops));
        }
    }

    private static final class NoCodecs implements NetioCodecs {
        @Override
        public <T> Function<ByteBuffer, T> decoder(ResolvableType type) {
            throw new IllegalArgumentException("no codec of " + type);
        }

        @Override
        public <T> NetioEncoder<T> encoder(ResolvableType type) {
            throw new IllegalArgumentException("no codec of " + type);
        }
    }

    @Test
    void shouldUseClientsAndCodecsOfTheUserInstead() {
        NetioClients clients = new ConfiguredClients(java.util.Map.of());
        NetioCodecs codecs = new NoCodecs();
        Contexts.tcp().withPropertyValues("netio.clients.a.port=7000").withBean(NetioClients.class, () -> clients)
                .withBean(NetioCodecs.class, () -> codecs).run(context -> {
                    assertThat(context).getBean(NetioClients.class).isSameAs(clients);
                    assertThat(context).getBean(NetioCodecs.class).isSameAs(codecs);
                    assertThat(context).hasNotFailed();
                });
    }

    @Test
    void shouldCallCustomizersInTheirOrder() {
        Contexts.tcp().withPropertyValues("netio.server.port=0", "netio.clients.a.port=7000", "netio.clients.b.port=7001",
                "netio.loops.number=1").withUserConfiguration(Customized.class).run(context -> {
                    NetioClients clients = context.getBean(NetioClients.class);
                    assertThat(Contexts.setting(clients.client("a"), "framing.maxStreams")).isEqualTo(2);
                    assertThat(Contexts.setting(clients.client("b"), "host")).isEqualTo("b.example");
                    assertThat(Contexts.setting(context.getBean(NetioServer.class), "framing.maxStreams")).isEqualTo(12);
                    assertThat(context.getBean(NetioLoops.class).statistics()).hasSize(2);
                    context.getBean(NetioPublisher.class);
                    assertThat(context.getBean(Customized.class).publishers).containsExactly("first", "second");
                });
    }

    @Configuration(proxyBeanMethods = false)
    static class Customized {
        private final List<String> publishers = new CopyOnWriteArrayList<>();

        @Bean
        @Order(2)
        NetioClientCustomizer second() {
            return (name, client) -> name.equals("a") ? client.framing(client.streamFraming()
                    .maxStreams(2)) : client.host(name + ".example");
        }

        @Bean
        @Order(1)
        NetioClientCustomizer first() {
            return (name, client) -> client.framing(client.streamFraming().maxStreams(1));
        }

        @Bean
        @Order(2)
        NetioServerCustomizer secondServer() {
            return server -> server.framing(server.streamFraming().maxStreams(12));
        }

        @Bean
        @Order(1)
        NetioServerCustomizer firstServer() {
            return server -> server.framing(server.streamFraming().maxStreams(11));
        }

        @Bean
        NetioLoopsCustomizer loops() {
            return builder -> builder.number(2);
        }

        @Bean
        @Order(2)
        NetioPublisherCustomizer secondPublisher() {
            return publisher -> publishers.add("second");
        }

        @Bean
        @Order(1)
        NetioPublisherCustomizer firstPublisher() {
            return publisher -> publishers.add("first");
        }
    }

    @Test
    void shouldConfigureLoops() {
        Contexts.tcp().withPropertyValues("netio.loops.number=3", "netio.loops.name=daq", "netio.loops.daemon=false",
                "netio.loops.spin=20us", "netio.loops.adaptive-spin=1ms", "netio.loops.reassembly-budget=64MB",
                "netio.loops.mechanism=auto").run(context -> {
                    assertThat(context.getBean(NetioLoops.class).statistics()).hasSize(3);
                    assertThat(threads("daq")).containsExactlyInAnyOrder("daq-1", "daq-2", "daq-3");
                    assertThat(Thread.getAllStackTraces().keySet()).filteredOn(thread -> thread.getName().startsWith("daq"))
                            .noneMatch(Thread::isDaemon);
                });
        Contexts.tcp().withPropertyValues("netio.loops.cpus=0").run(context ->
                assertThat(context.getBean(NetioLoops.class).statistics()).hasSize(1));
        assertThatThrownBy(() -> Contexts.tcp().withPropertyValues("netio.loops.cpus=0,1", "netio.loops.number=1").run(context ->
                context.getBean(NetioLoops.class))).hasStackTraceContaining("name one CPU for each loop");
        Contexts.tcp().withPropertyValues("netio.loops.cpus=8000", "netio.clients.a.port=7000").run(context ->
                assertThat(Contexts.failure(context)).contains("netio.loops.cpus", "8000"));
        for (String wrong : new String[] {"number=0", "spin=-1s", "adaptive-spin=-1s", "cpus=-1", "cpus=9000",
            "cpus=", "reassembly-budget=0B", "mechanism=kqueue"}) {
            Contexts.tcp().withPropertyValues("netio.loops." + wrong, "netio.clients.a.port=7000").run(context ->
                    assertThat(Contexts.failure(context)).contains("netio.loops." + wrong.split("=")[0], wrong.split("=")[0]));
        }
    }

    @Test
    void shouldFindClientsByName() {
        Contexts.tcp().withPropertyValues("netio.clients.a.host=127.0.0.2", "netio.clients.a.port=7000").run(context -> {
            NetioClients clients = context.getBean(NetioClients.class);
            assertThat(clients.client("")).isSameAs(clients.client("a"));
            assertThat(clients.subscriber("")).isSameAs(clients.subscriber("a"));
            assertThat(Contexts.setting(clients.client("a"), "host")).isEqualTo("127.0.0.2");
            assertThatThrownBy(() -> clients.client("b")).isInstanceOf(UnknownClientException.class)
                    .hasMessage("no client 'b': configured under netio.clients are a");
        });
        Contexts.tcp().withPropertyValues("netio.clients.a.port=7000", "netio.clients.b-c.port=7001").run(context -> {
            NetioClients clients = context.getBean(NetioClients.class);
            assertThat(clients.names()).isEqualTo(Set.of("a", "b-c"));
            assertThatThrownBy(() -> clients.subscriber("")).isInstanceOf(UnknownClientException.class)
                    .hasMessageContaining("a, b-c");
        });
    }

    @Test
    void shouldSayWhatIsWrongWithAddresses() {
        for (String[] wrong : new String[][] {{"netio.clients.a.port=0", "netio.clients.a.port", "port that its peer listens on"},
            {"netio.clients.a.host=detector", "netio.clients.a.port", "port that its peer listens on"},
            {"netio.clients.a.port=70000", "netio.clients.a.port", "65535"},
            {"netio.clients.a.port=high", "netio.clients.a.port", "high"},
            {"netio.clients.a.port=1,netio.clients.a.host=detector:7000", "netio.clients.a.host", "belongs to"},
            {"netio.clients.a.port=1,netio.clients.a.host=tcp://detector", "netio.clients.a.host", "no name or address alone"},
            {"netio.clients.a.port=1,netio.clients.a.host=two words", "netio.clients.a.host", "no name or address alone"},
            {"netio.server.enabled=maybe", "netio.server.enabled", "maybe"},
            {"netio.clients.host=10.0.0.1", "netio.clients.host", "write netio.clients.<name>.host"},
            {"netio.server.port=-1", "netio.server.port", "65535"},
            {"netio.server.port=0,netio.server.address=no.such.host.invalid", "no.such.host.invalid", "netio.server.address"},
            {"netio.server.port=0,netio.server.address=192.0.2.1", "192.0.2.1", "address of this machine"},
            {"netio.server.port=0,netio.server.shutdown-timeout=-1s", "netio.server.shutdown-timeout", "negative"},
            {"netio.server.port=0,netio.server.max-connections=0", "netio.server.max-connections", "at least 1"},
            {"netio.server.port=0,netio.server.max-connections-per-address=0", "netio.server.max-connections-per-address",
                "at least 1"},
            {"netio.server.port=0,netio.server.max-handshakes=0", "netio.server.max-handshakes", "at least 1"},
            {"netio.server.port=0,netio.server.reassembly-budget=1MB", "netio.server.*", "reassembly"},
            {"netio.clients.a.port=1,netio.clients.a.subscriber.policy=wait", "subscriber.policy", "DROP_OLDEST"},
            {"netio.clients.a.port=1,netio.clients.a.subscriber.reconnect.min-backoff=0s", "min-backoff", "keep a loop busy"},
            {"netio.clients.a.port=1,netio.clients.a.subscriber.reconnect.max-backoff=1ms", "max-backoff", "min-backoff"}}) {
            Contexts.tcp().withPropertyValues(wrong[0].split(",")).run(context ->
                    assertThat(Contexts.failure(context)).contains(wrong[1]).containsIgnoringCase(wrong[2]));
        }
    }

    @Test
    void shouldHaveManyClientsWithNamesOfAnyKind() {
        int many = TestSettings.scaled(1_000);
        List<String> properties = new ArrayList<>();
        for (int i = 0; i < many; i++) {
            properties.add("netio.clients.link" + i + ".port=" + (1_000 + i));
        }
        properties.add("netio.clients[a.b c].port=7000");
        Contexts.any().withPropertyValues(properties.toArray(String[]::new)).run(context -> {
            NetioClients clients = context.getBean(NetioClients.class);
            assertThat(clients.names()).hasSize(many + 1).contains("link" + (many - 1), "a.b c");
            assertThat(Contexts.setting(clients.client("a.b c"), "port")).isEqualTo(7000);
        });
    }

    @Test
    void shouldRefuseAPublisherWithoutStreams() {
        Contexts.tcp().withPropertyValues("netio.server.port=0", "netio.server.framing=raw").withBean(
                NetioPublisherCustomizer.class, () -> publisher -> { }).run(context -> assertThat(Contexts.failure(context))
                        .contains("netio.server.framing", "annotated method serves are tags, which need stream framing"));
        Contexts.tcp().withPropertyValues("netio.server.port=0", "netio.server.framing=raw").withBean(NetioServerHandler.class,
                () -> (in, out) -> Mono.never()).run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void shouldHaveNoSubscriberWithoutStreams() {
        Contexts.tcp().withPropertyValues("netio.clients.a.port=7000", "netio.clients.a.framing=raw").run(context -> {
            NetioClients clients = context.getBean(NetioClients.class);
            assertThat(clients.client("a")).isNotNull();
            assertThatThrownBy(() -> clients.subscriber("a")).hasMessageContaining("netio.clients.a.framing");
            assertThatThrownBy(() -> clients.connection("a")).hasMessageContaining("netio.clients.a.framing");
        });
    }

    @Test
    void shouldMeterWhatConnectionsDo() {
        Contexts.tcp().withPropertyValues("netio.server.port=0").withBean(NetioServerHandler.class,
                () -> (in, out) -> out.send(Flux.range(0, 10).map(n -> java.nio.ByteBuffer.allocate(100)))).run(server ->
                        Contexts.tcp().withPropertyValues("netio.clients.a.port="
                                + server.getEnvironment().getProperty("local.netio.port")).run(context -> {
                                    assertThat(context.getBean(NetioClients.class).client("a").connect()
                                            .flatMapMany(NetioConnection::receive).count().block(LIMIT)).isEqualTo(10);
                                    MeterRegistry registry = new io.micrometer.core.instrument.simple.SimpleMeterRegistry();
                                    context.getBean(MeterBinder.class).bindTo(registry);
                                    server.getBean(MeterBinder.class).bindTo(registry);
                                    assertThat(registry.get("netio.received.messages").tags("role", "client", "name", "a")
                                            .functionCounter().count()).isEqualTo(10);
                                    assertThat(registry.get("netio.sent.bytes").tags("role", "server", "name", "server")
                                            .functionCounter().count()).isEqualTo(1_000);
                                }));
    }
}
