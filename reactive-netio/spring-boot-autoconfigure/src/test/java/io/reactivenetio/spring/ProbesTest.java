// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.NetioServer;
import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.pubsub.NetioPublisher;
import io.reactivenetio.spring.actuate.NetioListenersHealthAutoConfiguration;
import io.reactivenetio.spring.annotation.NetioListener;
import io.reactivenetio.spring.annotation.autoconfigure.NetioAnnotationAutoConfiguration;
import io.reactivenetio.testing.Eventually;
import io.reactivenetio.testing.TestSettings;
import io.reactivenetio.transport.BackendType;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.availability.ApplicationAvailabilityAutoConfiguration;
import org.springframework.boot.availability.AvailabilityChangeEvent;
import org.springframework.boot.availability.LivenessState;
import org.springframework.boot.availability.ReadinessState;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.boot.health.actuate.endpoint.HealthEndpoint;
import org.springframework.boot.health.autoconfigure.actuate.endpoint.AvailabilityProbesAutoConfiguration;
import org.springframework.boot.health.autoconfigure.actuate.endpoint.HealthEndpointAutoConfiguration;
import org.springframework.boot.health.autoconfigure.application.AvailabilityHealthContributorAutoConfiguration;
import org.springframework.boot.health.autoconfigure.contributor.HealthContributorAutoConfiguration;
import org.springframework.boot.health.autoconfigure.registry.HealthContributorRegistryAutoConfiguration;
import org.springframework.boot.health.contributor.Status;
import org.springframework.context.ApplicationContext;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.PropertySource;
import org.springframework.core.io.ByteArrayResource;
import reactor.core.publisher.Flux;

/** The probes of Kubernetes, as docs/production.md configures them. */
@Timeout(120)
class ProbesTest {
    private static final Pattern RECIPE = Pattern.compile("```yaml\n# application.yaml\n(management:.*?)\n```", Pattern.DOTALL);

    public static class Listening {
        @NetioListener("7")
        public void on(ByteBuffer message) {
        }
    }

    /** What the page shows, with listeners in the group of readiness. */
    private static String[] recipe(int port) throws IOException {
        Matcher block = RECIPE.matcher(Files.readString(Path.of("../../docs/production.md")));
        assertThat(block.find()).isTrue();
        List<String> properties = new ArrayList<>(List.of("netio.clients.detector.port=" + port));
        for (PropertySource<?> source : new YamlPropertySourceLoader().load("page",
                new ByteArrayResource(block.group(1).getBytes(StandardCharsets.UTF_8)))) {
            for (String name : ((EnumerablePropertySource<?>) source).getPropertyNames()) {
                properties.add(name + "=" + source.getProperty(name)
                        + (name.endsWith("readiness.include") ? ",netioListeners" : ""));
            }
        }
        return properties.toArray(String[]::new);
    }

    private static Status status(ApplicationContext context, String group) {
        return context.getBean(HealthEndpoint.class).healthForPath(group).getStatus();
    }

    private static void await(ApplicationContext context, String group, Status expected) {
        Eventually.await(() -> status(context, group).equals(expected), () -> group + " " + status(context, group));
    }

    @Test
    void shouldBeAliveAndNotReadyWhileTheDetectorIsOff() throws IOException {
        NetioServer settings = NetioPublisher.create().publish(7, Flux.never())
                .serve(NetioServer.create().backend(BackendType.TCP));
        DisposableServer first = settings.bindNow();
        int port = first.port();
        first.disposeNow(TestSettings.PATIENCE);
        Contexts.tcp().withConfiguration(AutoConfigurations.of(NetioAnnotationAutoConfiguration.class,
                        NetioListenersHealthAutoConfiguration.class, ApplicationAvailabilityAutoConfiguration.class,
                        HealthContributorAutoConfiguration.class, HealthContributorRegistryAutoConfiguration.class,
                        HealthEndpointAutoConfiguration.class, AvailabilityHealthContributorAutoConfiguration.class,
                        AvailabilityProbesAutoConfiguration.class))
                .withBean(Listening.class).withPropertyValues(recipe(port)).run(context -> {
                    AvailabilityChangeEvent.publish(context, LivenessState.CORRECT); // as SpringApplication does
                    AvailabilityChangeEvent.publish(context, ReadinessState.ACCEPTING_TRAFFIC);
                    await(context, "readiness", Status.DOWN);
                    assertThat(status(context, "liveness")).as("a restart would not help").isEqualTo(Status.UP);
                    DisposableServer server = settings.port(port).bindNow();
                    await(context, "readiness", Status.UP);
                    assertThat(status(context, "liveness")).isEqualTo(Status.UP);
                    server.dispose();
                });
    }
}
