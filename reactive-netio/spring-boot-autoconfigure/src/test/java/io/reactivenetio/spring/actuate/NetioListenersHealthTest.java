// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.NetioServer;
import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.pubsub.NetioPublisher;
import io.reactivenetio.spring.annotation.NetioListener;
import io.reactivenetio.spring.annotation.autoconfigure.NetioAnnotationAutoConfiguration;
import io.reactivenetio.spring.annotation.listener.ListenerRegistry;
import io.reactivenetio.spring.autoconfigure.NetioAutoConfiguration;
import io.reactivenetio.spring.codec.NetioCodecAutoConfiguration;
import io.reactivenetio.testing.Eventually;
import io.reactivenetio.testing.TestSettings;
import io.reactivenetio.transport.BackendType;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import reactor.core.publisher.Flux;

@Timeout(120)
class NetioListenersHealthTest {
    private static final int MESSAGES = 100;

    public static class Listening {
        final Semaphore go = new Semaphore(0);

        @NetioListener(tags = "8", id = "a-quick-one")
        public void onQuick(ByteBuffer message) {
        }

        @NetioListener(tags = "7", id = "slow", prefetch = "10")
        public void onSlow(ByteBuffer message) throws InterruptedException {
            go.acquire();
        }
    }

    private static void await(Eventually.Condition condition) {
        Eventually.await("what the test waits for", condition);
    }

    @Test
    void shouldSayThatAListenerIsBehindUntilItHasCaughtUp() {
        NetioPublisher publisher = NetioPublisher.create()
                .publish(7, Flux.range(0, MESSAGES).map(n -> ByteBuffer.allocate(8)).concatWith(Flux.never()))
                .publish(8, Flux.<ByteBuffer>never());
        DisposableServer server = publisher.serve(NetioServer.create().backend(BackendType.TCP)).bindNow();
        new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(NetioAutoConfiguration.class,
                        NetioCodecAutoConfiguration.class, NetioAnnotationAutoConfiguration.class)).withBean(Listening.class)
                .withPropertyValues("netio.backend=tcp", "netio.clients.detector.port=" + server.port()).run(context -> {
                    ListenerRegistry registry = context.getBean(ListenerRegistry.class);
                    NetioListenersHealth soon = new NetioListenersHealth(registry, Duration.ofMillis(20));
                    await(() -> soon.health().getDetails().containsKey("behind"));
                    Health health = soon.health();
                    assertThat(health.getStatus()).as("slowing down the publisher is no fault").isEqualTo(Status.UP);
                    assertThat(health.getDetails()).containsEntry("behind", 1).containsEntry("running", 2);
                    Map<?, ?> listeners = (Map<?, ?>) health.getDetails().get("listeners");
                    assertThat(listeners.keySet().iterator().next()).as("those in trouble first").isEqualTo("slow");
                    assertThat(String.valueOf(listeners.get("slow"))).contains("behind=messages have waited for ",
                            "its method is slower than they come");
                    assertThat(String.valueOf(listeners.get("a-quick-one"))).doesNotContain("behind");
                    assertThat(new NetioListenersHealth(registry, Duration.ofDays(1)).health().getDetails())
                            .as("a burst").doesNotContainKey("behind");

                    context.getBean(Listening.class).go.release(MESSAGES);
                    await(() -> registry.listener("slow").statistics().handled() == MESSAGES);
                    assertThat(soon.health().getDetails()).doesNotContainKey("behind");
                });
        publisher.dispose();
        server.disposeNow(TestSettings.PATIENCE);
    }
}
