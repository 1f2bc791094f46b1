// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.annotation;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.reactivenetio.NetioMetrics;
import io.reactivenetio.micrometer.NetioMeters;
import io.reactivenetio.pubsub.NetioPublisher;
import io.reactivenetio.spring.metrics.NetioMetricsAutoConfiguration;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.export.prometheus.PrometheusMetricsExportAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** What Prometheus gets to see of listeners, and of everything else that the starter makes. */
@Timeout(120)
class ListenerMetersTest {

    public static class Slow {
        final Semaphore go = new Semaphore(0, true); // in turn, so that the first message is among those that are let go

        @NetioListener(tags = "7", id = "slow", concurrency = "2", prefetch = "10")
        public void on(ByteBuffer message) throws InterruptedException {
            go.acquire();
            if (message.getLong() == 0) {
                throw new IllegalStateException("the first one is bad");
            }
        }
    }

    private static ApplicationContextRunner metered(ApplicationContextRunner application) {
        return application.withConfiguration(AutoConfigurations.of(NetioMetricsAutoConfiguration.class,
                MetricsAutoConfiguration.class, CompositeMeterRegistryAutoConfiguration.class,
                PrometheusMetricsExportAutoConfiguration.class));
    }

    private static double gauge(PrometheusMeterRegistry registry, String name) {
        return registry.get(name).tags("role", "listener", "name", "slow").gauge().value();
    }

    @Test
    void shouldShowASlowListener() {
        try (Detector detector = Detector.endless(io.reactivenetio.api.Tags.of(7))) {
            metered(detector.application()).withBean(Slow.class).run(context -> {
                PrometheusMeterRegistry registry = context.getBean(PrometheusMeterRegistry.class);
                Slow slow = context.getBean(Slow.class);
                Detector.await(() -> gauge(registry, "netio.listener.waiting") == 10, registry::scrape);
                Detector.await(() -> slow.go.getQueueLength() == 2, slow.go::getQueueLength); // from now on both are timed
                double before = gauge(registry, "netio.listener.behind");
                Detector.await(() -> gauge(registry, "netio.listener.behind") > before + 0.05, registry::scrape);
                assertThat(gauge(registry, "netio.listener.in.flight")).isEqualTo(2);
                assertThat(gauge(registry, "netio.listener.concurrency")).isEqualTo(2);
                slow.go.release(100);
                Detector.await(() -> registry.get("netio.listener.time").timer().count() == 100, registry::scrape);
                assertThat(registry.get("netio.listener.time").timer().max(TimeUnit.MILLISECONDS))
                        .as("the first have waited for the test").isGreaterThan(50);
                assertThat(registry.scrape()).contains(
                        "netio_listener_handled_messages_total{name=\"slow\",role=\"listener\"} 99.0",
                        "netio_listener_failed_messages_total{name=\"slow\",role=\"listener\"} 1.0",
                        "netio_listener_time_seconds_count{name=\"slow\",role=\"listener\"} 100");
                slow.go.release(1_000_000_000);
            });
        }
    }

    /** A name whose meters have other keys is not shown as a whole, so all have the same. */
    @Test
    void shouldShowEveryMeterToPrometheus() {
        try (Detector detector = Detector.of(10)) {
            metered(detector.application().withPropertyValues("netio.server.port=0")).withBean(Slow.class).run(context -> {
                PrometheusMeterRegistry registry = context.getBean(PrometheusMeterRegistry.class);
                context.getBean(Slow.class).go.release(1_000_000_000);
                context.getBean(NetioPublisher.class);
                NetioMetrics own = new NetioMetrics();
                NetioMeters.of(own, Tags.of("role", "client", "name", "my-own")).bindTo(registry);
                List<Meter> meters = registry.getMeters().stream().filter(one -> one.getId().getName().startsWith("netio."))
                        .toList();
                Map<String, Set<List<String>>> keys = meters.stream().collect(Collectors.groupingBy(one -> one.getId().getName(),
                        Collectors.mapping(one -> one.getId().getTags().stream().map(Tag::getKey).toList(), Collectors.toSet())));
                assertThat(keys).hasSizeGreaterThan(45).allSatisfy((name, sets) -> assertThat(sets).as(name).hasSize(1));
                List<String> lines = registry.scrape().lines().filter(line -> !line.startsWith("#")).toList();
                assertThat(meters).allSatisfy(meter -> assertThat(lines).anyMatch(line ->
                        line.startsWith(meter.getId().getName().replace('.', '_')) && meter.getId().getTags().stream().allMatch(
                                tag -> line.contains(tag.getKey() + "=\"" + tag.getValue() + "\""))));
                assertThat(lines).anyMatch(line -> line.startsWith("netio_connections") && line.contains("my-own"));
            });
        }
    }

    @Test
    void shouldBeOnThePage() throws IOException {
        String page = Files.readString(Path.of("../../docs/spring.md"));
        try (Detector detector = Detector.of(1)) {
            metered(detector.application()).withBean(Slow.class).run(context -> {
                context.getBean(Slow.class).go.release(1_000_000_000);
                List<String> names = context.getBean(PrometheusMeterRegistry.class).getMeters().stream()
                        .map(meter -> meter.getId().getName()).filter(name -> name.startsWith("netio.listener.")).toList();
                assertThat(names).hasSize(9).allSatisfy(name -> assertThat(page).contains("`" + name + "`"));
            });
        }
    }
}
