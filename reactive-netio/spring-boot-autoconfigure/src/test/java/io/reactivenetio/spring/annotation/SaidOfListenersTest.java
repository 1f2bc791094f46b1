// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.annotation;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.NetioServer;
import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.api.Tags;
import io.reactivenetio.pubsub.NetioPublisher;
import io.reactivenetio.spring.actuate.NetioHealthAutoConfiguration;
import io.reactivenetio.spring.actuate.NetioListenersHealthAutoConfiguration;
import io.reactivenetio.transport.BackendType;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.context.LifecycleAutoConfiguration;
import org.springframework.boot.health.contributor.CompositeHealthContributor;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthContributor;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.context.ApplicationContext;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** What logs and health say of methods that get nothing any more, or answer nobody. */
@Timeout(120)
class SaidOfListenersTest {
    private final PrintStream before = System.err; // where the tests' logger writes
    private final ByteArrayOutputStream text = new ByteArrayOutputStream();

    @BeforeEach
    void listen() {
        System.setErr(new PrintStream(text, true, StandardCharsets.UTF_8));
    }

    @AfterEach
    void restore() {
        System.setErr(before);
    }

    private String said() {
        return text.toString(StandardCharsets.UTF_8);
    }

    public static class Listening {
        @NetioListener(tags = "7", id = "ends")
        public void on(ByteBuffer message) {
        }

        @NetioListener(tags = {"8", "9"}, id = "fails-in-part")
        public void onTwo(ByteBuffer message) {
        }
    }

    private static Health health(ApplicationContext context) {
        return ((HealthIndicator) context.getBean("netioListenersHealthContributor")).health();
    }

    @Test
    void shouldSayThatAListenerIsCompleteAndThatASubscriptionHasFailed() {
        try (Detector detector = Detector.each(Tags.range(7, 9), tag -> tag == 7 ? Flux.just(Detector.number(0))
                : tag == 8 ? Flux.error(new IllegalStateException("broken source")) : Flux.never())) {
            detector.application().withConfiguration(AutoConfigurations.of(NetioListenersHealthAutoConfiguration.class))
                    .withBean(Listening.class).run(context -> {
                        Detector.await(() -> said().contains("listener ends is complete, and receives nothing more"), this::said);
                        Detector.await(() -> health(context).getStatus().equals(Status.DOWN), () -> health(context));
                        assertThat(health(context).getDetails()).containsEntry("running", 1).containsEntry("failed", 1)
                                .containsEntry("complete", 1).extractingByKey("listeners").asString()
                                .contains("fails-in-part={state=RUNNING", "broken source", "ends={state=COMPLETED", "handled=1");
                        NetioListenerContainer failed = context.getBean(NetioListenerRegistry.class).listener("fails-in-part");
                        failed.stop().block(Detector.PATIENCE);
                        failed.start();
                        Detector.await(() -> health(context).getStatus().equals(Status.DOWN), () -> health(context));
                    });
        }
    }

    @Test
    void shouldSayWhichPropertiesNobodyReads() {
        Detector.application("netio.clients.detector.port=1", "netio.clients.detector.prot=2", "netio.listeners.oncomplete=stay",
                "netio.listeners.on-end=stay", "netio.unknown=3").run(context -> assertThat(context).hasNotFailed());
        assertThat(said()).contains("netio.clients.detector.prot", "netio.unknown", "netio.listeners.on-end")
                .doesNotContain("netio.listeners.oncomplete", "netio.clients.detector.port");
        text.reset();
        Detector.application("netio.clients.detector.port=1", "netio.listeners.on-complete=stay", "netio.backend=tcp")
                .withSystemProperties("netio.libfabric=/nowhere").run(context -> assertThat(context).hasNotFailed());
        assertThat(said()).doesNotContain("nobody reads");
    }

    @Test
    void shouldSayThatNoneOfSeveralServersIsBound() {
        Detector.application(new String[0]).withBean("one", NetioServer.class, NetioServer::create)
                .withBean("two", NetioServer.class, NetioServer::create).run(context -> assertThat(context).hasNotFailed());
        assertThat(said()).contains("none of these beans of NetioServer is bound: [one, two]");
    }

    public static class Complete {
        @NetioListener(tags = "7", id = "complete")
        public void on(ByteBuffer message) {
        }
    }

    /** It takes nothing more, and nobody would look at UNKNOWN beside what is UP. */
    @Test
    void shouldNotBeUpWhenAListenerIsComplete() {
        try (Detector detector = Detector.each(Tags.of(7), tag -> Flux.just(Detector.number(0)))) {
            detector.application().withConfiguration(AutoConfigurations.of(NetioListenersHealthAutoConfiguration.class))
                    .withBean(Complete.class).run(context -> {
                        Detector.await(() -> health(context).getStatus().equals(Status.OUT_OF_SERVICE), () -> health(context));
                        assertThat(health(context).getDetails()).containsEntry("running", 0).containsEntry("complete", 1);
                    });
        }
    }

    public static class Stuck {
        @NetioListener(tags = "7", id = "stuck", prefetch = "10")
        public void on(ByteBuffer message) throws InterruptedException {
            new Semaphore(0).acquire();
        }
    }

    /** Where it is slow, and not at the publisher only. */
    @Test
    void shouldSayThatThePublisherCountsASubscriptionAsSlow() {
        NetioPublisher publisher = NetioPublisher.create().publish(7, Flux.range(0, 100_000).map(Detector::number));
        try (Detector detector = new Detector(publisher).start()) {
            detector.application().withBean(Stuck.class)
                    .withConfiguration(AutoConfigurations.of(NetioHealthAutoConfiguration.class)).run(context -> {
                        CompositeHealthContributor all = (CompositeHealthContributor) context.getBean("netioHealthContributor");
                        CompositeHealthContributor clients = (CompositeHealthContributor) all.getContributor("clients");
                        HealthIndicator client = (HealthIndicator) clients.getContributor("detector");
                        Detector.await(() -> client.health().getDetails().containsKey("slow"), client::health);
                        assertThat(client.health().getDetails().get("slow").toString()).contains("1 of 1 subscriptions are slow");
                        assertThat(client.health().getStatus()).isEqualTo(Status.UP);
                        context.getBean(NetioListenerRegistry.class).listener("stuck").abort();
                    });
        }
    }

    /** Its calls end within the abort, on the thread that aborts. */
    public static class Pending {
        @NetioListener(tags = "7", id = "stuck", prefetch = "10")
        public Mono<Void> on(ByteBuffer message) {
            return Mono.never();
        }
    }

    @ParameterizedTest
    @ValueSource(classes = {Stuck.class, Pending.class})
    void shouldSayInOneLineWhatAStopGivesUp(Class<?> listening) {
        try (Detector detector = Detector.endless(Tags.of(7))) {
            detector.application().withBean(listening)
                    .withConfiguration(AutoConfigurations.of(LifecycleAutoConfiguration.class))
                    .withPropertyValues("spring.lifecycle.timeout-per-shutdown-phase=100ms").run(context -> {
                        NetioListenerContainer listener = context.getBean(NetioListenerRegistry.class).listener("stuck");
                        Detector.await(() -> listener.statistics().waiting() == 10 && listener.statistics().inFlight() == 1,
                                listener::statistics);
                        context.getSourceApplicationContext().close();
                        Detector.await(() -> listener.state() == NetioListenerState.STOPPED, listener::state);
                    });
        }
        assertThat(said().lines().filter(line -> line.contains("has given up"))).singleElement().asString()
                .contains("listener stuck has given up 10 messages that waited, and 1 that it worked on");
    }

    @Test
    void shouldBeHealthyWithoutListenersAndSwitchedOffWithTheRest() {
        AutoConfigurations health = AutoConfigurations.of(NetioListenersHealthAutoConfiguration.class);
        Detector.application(new String[0]).withConfiguration(health).run(context -> {
            assertThat(health(context).getStatus()).isEqualTo(Status.UP);
            assertThat(health(context).getDetails()).containsOnly(Map.entry("running", 0));
        });
        Detector.application("management.health.netio.enabled=false").withConfiguration(health).run(context ->
                assertThat(context).doesNotHaveBean(HealthContributor.class));
        FilteredClassLoader without = new FilteredClassLoader("org.springframework.boot.health");
        Detector.application(new String[0]).withConfiguration(health).withClassLoader(without).run(context -> assertThat(context)
                .hasNotFailed().hasSingleBean(NetioListenerRegistry.class));
    }

    public static class Asked {
        @NetioMapping(client = "control", value = "1")
        public String name() {
            return "a client";
        }
    }

    @Test
    void shouldSayThatMappingsOfAClientAnswerNobodyUntilTheyDo() {
        NetioServer control = NetioServer.create().backend(BackendType.TCP);
        DisposableServer first = control.bindNow();
        int port = first.port();
        first.disposeNow(Detector.PATIENCE);
        List<NetioConnection> accepted = new CopyOnWriteArrayList<>();
        Detector.application("netio.clients.control.port=" + port).withBean(Asked.class).run(context -> {
            Detector.await(() -> said().contains("client 'control' cannot connect, so its @NetioMapping methods answer nobody"),
                    this::said);
            DisposableServer server = control.port(port).doOnConnection(accepted::add).bindNow();
            for (int i = 1; i <= 4; i++) { // a loss begins anew with short pauses
                int now = i;
                Detector.await(() -> accepted.size() == now, this::said);
                accepted.getLast().dispose();
            }
            Detector.await(() -> said().contains("client 'control' is connected to /127.0.0.1:" + port), this::said);
            assertThat(said().lines().filter(line -> line.contains("answer nobody"))).as("not with each attempt").hasSize(1);
            server.dispose();
        });
        accepted.forEach(NetioConnection::dispose);
    }
}
