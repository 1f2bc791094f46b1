// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.reactivenetio.NetioClient;
import io.reactivenetio.NetioServer;
import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.api.TaggedMessage;
import io.reactivenetio.api.Tags;
import io.reactivenetio.kafka.NetioKafkaException.Reason;
import io.reactivenetio.pubsub.NetioPublisher;
import io.reactivenetio.pubsub.NetioSubscriber;
import io.reactivenetio.pubsub.Position;
import io.reactivenetio.pubsub.SequencedEvent;
import io.reactivenetio.pubsub.SequencedMessage;
import io.reactivenetio.testing.Eventually;
import io.reactivenetio.testing.KafkaBroker;
import io.reactivenetio.transport.BackendType;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.stream.LongStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Flux;
import reactor.test.StepVerifier;

/** Sink and source with a real broker, a process of its own that is killed now and then. */
@Tag("cluster")
@Timeout(180)
class NetioKafkaClusterTest {
    private static final Tags TAGS = Tags.range(10, 19);
    private static final Duration LONG = Duration.ofSeconds(90);

    @TempDir
    private static Path folder;
    private static KafkaBroker broker;

    @BeforeAll
    static void start() throws Exception {
        broker = KafkaBroker.start(folder, "authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer",
                "allow.everyone.if.no.acl.found=true");
    }

    @AfterAll
    static void end() {
        broker.close();
    }

    private static void topic(String name, int partitions, Map<String, String> settings) throws Exception {
        try (Admin admin = Admin.create(Map.<String, Object>of("bootstrap.servers", broker.address()))) {
            admin.createTopics(List.of(new NewTopic(name, partitions, (short) 1).configs(settings))).all().get();
        }
    }

    private static NetioKafkaSink sink(String topic) {
        return NetioKafkaSink.create(broker.address()).topic(topic);
    }

    private static NetioKafkaSource source(String topic) {
        return NetioKafkaSource.create(broker.address()).topics(topic).toPresentEnd();
    }

    private static TaggedMessage event(long n) {
        return new TaggedMessage(10 + n % 10, (int) (n % 256), ByteBuffer.allocate(64).putLong(n).rewind());
    }

    private static Flux<SequencedEvent> events(long run, int from, int n) {
        return Flux.range(from, n).map(i -> new SequencedMessage(TAGS, run, i, event(i)));
    }

    private static List<Long> sequences(String topic) {
        return source(topic).records().map(one -> NetioKafkaHeaders.sequence(one).orElseThrow()).collectList().block(LONG);
    }

    /** A detector that publishes, and a subscriber that is connected to it. */
    private static <T> T withDetector(Flux<TaggedMessage> messages, Function<NetioSubscriber, T> use) {
        NetioPublisher publisher = NetioPublisher.create().publish(TAGS, messages);
        DisposableServer server = publisher.serve(NetioServer.create().backend(BackendType.TCP)).bindNow();
        try {
            return use.apply(NetioSubscriber.create(NetioClient.create().backend(BackendType.TCP).port(server.port())));
        } finally {
            server.dispose();
            publisher.dispose();
        }
    }

    @Test
    void shouldNeitherLoseNorDoubleAMessageWhenTheBrokerIsKilledInMidStream() throws Exception {
        int n = 200_000;
        topic("killed", 3, Map.of());
        NetioKafkaSink sink = sink("killed");
        CompletableFuture<Void> killed = new CompletableFuture<>();
        Thread killer = new Thread(() -> {
            try {
                until(() -> sink.statistics().acknowledged() >= n / 4);
                broker.kill();
                TimeUnit.SECONDS.sleep(2); // it is away for a while, as after a crash
                killed.complete(null);
                broker.restart();
            } catch (Exception e) {
                killed.completeExceptionally(e);
            }
        });
        killer.start();
        List<Long> acknowledged = withDetector(Flux.range(0, n).map(NetioKafkaClusterTest::event), subscriber ->
                sink.send(subscriber.subscribeSequenced(TAGS)).map(Acknowledgement::sequence).collectList().block(LONG));
        killer.join();
        assertThat(killed).isCompleted();
        List<Long> all = LongStream.range(0, n).boxed().toList();
        assertThat(acknowledged).isEqualTo(all);
        assertThat(sequences("killed")).isEqualTo(all); // each once, and merged in the order of the run
        assertThat(sink.statistics()).isEqualTo(new KafkaSinkStatistics(n, n, 0, 0, 64L * n, 0, 0, 0, 0, 0, 0));
    }

    @Test
    void shouldReplayTheSameTagsStatusesPayloadsAndOrderToASubscriber() throws Exception {
        int n = 20_000;
        topic("replayed", 4, Map.of());
        sink("replayed").sendTagged(Flux.range(0, n).map(NetioKafkaClusterTest::event)).then().block(LONG);
        List<TaggedMessage> got = withDetector(source("replayed").messages(), subscriber ->
                subscriber.subscribe(TAGS).collectList().block(LONG));
        Map<Long, Long> next = new HashMap<>();
        for (TaggedMessage message : got) {
            long number = message.payload().getLong(0);
            assertThat(message).isEqualTo(event(number));
            assertThat(number).isEqualTo(next.merge(message.tag(), number, (before, now) -> before + 10));
            next.putIfAbsent(message.tag(), number);
        }
        assertThat(got).hasSize(n);
    }

    @Test
    void shouldShowWholeTransactionsOnly() throws Exception {
        topic("transactions", 3, Map.of());
        NetioKafkaSink sink = sink("transactions").transactional("netio-test", 1_000, Duration.ofHours(1));
        // the third transaction is cut off
        StepVerifier.create(sink.send(events(5, 0, 2_500).concatWith(Flux.never())).count().ignoreElement())
                .expectSubscription()
                .then(() -> until(() -> sink.statistics().acknowledged() == 2_000 && sink.statistics().inFlight() == 500))
                .thenAwait(Duration.ofSeconds(3)) // some of them are at the broker by now
                .thenCancel().verify(LONG);
        assertThat(sink.statistics().acknowledged()).isEqualTo(2_000);
        until(() -> sink.statistics().inFlight() == 0);
        assertThat(sequences("transactions")).isEqualTo(LongStream.range(0, 2_000).boxed().toList());
        long raw = source("transactions").property("isolation.level", "read_uncommitted").records().count().block(LONG);
        assertThat(raw).isBetween(2_001L, 2_500L);
        // and one that fails: nothing of the fourth is seen
        StepVerifier.create(sink.send(events(5, 2_000, 500).concatWith(Flux.just(tooLarge(2_500)))))
                .expectErrorSatisfies(failure -> assertThat(failure).hasMessageContaining("sequence 2500")).verify(LONG);
        assertThat(sequences("transactions")).hasSize(2_000);
        sink.send(events(5, 2_000, 1_500)).then().block(LONG);
        assertThat(sequences("transactions")).isEqualTo(LongStream.range(0, 3_500).boxed().toList());
    }

    private static void until(Eventually.Condition condition) {
        assertThat(Eventually.within(LONG, condition)).as("in time").isTrue();
    }

    /** Messages are told apart by the milliseconds in which the broker got them. */
    private static void untilTheClockMoves() {
        long millis = System.currentTimeMillis();
        until(() -> System.currentTimeMillis() > millis + 1);
    }

    private static SequencedEvent tooLarge(long sequence) {
        return new SequencedMessage(TAGS, 5, sequence, TaggedMessage.of(10, ByteBuffer.allocate(2 << 20)));
    }

    @Test
    void shouldEndAnEarlierProducerWithTheSameId() throws Exception {
        topic("fenced", 1, Map.of());
        NetioKafkaSink sink = sink("fenced").transactional("netio-fenced", 10, Duration.ofMillis(50));
        CompletableFuture<List<Acknowledgement>> first = sink.send(events(5, 0, 1_000_000).delayElements(Duration.ofMillis(5)))
                .collectList().toFuture();
        until(() -> sink.statistics().acknowledged() > 0);
        sink("fenced").transactional("netio-fenced", 10, Duration.ofMillis(50)).send(events(6, 0, 5)).then().block(LONG);
        assertThat(first).failsWithin(LONG).withThrowableThat().havingCause().isInstanceOfSatisfying(NetioKafkaException.class,
                // as a rule FENCED; Kafka 4.3 now and then tells the earlier one of an "unexpected error" instead
                failure -> assertThat(failure.reason()).isIn(Reason.FENCED, Reason.OTHER));
    }

    @Test
    void shouldFindTheLastPositionOverAllPartitionsAndWhatIsMissingBeforeIt() throws Exception {
        topic("positions", 3, Map.of());
        NetioKafkaSink sink = sink("positions");
        assertThat(sink.lastPosition(TAGS).blockOptional(LONG)).isEmpty();
        sink.send(events(5, 0, 3_000)).then().block(LONG);
        sink.sendTagged(Flux.range(0, 100).map(NetioKafkaClusterTest::event)).then().block(LONG); // these have no numbers
        assertThat(sink.lastPosition(TAGS).block(LONG)).isEqualTo(new KafkaPosition(new Position(5, 2_999), List.of()));
        untilTheClockMoves();
        sink.send(events(6, 10, 50).filter(one -> ((SequencedMessage) one).sequence() % 25 != 0)).then().block(LONG);
        KafkaPosition found = sink.lastPosition(TAGS).block(LONG);
        assertThat(found.position()).isEqualTo(new Position(6, 59));
        assertThat(found.missing()).extracting("from").containsExactly(25L, 50L);
        assertThat(found.missingMessages()).isEqualTo(2);
        assertThat(sink.lastPosition(Tags.of(11)).block(LONG).position()).isEqualTo(new Position(6, 51));
        assertThat(sink.lastPosition(Tags.of(99)).blockOptional(LONG)).isEmpty();
    }

    @Test
    void shouldBeginAtATime() throws Exception {
        topic("times", 2, Map.of());
        sink("times").send(events(5, 0, 100)).then().block(LONG);
        untilTheClockMoves();
        Instant between = Instant.now();
        untilTheClockMoves();
        sink("times").send(events(5, 100, 100)).then().block(LONG);
        assertThat(source("times").fromTime(between).records().map(one -> NetioKafkaHeaders.sequence(one).orElseThrow())
                .collectList().block(LONG)).isEqualTo(LongStream.range(100, 200).boxed().toList());
        assertThat(source("times").fromTime(Instant.now()).records().count().block(LONG)).isZero();
        assertThat(source("times").fromTime(Instant.MIN).records().count().block(LONG)).isEqualTo(200);
        assertThat(source("times").fromTime(Instant.MAX).records().count().block(LONG)).isZero();
    }

    @Test
    void shouldGoOnAtTheEndOfATopic() throws Exception {
        topic("endless", 3, Map.of());
        sink("endless").send(events(5, 0, 100)).then().block(LONG);
        Flux<ConsumerRecord<byte[], byte[]>> endless = NetioKafkaSource.create(broker.address()).topics("endless").records();
        StepVerifier.create(endless.map(one -> NetioKafkaHeaders.sequence(one).orElseThrow()), 150)
                .expectNextCount(100)
                .then(() -> sink("endless").send(events(5, 100, 100)).then().block(LONG))
                .expectNextCount(50).expectNoEvent(Duration.ofMillis(300))
                .thenRequest(50).expectNextCount(49).expectNext(199L)
                .thenCancel().verify(LONG);
    }

    @Test
    void shouldSayThatNobodyListensOrThatThereIsNoSuchTopic() {
        long begun = System.nanoTime();
        StepVerifier.create(NetioKafkaSink.create("127.0.0.1:1").topic("run").timeout(Duration.ofSeconds(2))
                        .send(events(5, 0, 1)))
                .expectErrorSatisfies(failure -> assertThat(failure).hasMessageContaining("no broker at 127.0.0.1:1")
                        .extracting(f -> ((NetioKafkaException) f).reason()).isEqualTo(Reason.NO_BROKER)).verify(LONG);
        StepVerifier.create(NetioKafkaSource.create("127.0.0.1:1").topics("run").timeout(Duration.ofSeconds(2)).messages())
                .expectErrorSatisfies(failure -> assertThat(failure).hasMessageContaining("no broker at 127.0.0.1:1"))
                .verify(LONG);
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(60));
        StepVerifier.create(sink("nowhere").send(events(5, 0, 1)))
                .expectErrorSatisfies(failure -> assertThat(failure).hasMessageContaining("topic nowhere: there is no such topic")
                        .hasMessageContaining("--create")).verify(LONG);
        StepVerifier.create(source("nowhere").messages())
                .expectErrorSatisfies(failure -> assertThat(failure).hasMessageContaining("nowhere: there is no such topic"))
                .verify(LONG);
        StepVerifier.create(NetioKafkaSink.create(broker.address()).topic(tag -> "nowhere-" + tag)
                        .deliveryTimeout(Duration.ofSeconds(2)).send(events(5, 0, 1)))
                .expectErrorSatisfies(failure -> assertThat(failure).hasMessageContaining("nowhere-10")
                        .hasMessageContaining("there is no such topic")).verify(LONG);
        StepVerifier.create(sink("no/name").send(events(5, 0, 1)))
                .expectErrorSatisfies(failure -> assertThat(failure).hasMessageContaining("no/name")
                        .extracting(f -> ((NetioKafkaException) f).reason()).isEqualTo(Reason.NO_TOPIC)).verify(LONG);
        StepVerifier.create(NetioKafkaSink.create("no such host:9092").topic("run").send(events(5, 0, 1)))
                .expectErrorSatisfies(failure -> assertThat(failure).hasMessageContaining("no such host:9092")).verify(LONG);
    }

    @Test
    void shouldNameOrCountWhatTheBrokerDoesNotTake() throws Exception {
        topic("small", 1, Map.of("max.message.bytes", "10000"));
        Flux<SequencedEvent> one = events(5, 0, 100).concatWith(Flux.just(new SequencedMessage(TAGS, 5, 100,
                TaggedMessage.of(12, ByteBuffer.allocate(20_000))))).concatWith(events(5, 101, 100));
        StepVerifier.create(sink("small").property("batch.size", 5_000).send(one).then())
                .expectErrorSatisfies(failure -> assertThat(failure).hasMessageContaining("tag 12")
                        .hasMessageContaining("sequence 100").hasMessageContaining("max.message.bytes")
                        .extracting(f -> ((NetioKafkaException) f).reason()).isEqualTo(Reason.TOO_LARGE)).verify(LONG);
        NetioKafkaSink skipping = sink("small").property("batch.size", 5_000).skipTooLarge();
        assertThat(skipping.send(one).count().block(LONG)).isEqualTo(200);
        assertThat(skipping.statistics().tooLarge()).isEqualTo(1);
    }

    @Test
    void shouldReadOnAfterTheBrokerWasKilledInMidReplay() throws Exception {
        int n = 30_000;
        topic("resumed", 3, Map.of());
        sink("resumed").send(events(5, 0, n)).then().block(LONG);
        StepVerifier.create(source("resumed").property("max.partition.fetch.bytes", 50_000).records()
                        .map(one -> NetioKafkaHeaders.sequence(one).orElseThrow()), 10_000)
                .recordWith(ArrayList::new).expectNextCount(10_000)
                .then(() -> broker.kill())
                .thenRequest(Long.MAX_VALUE)
                .then(NetioKafkaClusterTest::restart)
                .expectNextCount(n - 10_000)
                .consumeRecordedWith(all -> assertThat(all).isEqualTo(LongStream.range(0, n).boxed().toList()))
                .expectComplete().verify(LONG);
    }

    private static void restart() {
        try {
            broker.restart();
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static AclBinding acl(String topic, AclOperation operation, AclPermissionType type) {
        return new AclBinding(new ResourcePattern(ResourceType.TOPIC, topic, PatternType.LITERAL),
                new AccessControlEntry("User:ANONYMOUS", "*", operation, type));
    }

    @Test
    void shouldSayWhatKafkaDoesNotAllow() throws Exception {
        topic("secret", 1, Map.of());
        topic("readonly", 1, Map.of());
        try (Admin admin = Admin.create(Map.<String, Object>of("bootstrap.servers", broker.address()))) {
            admin.createAcls(List.of(acl("secret", AclOperation.ALL, AclPermissionType.DENY),
                    acl("readonly", AclOperation.DESCRIBE, AclPermissionType.ALLOW))).all().get();
        }
        StepVerifier.create(sink("secret").send(events(5, 0, 1))).expectErrorSatisfies(NetioKafkaClusterTest::isNotAllowed)
                .verify(LONG);
        StepVerifier.create(source("secret").messages()).expectErrorSatisfies(NetioKafkaClusterTest::isNotAllowed).verify(LONG);
        StepVerifier.create(sink("readonly").send(events(5, 0, 1))).expectErrorSatisfies(NetioKafkaClusterTest::isNotAllowed)
                .verify(LONG);
        sink("readonly").lastPosition(TAGS).blockOptional(LONG); // nothing is read where there is nothing
    }

    private static void isNotAllowed(Throwable failure) {
        assertThat(failure).hasMessageContaining("does not allow").hasMessageContaining(broker.address())
                .extracting(f -> ((NetioKafkaException) f).reason()).isEqualTo(Reason.NOT_ALLOWED);
    }

    @Test
    void shouldFailWhenTheBrokerStaysAwayLongerThanADeliveryMayTake() throws Exception {
        topic("away", 1, Map.of());
        NetioKafkaSink sink = sink("away").deliveryTimeout(Duration.ofSeconds(3)).inFlight(100, 1 << 20);
        CompletableFuture<Void> ended = sink.send(events(5, 0, 1_000_000).delayElements(Duration.ofMillis(1))).then().toFuture();
        until(() -> sink.statistics().acknowledged() >= 100);
        broker.kill();
        try {
            assertThat(ended).failsWithin(LONG).withThrowableThat().havingCause()
                    .isInstanceOfSatisfying(NetioKafkaException.class, failure -> {
                        assertThat(failure).hasMessageContaining(broker.address());
                        assertThat(failure.unacknowledged()).isBetween(1L, 100L);
                    });
            assertThat(sink.statistics().inFlight()).isZero();
        } finally {
            broker.restart();
        }
    }

    private static void withAdmin(Function<Admin, KafkaFuture<Void>> what) throws Exception {
        try (Admin admin = Admin.create(Map.<String, Object>of("bootstrap.servers", broker.address()))) {
            what.apply(admin).get();
        }
    }

    @Test
    void shouldReadPartitionsThatAreAddedWhileItFollows() throws Exception {
        topic("grows", 1, Map.of());
        NetioKafkaSource follows = NetioKafkaSource.create(broker.address()).topics("grows")
                .property("metadata.max.age.ms", 1_000);
        AtomicLong seen = new AtomicLong();
        CompletableFuture<List<Long>> read = follows.records().doOnNext(one -> seen.incrementAndGet())
                .map(one -> NetioKafkaHeaders.sequence(one).orElseThrow()).take(3_000).collectList().toFuture();
        sink("grows").send(events(8, 0, 1_000)).then().block(LONG);
        until(() -> seen.get() == 1_000);
        withAdmin(admin -> admin.createPartitions(Map.of("grows", NewPartitions.increaseTo(3))).all());
        sink("grows").send(events(8, 1_000, 2_000)).then().block(LONG); // before and while the source finds them
        assertThat(read.get(LONG.toSeconds(), TimeUnit.SECONDS))
                .containsExactlyInAnyOrderElementsOf(LongStream.range(0, 3_000).boxed().toList());
    }

    @Test
    void shouldSayThatATopicIsGoneWhileItFollows() throws Exception {
        topic("goes", 2, Map.of());
        NetioKafkaSource follows = NetioKafkaSource.create(broker.address()).topics("goes").timeout(Duration.ofSeconds(3))
                .property("metadata.max.age.ms", 1_000);
        sink("goes").send(events(9, 0, 10)).then().block(LONG);
        StepVerifier.create(follows.messages()).expectNextCount(10)
                .then(() -> assertThatCode(() -> withAdmin(admin -> admin.deleteTopics(List.of("goes")).all()))
                        .doesNotThrowAnyException())
                .expectErrorSatisfies(failure -> assertThat(failure).hasMessageContaining("goes-1")
                        .extracting(f -> ((NetioKafkaException) f).reason()).isEqualTo(Reason.NO_TOPIC)).verify(LONG);
    }

    /** As when nothing is measured over a weekend: brokers keep what they know of a producer for a day. */
    @Test
    void shouldGoOnAfterASilenceInWhichTheBrokerForgetsItsProducer(@TempDir Path own) throws Exception {
        try (KafkaBroker forgetful = KafkaBroker.start(own, "producer.id.expiration.ms=500",
                "producer.id.expiration.check.interval.ms=100")) {
            try (Admin admin = Admin.create(Map.<String, Object>of("bootstrap.servers", forgetful.address()))) {
                admin.createTopics(List.of(new NewTopic("silent", 1, (short) 1))).all().get();
            }
            Flux<SequencedEvent> twice = events(30, 0, 500)
                    .concatWith(events(30, 500, 500).delaySubscription(Duration.ofSeconds(3)));
            NetioKafkaSink.create(forgetful.address()).topic("silent").send(twice).then().block(LONG);
            assertThat(NetioKafkaSource.create(forgetful.address()).topics("silent").toPresentEnd().records()
                    .map(one -> NetioKafkaHeaders.sequence(one).orElseThrow()).collectList().block(LONG))
                    .isEqualTo(LongStream.range(0, 1_000).boxed().toList());
        }
    }

    /** Then the offset of the old topic is one of the new topic, too, and what is before it would be skipped without a word. */
    @Test
    void shouldSayThatATopicWasMadeAgainAndFilledBeyondItsOffset() throws Exception {
        topic("anew", 1, Map.of());
        NetioKafkaSource follows = NetioKafkaSource.create(broker.address()).topics("anew")
                .property("metadata.max.age.ms", 1_000).askForTopics(Duration.ofSeconds(1));
        sink("anew").send(events(20, 0, 100)).then().block(LONG);
        StepVerifier.create(follows.records().map(one -> NetioKafkaHeaders.run(one).orElseThrow()), 100)
                .expectNextCount(100)
                .then(() -> assertThatCode(() -> {
                    withAdmin(admin -> admin.deleteTopics(List.of("anew")).all());
                    TimeUnit.SECONDS.sleep(1);
                    topic("anew", 1, Map.of());
                    sink("anew").send(events(21, 0, 300)).then().block(LONG);
                }).doesNotThrowAnyException())
                .thenRequest(1_000)
                .thenConsumeWhile(run -> true) // a second of it at most
                .expectErrorSatisfies(failure -> assertThat(failure).hasMessageContaining("made again")
                        .extracting(f -> ((NetioKafkaException) f).reason()).isEqualTo(Reason.NO_OFFSET)).verify(LONG);
    }

    @Test
    void shouldSayThatTheTopicOfASinkWasMadeAgainWithFewerPartitions() throws Exception {
        topic("again", 3, Map.of());
        NetioKafkaSink sink = sink("again").deliveryTimeout(Duration.ofSeconds(8)).property("metadata.max.age.ms", 1_000);
        Flux<SequencedEvent> slow = events(10, 0, 100_000).delayElements(Duration.ofMillis(5));
        StepVerifier.create(sink.send(slow).ignoreElements())
                .then(() -> assertThatCode(() -> {
                    until(() -> sink.statistics().acknowledged() > 50);
                    withAdmin(admin -> admin.deleteTopics(List.of("again")).all());
                    TimeUnit.SECONDS.sleep(1);
                    topic("again", 1, Map.of());
                }).doesNotThrowAnyException())
                .expectErrorSatisfies(failure -> assertThat(failure).hasMessageContaining("it was made again meanwhile")
                        .extracting(f -> ((NetioKafkaException) f).reason()).isEqualTo(Reason.NO_TOPIC)).verify(LONG);
    }

    @Test
    void shouldFindRecordsByTheirEventTimeAndSayWhatABrokerDoesNotTake() throws Exception {
        topic("event-times", 2, Map.of());
        Instant begun = Instant.parse("2026-01-01T00:00:00Z");
        sink("event-times").timestamp(message -> begun.plusSeconds(message.payload().getLong(0)))
                .send(events(11, 0, 1_000)).then().block(LONG);
        assertThat(source("event-times").fromTime(begun.plusSeconds(900)).records()
                .map(one -> NetioKafkaHeaders.sequence(one).orElseThrow()).collectList().block(LONG))
                .isEqualTo(LongStream.range(900, 1_000).boxed().toList());
        Instant ahead = Instant.now().plus(Duration.ofHours(2));
        StepVerifier.create(sink("event-times").timestamp(message -> ahead).send(events(12, 0, 1_000)))
                .expectErrorSatisfies(failure -> assertThat(failure).hasMessageContaining("message.timestamp.after.max.ms")
                        .extracting(f -> ((NetioKafkaException) f).reason()).isEqualTo(Reason.TIMESTAMP)).verify(LONG);
        AtomicLong n = new AtomicLong();
        StepVerifier.create(sink("event-times").timestamp(message -> n.getAndIncrement() == 500 ? ahead : null)
                        .send(events(13, 0, 1_000)).ignoreElements()) // one in the middle of a batch
                .expectErrorSatisfies(failure -> assertThat(failure).hasMessageContaining("message.timestamp.after.max.ms")
                        .extracting(f -> ((NetioKafkaException) f).reason()).isEqualTo(Reason.TIMESTAMP)).verify(LONG);
    }
}
