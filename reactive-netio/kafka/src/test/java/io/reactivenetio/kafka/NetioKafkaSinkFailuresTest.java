// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import io.reactivenetio.api.TaggedMessage;
import io.reactivenetio.api.Tags;
import io.reactivenetio.kafka.NetioKafkaException.Reason;
import io.reactivenetio.pubsub.SequencedEvent;
import io.reactivenetio.pubsub.SequencedMessage;
import io.reactivenetio.testing.Eventually;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.errors.InvalidTimestampException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.Flux;
import reactor.test.StepVerifier;

/** Times that the sink gives its records, and what ends it: what Kafka refuses, and what a user's code throws. */
@Timeout(180)
class NetioKafkaSinkFailuresTest {
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
        return Flux.range(0, n).map(NetioKafkaSinkFailuresTest::message);
    }

    private static void until(Eventually.Condition condition) {
        Eventually.await("what the test waits for", condition);
    }

    private void complete(int n) throws InterruptedException {
        for (int i = 0; i < n; i++) {
            until(clients.producer::completeNext);
        }
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
    void shouldGiveRecordsTheEventTimesOfTheUsersFunction() {
        MockClients all = new MockClients(true);
        Instant first = Instant.parse("2026-11-25T10:00:00.123456Z");
        NetioKafkaSink timed = sink.clients(all).timestamp(message -> message.payload().isReadOnly() && message.tag() == 1
                ? first.plusMillis(message.status()) : null);
        long before = System.currentTimeMillis();
        timed.send(messages(20)).then().block(LONG);
        for (int i = 0; i < 20; i++) {
            ProducerRecord<byte[], byte[]> made = all.producer.history().get(i);
            long came = ByteBuffer.wrap(made.headers().lastHeader("netio-time").value()).getLong() / 1_000_000;
            assertThat(came).isGreaterThanOrEqualTo(before);
            assertThat(made.timestamp()).isEqualTo(i % 9 == 0 ? first.toEpochMilli() + i : came);
        }
    }

    @Test
    void shouldReadEventTimesFromThePayload() {
        MockClients all = new MockClients(true);
        ByteBuffer payload = ByteBuffer.allocate(24).order(ByteOrder.LITTLE_ENDIAN).putLong(8, 1_764_000_000_123_456L);
        sink.clients(all).timestampAt(8, ByteOrder.LITTLE_ENDIAN, TimeUnit.MICROSECONDS)
                .sendTagged(Flux.just(TaggedMessage.of(1, payload), TaggedMessage.of(1, ByteBuffer.allocate(15))))
                .then().block(LONG);
        assertThat(all.producer.history().get(0).timestamp()).isEqualTo(1_764_000_000_123L);
        assertThat(all.producer.history().get(1).timestamp()).isCloseTo(System.currentTimeMillis(), within(60_000L));
        assertThatIllegalArgumentException().isThrownBy(() -> sink.timestampAt(-1, ByteOrder.BIG_ENDIAN, TimeUnit.DAYS));
        for (long odd : new long[] {-1, Long.MIN_VALUE, Long.MAX_VALUE}) {
            NetioKafkaSink bad = sink.clients(new MockClients(true)).timestampAt(0, ByteOrder.BIG_ENDIAN, TimeUnit.SECONDS);
            StepVerifier.create(bad.sendTagged(Flux.just(TaggedMessage.of(1, ByteBuffer.allocate(8).putLong(0, odd)))))
                    .expectErrorSatisfies(failure -> assertThat(failure).hasMessageContaining("from 1970 on")
                            .hasMessageContaining("1 messages").extracting(f -> ((NetioKafkaException) f).reason())
                            .isEqualTo(Reason.TIMESTAMP)).verify(LONG);
        }
    }

    @Test
    void shouldTellAClockThatIsWrongFromOtherFailures() throws Exception {
        for (Exception told : List.of(new InvalidTimestampException("Timestamp 1 of message with offset 0 is out of range"),
                new InvalidRecordException("Timestamp 1 of message with offset 0 is out of range"))) {
            MockClients own = new MockClients(false);
            StepVerifier.create(sink.clients(own).send(messages(1)))
                    .then(() -> assertThat(catching(() -> until(() -> own.producer.errorNext((RuntimeException) told)))).isNull())
                    .expectErrorSatisfies(failure -> assertThat(failure).hasMessageContaining("message.timestamp.after.max.ms")
                            .extracting(f -> ((NetioKafkaException) f).reason()).isEqualTo(Reason.TIMESTAMP)).verify(LONG);
        }
    }

    /** Both are told while the sink hands the last one over, as it looks for the reason for a moment only. */
    @Test
    void shouldSayOfABatchWhatWasBadInIt() throws Exception {
        NetioKafkaSink timed = sink.timestamp(message -> {
            if (message.status() == 3) {
                assertThat(clients.producer.errorNext(new KafkaException("it was part of a batch"))).isTrue();
                assertThat(clients.producer.errorNext(new InvalidTimestampException("out of range"))).isTrue();
            }
            return null;
        });
        StepVerifier.create(timed.send(messages(4)))
                .then(() -> assertThat(catching(() -> complete(1))).isNull()) // the first one goes alone
                .expectNextCount(1)
                .expectErrorSatisfies(failure -> assertThat(failure).hasMessageContaining("sequence 2")
                        .extracting(f -> ((NetioKafkaException) f).reason()).isEqualTo(Reason.TIMESTAMP)).verify(LONG);
    }

    @Test
    void shouldSayThatTheTopicWasMadeAgainWithFewerPartitions() throws Exception {
        MockClients own = new MockClients(false) {
            @Override
            public Producer<byte[], byte[]> producer(Map<String, Object> given) {
                return new MockProducer<>(false, null, new ByteArraySerializer(), new ByteArraySerializer()) {
                    private int asked;

                    @Override
                    public List<PartitionInfo> partitionsFor(String topic) {
                        return Collections.nCopies(asked++ == 0 ? 3 : 1, new PartitionInfo(topic, 0, null, null, null));
                    }

                    @Override
                    public synchronized Future<RecordMetadata> send(ProducerRecord<byte[], byte[]> made, Callback callback) {
                        callback.onCompletion(null, new TimeoutException("Expiring 1 record(s) for run-2"));
                        return CompletableFuture.completedFuture(null);
                    }
                };
            }
        };
        StepVerifier.create(sink.clients(own).deliveryTimeout(Duration.ofMillis(1)).send(messages(1)))
                .expectErrorSatisfies(failure -> assertThat(failure).hasMessageContaining("has 1 partitions now, and had 3")
                        .hasMessageContaining("1 messages are not known to be in Kafka")
                        .extracting(f -> ((NetioKafkaException) f).reason()).isEqualTo(Reason.NO_TOPIC)).verify(LONG);
    }

    @SuppressWarnings("unchecked")
    private static <E extends Throwable> RuntimeException sneaky(Throwable thrown) throws E {
        throw (E) thrown;
    }

    /** A broker that has forgotten the producer would take the second batch as the first one, if that is delayed. */
    @Test
    void shouldSendTheFirstMessageAfterALongSilenceAlone() throws Exception {
        SinkSettings settings = sink.settings().copy();
        settings.mayBeForgotten = Duration.ofMillis(20);
        SinkProducer producer = new SinkProducer(settings);
        producer.open();
        List<SinkEntry> entries = Flux.range(0, 5).map(i -> SinkEntry.of(message(9L * i), () -> { })).collectList().block();
        assertThat(producer.send(entries.get(0))).isTrue();
        assertThat(producer.send(entries.get(1))).isFalse();
        complete(1);
        assertThat(producer.send(entries.get(1))).isTrue();
        complete(1);
        assertThat(Eventually.still(() -> clients.producer.history().size())).isEqualTo(2);
        assertThat(producer.send(entries.get(2))).isTrue();
        assertThat(producer.send(entries.get(3))).isFalse();
        complete(1);
        assertThat(producer.send(entries.get(3))).isTrue();
    }

    /** A Throwable whose text cannot be had. */
    private static final class Mute extends RuntimeException {
        private static final long serialVersionUID = 1L;

        @Override
        public String getMessage() {
            throw new IllegalStateException("no text");
        }
    }

    @Test
    void shouldEndWithAnyKindOfThrowableOfTheUsersCode() {
        for (Throwable thrown : List.of(new IllegalStateException("own"), new AssertionError("own"), new IOException("own"),
                new NoClassDefFoundError("own"), new StackOverflowError(), new Mute())) {
            List<NetioKafkaSink> all = List.of(
                    sink.topic(tag -> {
                        throw NetioKafkaSinkFailuresTest.<RuntimeException>sneaky(thrown);
                    }),
                    sink.partition((tag, n) -> {
                        throw NetioKafkaSinkFailuresTest.<RuntimeException>sneaky(thrown);
                    }),
                    sink.timestamp(message -> {
                        throw NetioKafkaSinkFailuresTest.<RuntimeException>sneaky(thrown);
                    }));
            for (NetioKafkaSink one : all) {
                AtomicBoolean cancelled = new AtomicBoolean();
                StepVerifier.create(one.clients(new MockClients(true))
                                .send(messages(3).concatWith(Flux.never()).doOnCancel(() -> cancelled.set(true))))
                        .expectErrorSatisfies(failure -> assertThat(failure).isInstanceOf(NetioKafkaException.class)
                                .hasCause(thrown)).verify(LONG);
                assertThat(cancelled).isTrue();
            }
        }
    }
}
