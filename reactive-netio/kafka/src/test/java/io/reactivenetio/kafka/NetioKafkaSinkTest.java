// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.reactivenetio.api.TaggedMessage;
import io.reactivenetio.api.Tags;
import io.reactivenetio.kafka.NetioKafkaException.Reason;
import io.reactivenetio.pubsub.Gap;
import io.reactivenetio.pubsub.Position;
import io.reactivenetio.pubsub.RunChange;
import io.reactivenetio.pubsub.SequencedEvent;
import io.reactivenetio.pubsub.SequencedMessage;
import io.reactivenetio.testing.Eventually;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Sinks;
import reactor.test.StepVerifier;

@Timeout(180)
class NetioKafkaSinkTest {
    private static final Tags TAGS = Tags.range(1, 9);
    private static final long RUN = 0xABCDEF;
    private static final Duration LONG = Duration.ofSeconds(60);

    private final MockClients clients = new MockClients(false);
    private final NetioKafkaSink sink = NetioKafkaSink.create("host:1").clients(clients).topic("run");

    private static SequencedMessage message(long sequence) {
        return message(sequence, 8);
    }

    private static SequencedMessage message(long sequence, int bytes) {
        ByteBuffer payload = ByteBuffer.allocate(bytes);
        return new SequencedMessage(TAGS, RUN, sequence, new TaggedMessage(1 + sequence % 9, (int) (sequence % 256), payload));
    }

    private static Flux<SequencedEvent> messages(int n) {
        return Flux.range(0, n).map(NetioKafkaSinkTest::message);
    }

    private static void until(Eventually.Condition condition) {
        Eventually.await("what the test waits for", condition);
    }

    private void complete(int n) throws InterruptedException {
        for (int i = 0; i < n; i++) {
            until(clients.producer::completeNext);
        }
    }

    @Test
    void shouldWriteTagStatusRunSequenceAndTime() throws Exception {
        long before = System.currentTimeMillis();
        StepVerifier.create(sink.send(Flux.just(message(300))))
                .then(() -> assertThat(catching(() -> complete(1))).isNull())
                .assertNext(told -> assertThat(told).usingRecursiveComparison().ignoringFields("offset", "partition")
                        .isEqualTo(new Acknowledgement(4, RUN, 300, "run", 0, 0, 8)))
                .expectComplete().verify(LONG);
        ProducerRecord<byte[], byte[]> made = clients.producer.history().getFirst();
        assertThat(made.key()).isEqualTo(NetioKafkaHeaders.bytes(4));
        assertThat(made.headers().lastHeader("netio-tag").value()).isEqualTo(NetioKafkaHeaders.bytes(4));
        assertThat(made.headers().lastHeader("netio-status").value()).isEqualTo(new byte[] {44});
        assertThat(made.headers().lastHeader("netio-run").value()).isEqualTo(NetioKafkaHeaders.bytes(RUN));
        assertThat(made.headers().lastHeader("netio-sequence").value()).isEqualTo(NetioKafkaHeaders.bytes(300));
        assertThat(ByteBuffer.wrap(made.headers().lastHeader("netio-time").value()).getLong() / 1_000_000)
                .isEqualTo(made.timestamp()).isBetween(before, System.currentTimeMillis());
        assertThat(made.partition()).isZero();
        assertThat(clients.settings.peek()).containsEntry("acks", "all").containsEntry("enable.idempotence", true)
                .containsEntry("bootstrap.servers", "host:1");
        assertThat(clients.producer.closed()).isTrue();
    }

    private interface Throwing {
        void run() throws Exception;
    }

    private static Exception catching(Throwing code) {
        try {
            code.run();
            return null;
        } catch (Exception e) {
            return e;
        }
    }

    @Test
    void shouldCopyPayloadsWithoutNumbersBeforeTheyChange() throws Exception {
        ByteBuffer reused = ByteBuffer.allocate(8);
        MockClients all = new MockClients(true);
        NetioKafkaSink plain = sink.clients(all);
        StepVerifier.create(plain.sendTagged(Flux.range(0, 100)
                        .map(i -> TaggedMessage.of(7, reused.clear().putLong(i).flip()))).then())
                .expectComplete().verify(LONG);
        assertThat(all.producer.history()).extracting(made -> ByteBuffer.wrap(made.value()).getLong())
                .containsExactlyElementsOf(Flux.range(0, 100).map(Integer::longValue).collectList().block());
        assertThat(all.producer.history().getFirst().headers().lastHeader("netio-run")).isNull();
        assertThat(all.producer.history().getFirst().headers().lastHeader("netio-sequence")).isNull();
        assertThat(plain.statistics().acknowledged()).isEqualTo(100);
    }

    @Test
    void shouldRequestWhatFitsAndMoreAsItIsAcknowledged() throws Exception {
        AtomicLong requested = new AtomicLong();
        NetioKafkaSink small = sink.inFlight(100, 1 << 20);
        StepVerifier.create(small.send(messages(1_000).doOnRequest(requested::addAndGet)).then())
                .then(() -> assertThat(catching(() -> {
                    complete(1); // the first of a partition goes alone
                    until(() -> clients.producer.history().size() >= 100);
                    assertThat(Eventually.still(requested::get)).isBetween(100L, 101L);
                    assertThat(small.statistics().inFlight()).isBetween(99L, 100L);
                    assertThat(small.statistics().inFlightBytes()).isBetween(792L, 800L);
                    complete(999);
                })).isNull())
                .expectComplete().verify(LONG);
        assertThat(small.statistics()).isEqualTo(new KafkaSinkStatistics(1_000, 1_000, 0, 0, 8_000, 0, 0, 0, 0, 0, 0));
    }

    @Test
    void shouldBoundTheBytesInFlight() throws Exception {
        NetioKafkaSink small = sink.inFlight(10_000, 10_000);
        StepVerifier.create(small.send(Flux.range(0, 500).map(i -> message(i, 1_000))).then())
                .then(() -> assertThat(catching(() -> {
                    complete(1);
                    until(() -> clients.producer.history().size() >= 9);
                    assertThat(Eventually.still(() -> small.statistics().inFlightBytes())).isBetween(8_000L, 10_000L);
                    complete(499);
                })).isNull())
                .expectComplete().verify(LONG);
    }

    @Test
    void shouldSendAMessageAloneThatIsLargerThanTheLimitOfBytes() throws Exception {
        StepVerifier.create(sink.inFlight(10, 100).send(Flux.range(0, 3).map(i -> message(i, 10_000))).then())
                .then(() -> assertThat(catching(() -> complete(3))).isNull())
                .expectComplete().verify(LONG);
    }

    @Test
    void shouldAcknowledgeInOrderAndNoMoreThanRequested() throws Exception {
        StepVerifier.create(sink.send(messages(10)).map(Acknowledgement::sequence), 3)
                .then(() -> assertThat(catching(() -> complete(10))).isNull())
                .expectNext(0L, 1L, 2L)
                .expectNoEvent(Duration.ofMillis(100))
                .thenRequest(7)
                .expectNext(3L, 4L, 5L, 6L, 7L, 8L, 9L)
                .expectComplete().verify(LONG);
    }

    @Test
    void shouldCountGapsAndNewRuns() throws Exception {
        Flux<SequencedEvent> events = Flux.just(message(0), new Gap(TAGS, RUN, 1, 5), message(6),
                new RunChange(TAGS, new Position(RUN, 6), 99), new Gap(TAGS, 99, 0, 3));
        StepVerifier.create(sink.send(events).map(Acknowledgement::sequence))
                .then(() -> assertThat(catching(() -> complete(2))).isNull())
                .expectNext(0L, 6L)
                .expectComplete().verify(LONG);
        KafkaSinkStatistics counted = sink.statistics();
        assertThat(List.of(counted.gaps(), counted.missed(), counted.runs())).containsExactly(2L, 9L, 1L);
    }

    @Test
    void shouldFailWithTheUpstreamWhenWhatCameBeforeIsAcknowledged() throws Exception {
        StepVerifier.create(sink.send(messages(3).concatWith(Flux.error(new IllegalStateException("detector")))))
                .then(() -> assertThat(catching(() -> complete(3))).isNull())
                .expectNextCount(3)
                .expectErrorMessage("detector").verify(LONG);
        assertThat(clients.producer.closed()).isTrue();
    }

    @Test
    void shouldFailAndSayWhichMessageKafkaDidNotTake() throws Exception {
        AtomicBoolean cancelled = new AtomicBoolean();
        StepVerifier.create(sink.send(messages(5).concatWith(Flux.never()).doOnCancel(() -> cancelled.set(true))))
                .then(() -> assertThat(catching(() -> {
                    complete(1);
                    until(() -> clients.producer.history().size() == 5);
                    until(() -> clients.producer.errorNext(new TimeoutException("120000 ms have passed")));
                })).isNull())
                .expectNextCount(1)
                .expectErrorSatisfies(failure -> {
                    assertThat(failure).isInstanceOf(NetioKafkaException.class).hasMessageContaining("tag 2")
                            .hasMessageContaining("sequence 1").hasMessageContaining("host:1")
                            .hasMessageContaining("4 messages are not known to be in Kafka");
                    assertThat(((NetioKafkaException) failure).reason()).isEqualTo(Reason.NO_BROKER);
                    assertThat(((NetioKafkaException) failure).unacknowledged()).isEqualTo(4);
                }).verify(LONG);
        assertThat(cancelled).isTrue();
        until(() -> clients.producer.closed());
        assertThat(sink.statistics().failed()).isEqualTo(4);
        assertThat(sink.statistics().inFlight()).isZero();
    }

    @Test
    void shouldNameWhatIsTooLarge() {
        StepVerifier.create(sink.property("max.request.size", 5_000).send(Flux.just(message(7, 5_000))))
                .expectErrorSatisfies(failure -> assertThat(failure).hasMessageContaining("tag 8")
                        .hasMessageContaining("sequence 7").hasMessageContaining("max.request.size")
                        .extracting(f -> ((NetioKafkaException) f).reason()).isEqualTo(Reason.TOO_LARGE)).verify(LONG);
    }

    @Test
    void shouldLeaveOutWhatIsTooLargeIfAskedTo() throws Exception {
        NetioKafkaSink skipping = sink.property("max.request.size", "5000").skipTooLarge();
        StepVerifier.create(skipping.send(Flux.just(message(0), message(1, 5_000), message(2), message(3)))
                        .map(Acknowledgement::sequence))
                .then(() -> assertThat(catching(() -> {
                    complete(1);
                    until(() -> clients.producer.errorNext(new RecordTooLargeException("the broker's limit")));
                    complete(1);
                })).isNull())
                .expectNext(0L, 3L)
                .expectComplete().verify(LONG);
        assertThat(skipping.statistics().tooLarge()).isEqualTo(2);
        assertThat(skipping.statistics().inFlight()).isZero();
    }

    @Test
    void shouldSayWhatIsMissingBeforeItSubscribes() {
        AtomicBoolean subscribed = new AtomicBoolean();
        Flux<SequencedEvent> upstream = messages(1).doOnSubscribe(s -> subscribed.set(true));
        clients.noTopic = new ExecutionException(new UnknownTopicOrPartitionException("no"));
        StepVerifier.create(sink.send(upstream)).expectErrorSatisfies(failure -> assertThat(failure)
                .hasMessageContaining("topic run").hasMessageContaining("kafka-topics.sh --bootstrap-server host:1 --create")
                .extracting(f -> ((NetioKafkaException) f).reason()).isEqualTo(Reason.NO_TOPIC)).verify(LONG);
        clients.noTopic = new ExecutionException(new TimeoutException("Timed out"));
        StepVerifier.create(sink.send(upstream)).expectErrorSatisfies(failure -> assertThat(failure)
                .hasMessageContaining("no broker at host:1").extracting(f -> ((NetioKafkaException) f).reason())
                .isEqualTo(Reason.NO_BROKER)).verify(LONG);
        clients.noTopic = new ExecutionException(new TopicAuthorizationException("run"));
        StepVerifier.create(sink.send(upstream)).expectErrorSatisfies(failure -> assertThat(failure)
                .hasMessageContaining("does not allow").extracting(f -> ((NetioKafkaException) f).reason())
                .isEqualTo(Reason.NOT_ALLOWED)).verify(LONG);
        assertThat(subscribed).isFalse();
    }

    /** A broker that knows nothing of a producer takes any batch as its first, and refuses those before it from then on. */
    @Test
    void shouldSendTheFirstMessageOfAPartitionAlone() throws Exception {
        StepVerifier.create(sink.partition((tag, partitions) -> 0).send(messages(10)).then())
                .then(() -> assertThat(catching(() -> {
                    until(() -> clients.producer.history().size() == 1);
                    assertThat(Eventually.still(() -> clients.producer.history().size())).isEqualTo(1);
                    complete(1);
                    until(() -> clients.producer.history().size() == 10);
                    complete(9);
                })).isNull())
                .expectComplete().verify(LONG);
    }

    @Test
    void shouldCommitAfterSoManyMessagesAndAtTheEnd() throws Exception {
        MockClients all = new MockClients(true);
        NetioKafkaSink transactional = sink.clients(all).transactional("netio-1", 4, Duration.ofMinutes(1));
        StepVerifier.create(transactional.send(messages(10)).then()).expectComplete().verify(LONG);
        assertThat(all.producer.commitCount()).isEqualTo(3);
        assertThat(all.producer.history()).hasSize(10);
        assertThat(transactional.statistics().transactions()).isEqualTo(3);
        assertThat(all.settings.peek()).containsEntry("transactional.id", "netio-1");
    }

    @Test
    void shouldAcknowledgeWhenTheTimeOfATransactionIsOver() {
        MockClients all = new MockClients(true);
        Duration interval = Duration.ofMillis(300);
        AtomicLong began = new AtomicLong();
        Sinks.Many<SequencedEvent> upstream = Sinks.many().unicast().onBackpressureBuffer();
        StepVerifier.create(sink.clients(all).transactional("netio-1", 4, interval).send(upstream.asFlux()))
                .then(() -> began.set(System.nanoTime()))
                .then(() -> upstream.tryEmitNext(message(0)))
                .consumeNextWith(told -> assertThat(System.nanoTime() - began.get()).isGreaterThanOrEqualTo(interval.toNanos()))
                .then(upstream::tryEmitComplete)
                .expectComplete().verify(LONG);
        assertThat(all.producer.commitCount()).isEqualTo(1);
    }

    @Test
    void shouldCommitWhenNothingMoreFits() {
        MockClients all = new MockClients(true);
        StepVerifier.create(sink.clients(all).inFlight(5, 1 << 20).transactional("netio-1", 1_000, Duration.ofHours(1))
                .send(messages(12)).then()).expectComplete().verify(LONG);
        assertThat(all.producer.commitCount()).isEqualTo(3);
    }

    @Test
    void shouldSayThatAnotherProducerHasTheSameId() throws Exception {
        clients.producer.commitTransactionException = new ProducerFencedException("fenced");
        MockClients all = new MockClients(true);
        all.producer.commitTransactionException = new ProducerFencedException("fenced");
        StepVerifier.create(sink.clients(all).transactional("netio-1", 2, Duration.ofHours(1)).send(messages(2)))
                .expectErrorSatisfies(failure -> assertThat(failure).hasMessageContaining("same transactional id")
                        .extracting(f -> ((NetioKafkaException) f).reason()).isEqualTo(Reason.FENCED)).verify(LONG);
    }

    @Test
    void shouldEndWithoutAWordWhenCancelled() throws Exception {
        AtomicBoolean cancelled = new AtomicBoolean();
        List<Object> told = Collections.synchronizedList(new ArrayList<>());
        BaseSubscriber<Acknowledgement> subscriber = new BaseSubscriber<>() {
            @Override
            protected void hookOnNext(Acknowledgement value) {
                told.add(value);
            }

            @Override
            protected void hookOnError(Throwable failure) {
                told.add(failure);
            }

            @Override
            protected void hookOnComplete() {
                told.add("complete");
            }
        };
        sink.send(messages(5).concatWith(Flux.never()).doOnCancel(() -> cancelled.set(true))).subscribe(subscriber);
        complete(1);
        until(() -> clients.producer.history().size() == 5 && told.size() == 1);
        subscriber.cancel();
        until(() -> clients.producer.closed() && cancelled.get());
        until(() -> sink.statistics().inFlight() == 0);
        assertThat(told).hasSize(1);
        assertThat(sink.statistics().failed()).isEqualTo(4);
        sink.clients(new MockClients(true)).send(messages(1)).blockLast(LONG);
    }

    @Test
    void shouldEndWhenADownstreamHasEnoughAndBeginAnewWhenSubscribedToAgain() throws Exception {
        AtomicLong cancelled = new AtomicLong();
        MockClients all = new MockClients(true);
        NetioKafkaSink anew = sink.clients(new KafkaClients() {
            @Override
            public Producer<byte[], byte[]> producer(Map<String, Object> settings) {
                return new MockProducer<>(true, null, new ByteArraySerializer(), new ByteArraySerializer());
            }

            @Override
            public Consumer<byte[], byte[]> consumer(Map<String, Object> settings) {
                return all.consumer(settings);
            }

            @Override
            public void checkTopics(Map<String, Object> settings, Collection<String> topics, Duration limit) {
                // all are there
            }
        });
        Flux<Long> three = anew.send(messages(100_000).doOnCancel(cancelled::incrementAndGet))
                .map(Acknowledgement::sequence).take(3);
        for (int i = 1; i <= 20; i++) {
            StepVerifier.create(three).expectNext(0L, 1L, 2L).expectComplete().verify(LONG);
        }
        until(() -> anew.statistics().inFlight() == 0 && cancelled.get() == 20);
        assertThat(anew.statistics().inFlightBytes()).isZero();
    }

    @Test
    void shouldFailWhenAnUpstreamGivesNoMessageOrAFunctionThrows() {
        StepVerifier.create(sink.topic(tag -> null).send(messages(1)))
                .expectErrorMessage("the function for topics gave null for tag 1;"
                        + " 1 messages are not known to be in Kafka").verify(LONG);
        StepVerifier.create(sink.clients(new MockClients(true)).partition((tag, n) -> n).send(messages(1)))
                .expectErrorSatisfies(failure -> assertThat(failure).hasMessageContaining("partition")).verify(LONG);
    }

    @Test
    void shouldGivePayloadsOfSequencedMessagesToKafkaWithoutACopy() {
        MockClients prompt = new MockClients(true);
        byte[] bytes = new byte[100];
        ByteBuffer part = ByteBuffer.wrap(bytes, 10, 20);
        List<ByteBuffer> payloads = List.of(ByteBuffer.wrap(bytes), part, part.slice(),
                ByteBuffer.wrap(bytes).asReadOnlyBuffer());
        sink.clients(prompt).send(Flux.range(0, payloads.size()).map(n -> new SequencedMessage(TAGS, RUN, n,
                new TaggedMessage(1, 0, payloads.get(n))))).blockLast(LONG);
        assertThat(prompt.producer.history()).extracting(made -> made.value() == bytes)
                .containsExactly(true, false, false, false);
        assertThat(prompt.producer.history()).extracting(made -> made.value().length).containsExactly(100, 20, 20, 100);
    }

    @Test
    void shouldFailWithAPropertyThatIsNoNumber() {
        for (Object bytes : List.of("1 MB", 1e6)) {
            StepVerifier.create(sink.property("max.request.size", bytes).send(messages(1)))
                    .expectErrorSatisfies(failure -> assertThat(failure).hasMessageContaining("max.request.size")
                            .extracting(f -> ((NetioKafkaException) f).reason()).isEqualTo(Reason.SETTINGS)).verify(LONG);
        }
    }

    /** A sink that chooses topics by tag asks for a broker first, and does not take a topic for missing. */
    @Test
    void shouldSayThatThereIsNoBrokerBeforeItSubscribesWithTopicsByTag() {
        AtomicBoolean subscribed = new AtomicBoolean();
        NetioKafkaSink nowhere = NetioKafkaSink.create("localhost:1").topic(tag -> "t" + tag).timeout(Duration.ofMillis(500));
        StepVerifier.create(nowhere.send(messages(1).doOnSubscribe(s -> subscribed.set(true))))
                .expectErrorSatisfies(failure -> assertThat(failure).hasMessageContaining("no broker at localhost:1")
                        .extracting(f -> ((NetioKafkaException) f).reason()).isEqualTo(Reason.NO_BROKER)).verify(LONG);
        assertThat(subscribed).isFalse();
    }

    @Test
    void shouldNotSubscribeAfterABadRequest() throws Exception {
        AtomicBoolean subscribed = new AtomicBoolean();
        AtomicReference<Throwable> end = new AtomicReference<>();
        sink.send(messages(1).doOnSubscribe(s -> subscribed.set(true))).subscribe(new CoreSubscriber<>() {
            @Override
            public void onSubscribe(Subscription subscription) {
                subscription.request(0);
            }

            @Override
            public void onNext(Acknowledgement told) {
                end.set(new AssertionError(told));
            }

            @Override
            public void onError(Throwable failure) {
                end.set(failure);
            }

            @Override
            public void onComplete() {
                end.set(new AssertionError("complete"));
            }
        });
        until(() -> end.get() != null);
        assertThat(end.get()).isInstanceOf(IllegalArgumentException.class);
        assertThat(subscribed).isFalse();
        until(clients.producer::closed);
    }

    @Test
    void shouldRefuseWhatMakesNoSense() {
        assertThatIllegalArgumentException().isThrownBy(() -> NetioKafkaSink.create(" "));
        assertThatIllegalArgumentException().isThrownBy(() -> sink.inFlight(0, 1));
        assertThatIllegalArgumentException().isThrownBy(() -> sink.transactional("", 1, LONG));
        assertThatIllegalArgumentException().isThrownBy(() -> sink.transactional("id", 1, Duration.ZERO));
        assertThatIllegalArgumentException().isThrownBy(() -> sink.property("acks", "1"))
                .withMessage("the sink decides about acks: it is always all");
        assertThatIllegalArgumentException().isThrownBy(() -> sink.timeout(Duration.ZERO));
        assertThatIllegalStateException().isThrownBy(() -> NetioKafkaSink.create("host:1").send(messages(1)));
    }
}
