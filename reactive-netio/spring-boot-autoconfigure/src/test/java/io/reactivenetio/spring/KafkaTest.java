// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.reactivenetio.NetioClient;
import io.reactivenetio.NetioServer;
import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.api.SlowPolicy;
import io.reactivenetio.api.TaggedMessage;
import io.reactivenetio.api.Tags;
import io.reactivenetio.kafka.MockedKafka;
import io.reactivenetio.pubsub.NetioPublisher;
import io.reactivenetio.pubsub.NetioSubscriber;
import io.reactivenetio.spring.kafka.KafkaTransfers;
import io.reactivenetio.spring.kafka.KafkaWatch;
import io.reactivenetio.spring.kafka.NetioKafkaAutoConfiguration;
import io.reactivenetio.spring.kafka.NetioKafkaSinkCustomizer;
import io.reactivenetio.spring.kafka.NetioKafkaSourceCustomizer;
import io.reactivenetio.spring.server.NetioServerLifecycle;
import io.reactivenetio.testing.Eventually;
import io.reactivenetio.testing.TestSettings;
import io.reactivenetio.transport.BackendType;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.actuate.info.Info;
import org.springframework.boot.actuate.info.InfoContributor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.CompositeHealthContributor;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Sinks;

@Timeout(300)
class KafkaTest {
    private static final Duration LIMIT = TestSettings.PATIENCE;
    private static final String[] SINK = {"netio.kafka.bootstrap-servers=localhost:9092", "netio.kafka.sinks.run.tags=7",
        "netio.kafka.sinks.run.topic=run", "netio.kafka.sinks.run.from=now", "netio.kafka.reconnect.min-backoff=10ms"};
    private static final String[] SOURCE = {"netio.kafka.bootstrap-servers=localhost:9092", "netio.server.port=0",
        "netio.kafka.sources.run.topics=run", "netio.kafka.sources.run.tags=0-9", "netio.kafka.reconnect.min-backoff=10ms",
        "netio.kafka.sources.run.follow=false"};

    private Sinks.Many<ByteBuffer> hits;
    private NetioPublisher detector;
    private DisposableServer server;

    @BeforeEach
    void publish() {
        hits = Sinks.many().unicast().onBackpressureBuffer();
        detector = NetioPublisher.create(SlowPolicy.BACKPRESSURE, 1024).publish(7, hits.asFlux());
        server = detector.serve(NetioServer.create().backend(BackendType.TCP)).bindNow();
    }

    @AfterEach
    void close() {
        detector.dispose();
        server.disposeNow(LIMIT);
    }

    private void hit(int n) {
        for (int i = 0; i < n; i++) {
            hits.tryEmitNext(ByteBuffer.allocate(8).putLong(0, i)).orThrow();
        }
    }

    private static ApplicationContextRunner contexts() {
        return Contexts.tcp().withConfiguration(AutoConfigurations.of(NetioKafkaAutoConfiguration.class));
    }

    private ApplicationContextRunner sinks(MockedKafka kafka) {
        return contexts().withPropertyValues(SINK).withPropertyValues("netio.clients.detector.port=" + server.port())
                .withBean(NetioKafkaSinkCustomizer.class, () -> (name, sink) -> kafka.sink(sink));
    }

    private static ApplicationContextRunner sources(MockedKafka kafka) {
        return contexts().withPropertyValues(SOURCE)
                .withBean(NetioKafkaSourceCustomizer.class, () -> (name, source) -> kafka.source(source));
    }

    private static void await(Eventually.Condition condition) {
        Eventually.await("what the test waits for", condition);
    }

    private static Health health(ApplicationContext context, String kind) {
        CompositeHealthContributor kafka = (CompositeHealthContributor) context.getBean(CompositeHealthContributor.class)
                .getContributor("kafka");
        return ((HealthIndicator) ((CompositeHealthContributor) kafka.getContributor(kind)).getContributor("run")).health();
    }

    private static NetioSubscriber subscriber(ApplicationContext context) {
        return NetioSubscriber.create(NetioClient.create().backend(BackendType.TCP)
                .port(context.getBean(NetioServerLifecycle.class).server().port()));
    }

    @Test
    void shouldWriteWhatAClientGetsAndFinishItWhenTheContextStops() {
        MockedKafka kafka = new MockedKafka(true, 0);
        sinks(kafka).run(context -> {
            await(() -> detector.statistics().subscribers() == 1);
            hit(1_000);
            await(() -> health(context, "sinks").getDetails().get("acknowledged").equals(1_000L));
            assertThat(health(context, "sinks").getStatus()).isEqualTo(Status.UP);
            assertThat(context.getBean(NetioKeepAlive.class)).isNotNull();
            MeterRegistry registry = new SimpleMeterRegistry();
            context.getBean("netioKafkaMeterBinder", MeterBinder.class).bindTo(registry);
            assertThat(registry.get("netio.kafka.acknowledged").tags("role", "sink", "name", "run").functionCounter().count())
                    .isEqualTo(1_000);
        });
        List<ProducerRecord<byte[], byte[]>> records = kafka.producers().getFirst().history();
        assertThat(records).hasSize(1_000).allSatisfy(one -> assertThat(one.topic()).isEqualTo("run"));
        assertThat(ByteBuffer.wrap(records.get(999).value()).getLong()).isEqualTo(999);
        assertThat(kafka.producers().getFirst().closed()).isTrue();
    }

    @Test
    void shouldGiveRecordsTheTimeThatIsInTheirPayload() {
        assertThat(times("netio.kafka.sinks.run.timestamp.unit=seconds")).containsExactly(0L, 1_000L, 2_000L);
        assertThat(times("netio.kafka.sinks.run.timestamp.unit=nanoseconds",
                "netio.kafka.sinks.run.timestamp.byte-order=little-endian"))
                .containsExactly(0L, (1L << 56) / 1_000_000, (1L << 57) / 1_000_000);
    }

    private List<Long> times(String... properties) {
        detector.dispose();
        server.disposeNow(LIMIT);
        publish();
        MockedKafka kafka = new MockedKafka(true, 0);
        sinks(kafka).withPropertyValues(properties).withPropertyValues("netio.kafka.sinks.run.timestamp.offset=0")
                .run(context -> {
                    await(() -> detector.statistics().subscribers() == 1);
                    hit(3);
                    await(() -> health(context, "sinks").getDetails().get("acknowledged").equals(3L));
                });
        return kafka.producers().getFirst().history().stream().map(ProducerRecord::timestamp).toList();
    }

    @Test
    void shouldWaitForAcknowledgementsWhenTheContextStops() throws Exception {
        MockedKafka kafka = new MockedKafka(false, 0);
        CompletableFuture<Boolean> stopped = new CompletableFuture<>();
        AtomicBoolean over = new AtomicBoolean();
        sinks(kafka).run(context -> {
            await(() -> detector.statistics().subscribers() == 1);
            hit(1); // the first to a partition is waited for
            MockProducer<byte[], byte[]> producer = kafka.producers().getFirst();
            await(() -> producer.history().size() == 1);
            Thread.ofPlatform().start(() -> {
                try {
                    await(() -> health(context, "sinks").getDetails().get("inFlight").equals(1L));
                    await(() -> detector.statistics().subscribers() == 0); // the context stops
                    stopped.complete(Eventually.within(Duration.ofMillis(50), over::get));
                    producer.completeNext();
                } catch (AssertionError e) {
                    stopped.completeExceptionally(e);
                }
            });
            context.getSourceApplicationContext().stop();
            over.set(true);
            assertThat(stopped).isCompletedWithValue(false); // it takes nothing more, and waits for what it has
            assertThat(health(context, "sinks").getDetails()).containsEntry("acknowledged", 1L).containsEntry("inFlight", 0L);
            assertThat(health(context, "sinks").getStatus()).isEqualTo(Status.OUT_OF_SERVICE);

            context.getSourceApplicationContext().start();
            await(() -> kafka.producers().size() == 2 && health(context, "sinks").getStatus().equals(Status.UP));
        });
    }

    @Test
    void shouldTryAgainUntilKafkaIsThere() {
        MockedKafka kafka = new MockedKafka(true, 0).away(30);
        sinks(kafka).run(context -> {
            await(() -> health(context, "sinks").getStatus().equals(Status.DOWN));
            assertThat(String.valueOf(health(context, "sinks").getDetails().get("reason"))).contains("localhost:9092");
            assertThat(detector.statistics().subscribers()).isZero();
        });
        MockedKafka coming = new MockedKafka(true, 0).away(3);
        sinks(coming).run(context -> {
            await(() -> health(context, "sinks").getStatus().equals(Status.UP));
            await(() -> detector.statistics().subscribers() == 1);
            hit(1);
            await(() -> health(context, "sinks").getDetails().get("acknowledged").equals(1L));
        });
        sinks(new MockedKafka(true, 0).away(1)).withPropertyValues("netio.kafka.reconnect.enabled=false").run(context -> {
            await(() -> health(context, "sinks").getDetails().get("state") == KafkaWatch.Status.FAILED);
            assertThat(health(context, "sinks").getStatus()).isEqualTo(Status.DOWN);
        });
    }

    @Test
    void shouldBeginAgainAfterAFailureAndNotAfterOneThatWouldComeAgain() {
        MockedKafka kafka = new MockedKafka(false, 0);
        sinks(kafka).run(context -> {
            await(() -> detector.statistics().subscribers() == 1);
            hit(1);
            await(() -> kafka.producers().getFirst().history().size() == 1);
            kafka.producers().getFirst().errorNext(new IllegalStateException("broken"));
            await(() -> kafka.producers().size() == 2);
            await(() -> {
                hit(1); // the first ones may still go to the subscription that is being cancelled
                return !kafka.producers().get(1).history().isEmpty();
            });
            kafka.producers().get(1).errorNext(new org.apache.kafka.common.errors.RecordTooLargeException("too large"));
            await(() -> health(context, "sinks").getDetails().get("state") == KafkaWatch.Status.FAILED);
            assertThat(String.valueOf(health(context, "sinks").getDetails().get("reason"))).contains("tag 7");
            assertThat(kafka.producers()).hasSize(2);
        });
    }

    @Test
    void shouldEndWhenTheDetectorDoes() {
        sinks(new MockedKafka(true, 0)).run(context -> {
            await(() -> detector.statistics().subscribers() == 1);
            hit(3);
            hits.tryEmitComplete();
            await(() -> health(context, "sinks").getDetails().get("state") == KafkaWatch.Status.COMPLETED);
            assertThat(health(context, "sinks").getStatus()).as("it writes nothing more").isEqualTo(Status.OUT_OF_SERVICE);
            assertThat(health(context, "sinks").getDetails()).containsEntry("acknowledged", 3L);
            context.getSourceApplicationContext().stop();
        });
    }

    @Test
    void shouldHaveAHundredSinks() {
        List<String> properties = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            properties.addAll(List.of("netio.kafka.sinks.s" + i + ".tags=7", "netio.kafka.sinks.s" + i + ".topic=run",
                    "netio.kafka.sinks.s" + i + ".from=now"));
        }
        sinks(new MockedKafka(true, 0).away(50)).withPropertyValues(properties.toArray(String[]::new)).run(context -> {
            await(() -> detector.statistics().subscribers() == 101);
            context.getSourceApplicationContext().stop();
            await(() -> detector.statistics().subscribers() == 0);
        });
    }

    @Test
    void shouldPublishATopic() {
        sources(new MockedKafka(true, 100)).run(context -> {
            assertThat(health(context, "sources").getStatus()).isEqualTo(Status.UNKNOWN);
            List<TaggedMessage> got = subscriber(context).subscribe(Tags.range(0, 9)).collectList().block(LIMIT);
            assertThat(got).extracting(one -> one.payload().getLong(0)).hasSize(100).isSorted();
            await(() -> health(context, "sources").getDetails().get("state") == KafkaWatch.Status.COMPLETED);
            assertThat(health(context, "sources").getStatus()).as("it has done its work").isEqualTo(Status.UP);
            assertThat(health(context, "sources").getDetails()).containsEntry("emitted", 100L);
            Info.Builder info = new Info.Builder();
            context.getBean(InfoContributor.class).contribute(info);
            assertThat(info.build().get("netio").toString()).contains("kafka={sources={run={topics=[run], tags=[0-9]");
        });
    }

    @Test
    void shouldLeaveOutOtherTagsAndPublishAnewAfterARestart() {
        sources(new MockedKafka(true, 100)).withPropertyValues("netio.kafka.sources.run.tags=3").run(context -> {
            for (int i = 0; i < 3; i++) {
                assertThat(subscriber(context).subscribe(3).count().block(LIMIT)).isEqualTo(10);
                context.getSourceApplicationContext().stop();
                assertThat(health(context, "sources").getStatus()).isEqualTo(Status.OUT_OF_SERVICE);
                context.getSourceApplicationContext().start();
            }
            context.getSourceApplicationContext().stop(); // without a subscriber meanwhile
            context.getSourceApplicationContext().start();
            assertThat(subscriber(context).subscribe(3).count().block(LIMIT)).isEqualTo(10);
        });
    }

    @Test
    void shouldPublishWhenKafkaHasCome() {
        sources(new MockedKafka(true, 20).away(3)).run(context ->
                assertThat(subscriber(context).subscribe(Tags.range(0, 9)).count().block(LIMIT)).isEqualTo(20));
    }

    /** A subscriber would take the end of the stream for the end of the data. */
    @Test
    void shouldNotTellSubscribersThatATopicEndsWhenTheServerStops() {
        CompletableFuture<Throwable> told = new CompletableFuture<>();
        sources(new MockedKafka(true, 100)).withPropertyValues("netio.kafka.sources.run.follow=true").run(context -> {
            CompletableFuture<Void> first = new CompletableFuture<>();
            subscriber(context).subscribe(Tags.range(0, 9)).subscribe(one -> first.complete(null), told::complete,
                    () -> told.completeExceptionally(new AssertionError("complete")));
            first.get(LIMIT.toSeconds(), java.util.concurrent.TimeUnit.SECONDS);
        });
        assertThat(told.orTimeout(LIMIT.toSeconds(), java.util.concurrent.TimeUnit.SECONDS).join()).hasMessageContaining("7");
    }

    @Test
    void shouldSetWhatThePropertiesSay() {
        MockedKafka kafka = new MockedKafka(true, 0);
        sinks(kafka).withPropertyValues("netio.kafka.properties.compression.type=lz4", "netio.kafka.sinks.run.client=detector",
                "netio.kafka.sinks.run.properties.linger.ms=7", "netio.kafka.sinks.run.transaction.id=t",
                "netio.kafka.sinks.run.delivery-timeout=40s", "netio.kafka.sinks.run.partitioning=tag",
                "netio.kafka.sinks.run.too-large=skip", "netio.kafka.sinks.run.in-flight.messages=5").run(context -> {
                    await(() -> health(context, "sinks").getStatus().equals(Status.UP));
                    assertThat(kafka.settings()).containsEntry("compression.type", "lz4").containsEntry("linger.ms", "7")
                            .containsEntry("transactional.id", "t").containsEntry("delivery.timeout.ms", 40_000)
                            .containsEntry("bootstrap.servers", "localhost:9092");
                });
        MockedKafka springs = new MockedKafka(true, 10);
        sources(springs).withPropertyValues("netio.kafka.bootstrap-servers=",
                "spring.kafka.bootstrap-servers=a:1, b:2").run(context -> {
                    subscriber(context).subscribe(Tags.range(0, 9)).blockLast(LIMIT);
                    assertThat(springs.settings()).containsEntry("bootstrap.servers", "a:1,b:2");
                });
    }

    @Test
    void shouldSayWhatIsWrong() {
        for (String[] wrong : new String[][] {
            {"netio.kafka.sinks.run.tags=7,seven", "netio.kafka.sinks.run.tags is [7, seven]", "'seven' is no tag"},
            {"netio.kafka.sinks.run.tags=", "netio.kafka.sinks.run.tags is not set", "such as 7"},
            {"netio.kafka.sinks.run.client=dtector", "netio.kafka.sinks.run.client is dtector", "netio.clients are detector"},
            {"netio.clients.other.port=1", "netio.kafka.sinks.run.client", "set it to one of them"},
            {"netio.clients.detector.framing=raw", "netio.kafka.sinks.run.client", "stream framing"},
            {"netio.kafka.sinks.run.topic=", "netio.kafka.sinks.run.topic is not set", "which has to exist"},
            {"netio.kafka.sinks.run.partitioning=random", "netio.kafka.sinks.run.partitioning", "KEY_HASH"},
            {"netio.kafka.sinks.run.too-large=ignore", "netio.kafka.sinks.run.too-large", "SKIP"},
            {"netio.kafka.sinks.run.from=yesterday", "netio.kafka.sinks.run.from", "NOW"},
            {"netio.kafka.sinks.run.in-flight.messages=0", "netio.kafka.sinks.run.in-flight", "at least 1"},
            {"netio.kafka.sinks.run.timestamp.offset=8", "run.timestamp.unit is not set", "nanoseconds"},
            {"netio.kafka.sinks.run.timestamp.unit=seconds", "run.timestamp.offset is not set", "in the payload"},
            {"netio.kafka.sinks.run.timestamp.offset=-1 ,netio.kafka.sinks.run.timestamp.unit=seconds", "run.timestamp.offset",
                "0 or more"},
            {"netio.kafka.sinks.run.timestamp.unit=ns", "netio.kafka.sinks.run.timestamp.unit", "NANOSECONDS"},
            {"netio.kafka.sinks.run.timeout=0s", "netio.kafka.sinks.run.timeout", "longer than nothing"},
            {"netio.kafka.sinks.run.transaction.id=t ,netio.kafka.sinks.run.transaction.messages=0", "transaction",
                "at least 1 message"},
            {"netio.kafka.sinks.topic=run", "netio.kafka.sinks.topic", "write netio.kafka.sinks.<name>.topic"},
            {"netio.kafka.bootstrap-servers=", "netio.kafka.bootstrap-servers is not set", "spring.kafka.bootstrap-servers"},
            {"netio.kafka.bootstrap-servers=kafka", "netio.kafka.bootstrap-servers is [kafka]", "host:port"},
            {"netio.kafka.properties.acks=1", "netio.kafka.properties.acks is 1", "it is always all"},
            {"netio.kafka.sinks.run.properties.compression.type=rar", "compression.type is rar", "gzip"},
            {"netio.kafka.sinks.run.properties.linger.ms=soon", "linger.ms is soon", "not a number"},
            {"netio.kafka.reconnect.min-backoff=0s", "min-backoff", "keep a thread busy"},
            {"netio.kafka.reconnect.max-backoff=1ms", "max-backoff", "min-backoff"}}) {
            contexts().withPropertyValues("netio.clients.detector.port=1").withPropertyValues(SINK)
                    .withPropertyValues(wrong[0].contains(" ,") ? wrong[0].split(",") : new String[] {wrong[0]}).run(context ->
                            assertThat(Contexts.failure(context)).contains(wrong[1]).containsIgnoringCase(wrong[2]));
        }
        for (String[] wrong : new String[][] {
            {"netio.server.enabled=false", "netio.server.port is not set", "no server"},
            {"netio.kafka.sources.run.tags=1,2", "netio.kafka.sources.run.tags is [1, 2]", "one tag, range or pattern"},
            {"netio.kafka.sources.run.topics=", "netio.kafka.sources.run.topics is not set", "which have to exist"},
            {"netio.kafka.sources.run.from=noon", "netio.kafka.sources.run.from", "2026-11-23T22:00:00Z"},
            {"netio.kafka.sources.run.speed=0", "netio.kafka.sources.run.speed", "more than 0"},
            {"netio.kafka.sources.run.rate=-1", "netio.kafka.sources.run.rate", "more than 0"},
            {"netio.kafka.sources.run.publisher=other", "publisher is other", "netioPublisher"},
            {"netio.kafka.sources.run.properties.group.id=g", "group.id is g", "in no group"}}) {
            contexts().withPropertyValues(SOURCE).withPropertyValues(wrong[0]).run(context ->
                    assertThat(Contexts.failure(context)).contains(wrong[1]).containsIgnoringCase(wrong[2]));
        }
        contexts().withPropertyValues(SOURCE).withPropertyValues("netio.kafka.sources.run.speed=2",
                "netio.kafka.sources.run.rate=3").run(context ->
                        assertThat(Contexts.failure(context)).contains("run.rate is 3.0", "Set one of the two"));
        contexts().withPropertyValues(SOURCE).withBean(NetioPublisherCustomizer.class, () -> publisher ->
                publisher.publish(3, Flux.never())).run(context -> assertThat(Contexts.failure(context))
                        .contains("netio.kafka.sources.run.tags is [0-9]", "tags of its own"));
    }

    @Test
    void shouldSayThatTheArtifactIsMissingWhereItIsConfiguredAndNothingElsewhere() {
        contexts().withPropertyValues(SINK)
                .withClassLoader(new FilteredClassLoader("io.reactivenetio.kafka", "org.apache.kafka")).run(context ->
                        assertThat(Contexts.failure(context)).contains("io.reactivenetio:reactive-netio-kafka"));
        contexts().withPropertyValues("netio.server.port=0")
                .withClassLoader(new FilteredClassLoader("io.reactivenetio.kafka", "org.apache.kafka"))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(KafkaTransfers.class));
        contexts().withPropertyValues("netio.kafka.bootstrap-servers=localhost:1").run(context ->
                assertThat(context).hasNotFailed().doesNotHaveBean(KafkaTransfers.class));
        sinks(new MockedKafka(true, 0)).withClassLoader(new FilteredClassLoader("io.micrometer",
                "org.springframework.boot.health", "org.springframework.boot.actuate")).run(context ->
                        assertThat(context).hasNotFailed());
    }
}
