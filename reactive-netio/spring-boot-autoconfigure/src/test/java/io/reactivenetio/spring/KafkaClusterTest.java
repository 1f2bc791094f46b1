// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.NetioClient;
import io.reactivenetio.NetioServer;
import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.api.TaggedMessage;
import io.reactivenetio.api.Tags;
import io.reactivenetio.pubsub.NetioPublisher;
import io.reactivenetio.pubsub.NetioSubscriber;
import io.reactivenetio.spring.kafka.NetioKafkaAutoConfiguration;
import io.reactivenetio.spring.server.NetioServerLifecycle;
import io.reactivenetio.testing.Eventually;
import io.reactivenetio.testing.KafkaBroker;
import io.reactivenetio.transport.BackendType;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.CompositeHealthContributor;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.context.ApplicationContext;
import reactor.core.publisher.Flux;

/** A sink and a source of an application with a real broker, a process of its own that is away at first. */
@Tag("cluster")
@Timeout(180)
class KafkaClusterTest {
    private static final Duration LONG = Duration.ofSeconds(90);
    private static final int MESSAGES = 20_000;

    @TempDir
    private Path folder;

    private static Health sink(ApplicationContext context) {
        CompositeHealthContributor kafka = (CompositeHealthContributor) context.getBean(CompositeHealthContributor.class)
                .getContributor("kafka");
        return ((HealthIndicator) ((CompositeHealthContributor) kafka.getContributor("sinks")).getContributor("run")).health();
    }

    private static void await(Eventually.Condition condition) {
        Eventually.await("what the test waits for", condition);
    }

    private static TaggedMessage event(long n) {
        return new TaggedMessage(10 + n % 10, 0, ByteBuffer.allocate(64).putLong(n).rewind());
    }

    /** The sink begins when the broker has come and the topic was created, and the source publishes what is there then. */
    @Test
    void shouldWriteToAndPublishATopicOfABrokerThatComesLate() throws Exception {
        NetioPublisher detector = NetioPublisher.create().publish(Tags.range(10, 19),
                Flux.range(0, MESSAGES).map(KafkaClusterTest::event).concatWith(Flux.never()));
        DisposableServer server = detector.serve(NetioServer.create().backend(BackendType.TCP)).bindNow();
        try (KafkaBroker broker = KafkaBroker.start(folder)) {
            broker.kill();
            Contexts.tcp().withConfiguration(AutoConfigurations.of(NetioKafkaAutoConfiguration.class)).withPropertyValues(
                    "spring.kafka.bootstrap-servers=" + broker.address(), "netio.clients.detector.port=" + server.port(),
                    "netio.kafka.sinks.run.tags=10-19", "netio.kafka.sinks.run.topic=run", "netio.kafka.sinks.run.timeout=2s",
                    "netio.kafka.sources.again.topics=run", "netio.kafka.sources.again.tags=10-19", "netio.server.port=0")
                    .run(context -> {
                        await(() -> sink(context).getStatus().equals(Status.DOWN));
                        assertThat(String.valueOf(sink(context).getDetails().get("reason"))).contains("no broker at");
                        broker.restart();
                        await(() -> String.valueOf(sink(context).getDetails().get("reason")).contains("no such topic"));
                        try (Admin admin = Admin.create(Map.<String, Object>of("bootstrap.servers", broker.address()))) {
                            admin.createTopics(List.of(new NewTopic("run", 3, (short) 1))).all().get();
                        }
                        await(() -> sink(context).getDetails().get("acknowledged").equals((long) MESSAGES));
                        assertThat(sink(context).getStatus()).isEqualTo(Status.UP);
                        int port = context.getBean(NetioServerLifecycle.class).server().port();
                        List<Long> got = NetioSubscriber.create(NetioClient.create().backend(BackendType.TCP).port(port))
                                .subscribe(Tags.range(10, 19)).map(one -> one.payload().getLong(0)).take(MESSAGES)
                                .collectList().block(LONG);
                        assertThat(got).doesNotHaveDuplicates().hasSize(MESSAGES);
                    });
        } finally {
            detector.dispose();
            server.disposeNow(LONG);
        }
    }
}
