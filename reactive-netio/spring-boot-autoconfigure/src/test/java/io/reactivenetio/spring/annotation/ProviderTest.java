// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.annotation;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.spring.actuate.NetioHealthAutoConfiguration;
import io.reactivenetio.spring.actuate.NetioInfoAutoConfiguration;
import io.reactivenetio.spring.annotation.autoconfigure.NetioAnnotationAutoConfiguration;
import io.reactivenetio.spring.autoconfigure.NetioAutoConfiguration;
import io.reactivenetio.spring.codec.NetioCodecAutoConfiguration;
import io.reactivenetio.spring.server.NetioServerAutoConfiguration;
import io.reactivenetio.testing.Eventually;
import io.reactivenetio.testing.TestSettings;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.actuate.info.Info;
import org.springframework.boot.actuate.info.InfoContributor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.CompositeHealthContributor;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import reactor.core.publisher.Flux;

/** A detector and its readout over libfabric: over the provider tcp, and in a guest over verbs. */
@Timeout(300)
class ProviderTest {
    private static final int HITS = 1_000;

    record Hit(long number, int channel) {
    }

    public static class Source {
        @NetioPublish("7")
        public Flux<Hit> hits() {
            return Flux.fromStream(() -> LongStream.range(0, HITS).mapToObj(n -> new Hit(n, (int) (n % 64))))
                    .concatWith(Flux.never());
        }

        @NetioMapping("8")
        public String setting(String name) {
            return name + " is 42";
        }
    }

    public static class Store {
        final List<Hit> hits = new CopyOnWriteArrayList<>();

        @NetioListener("7")
        public void on(Hit hit) {
            hits.add(hit);
        }
    }

    private static ApplicationContextRunner application(String... properties) {
        return new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(NetioAutoConfiguration.class,
                        NetioServerAutoConfiguration.class, NetioCodecAutoConfiguration.class, NetioHealthAutoConfiguration.class,
                        NetioInfoAutoConfiguration.class, NetioAnnotationAutoConfiguration.class))
                .withPropertyValues("netio.provider=" + TestSettings.PROVIDER).withPropertyValues(properties);
    }

    private static ApplicationContextRunner detector(int port) {
        return application("netio.server.port=" + port, "netio.server.address=" + TestSettings.ADDRESS,
                "netio.server.shutdown-timeout=100ms") // the readout keeps its connection for requests
                .withBean("source", Source.class);
    }

    private static int freePort() throws Exception {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByName(TestSettings.ADDRESS))) {
            return socket.getLocalPort();
        }
    }

    private static String health(ApplicationContext readout) {
        CompositeHealthContributor clients = (CompositeHealthContributor) Objects.requireNonNull(
                readout.getBean(CompositeHealthContributor.class).getContributor("clients"));
        Health health = ((HealthIndicator) Objects.requireNonNull(clients.getContributor("detector"))).health();
        return health.getStatus().getCode();
    }

    private static void await(Eventually.Condition condition, Object what) {
        Eventually.await(condition, what::toString);
    }

    @Test
    void shouldReceiveAndAskAndConnectAgain() throws Exception {
        int port = freePort();
        application("netio.clients.detector.port=" + port, "netio.clients.detector.host=" + TestSettings.ADDRESS)
                .withBean("store", Store.class).run(readout -> {
                    Store store = readout.getBean(Store.class);
                    NetioTypedRequester<String, String> settings = readout.getBean(NetioRequesters.class)
                            .requester("detector", 8, String.class, String.class);
                    for (int life = 1; life <= 2; life++) {
                        int lives = life;
                        detector(port).run(detector -> {
                            assertThat(detector).hasNotFailed();
                            await(() -> store.hits.size() >= lives * HITS, store.hits);
                            assertThat(settings.request("the threshold").block(TestSettings.PATIENCE))
                                    .isEqualTo("the threshold is 42");
                            assertThat(health(readout)).isEqualTo("UP");
                        });
                        await(() -> health(readout).equals("DOWN"), "down");
                    }
                    assertThat(store.hits).extracting(Hit::number).containsExactlyElementsOf(
                            Flux.range(0, 2 * HITS).map(n -> (long) n % HITS).collectList().block());
                    Info.Builder info = new Info.Builder();
                    readout.getBean(InfoContributor.class).contribute(info);
                    assertThat(info.build().getDetails().toString()).contains(TestSettings.PROVIDER);
                });
    }
}
