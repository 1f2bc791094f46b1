// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.reactivenetio.api.TaggedMessage;
import io.reactivenetio.kafka.NetioKafkaException.Reason;
import io.reactivenetio.testing.Eventually;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.stream.LongStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.test.StepVerifier;

@Timeout(180)
class NetioKafkaSourceTest {
    private static final Duration LONG = Duration.ofSeconds(60);

    private final MockClients clients = new MockClients(true);
    private final NetioKafkaSource source = NetioKafkaSource.create("host:1").topics("run").clients(clients);
    private volatile FilledConsumer consumer;

    private void filled(int partitions, List<ConsumerRecord<byte[], byte[]>> records) {
        clients.consumers = () -> consumer = new FilledConsumer(partitions, records);
    }

    private static long number(TaggedMessage message) {
        return message.payload().getLong(0);
    }

    private static List<Long> numbers(int n) {
        return LongStream.range(0, n).boxed().toList();
    }

    @Test
    void shouldReplayARunWithItsTagsStatusesAndOrderAcrossPartitions() {
        filled(3, FilledConsumer.records(5_000, 3, i -> i * 1_000));
        List<TaggedMessage> all = source.toPresentEnd().messages().collectList().block(LONG);
        assertThat(all).extracting(NetioKafkaSourceTest::number).containsExactlyElementsOf(numbers(5_000));
        assertThat(all.get(1_234).tag()).isEqualTo(4);
        assertThat(all.get(1_234).status()).isEqualTo(1_234 % 256);
        assertThat(consumer.closed()).isTrue();
        assertThat(clients.settings.peek()).containsEntry("isolation.level", "read_committed").doesNotContainKey("group.id");
    }

    @Test
    void shouldMergePartitionsByTimeWithoutNumbers() {
        List<ConsumerRecord<byte[], byte[]>> records = FilledConsumer.records(100, 4, i -> i * 1_000_000);
        records.forEach(one -> one.headers().remove(NetioKafkaHeaders.RUN));
        filled(4, records);
        assertThat(source.toPresentEnd().messages().map(NetioKafkaSourceTest::number).collectList().block(LONG))
                .containsExactlyElementsOf(numbers(100));
    }

    @Test
    void shouldEmitWhatIsRequestedAndNoMore() {
        filled(2, FilledConsumer.records(5_000, 2, i -> i));
        StepVerifier.create(source.toPresentEnd().messages().map(NetioKafkaSourceTest::number), 0)
                .expectSubscription().expectNoEvent(Duration.ofMillis(100))
                .thenRequest(2).expectNext(0L, 1L).expectNoEvent(Duration.ofMillis(100))
                .thenRequest(1).expectNext(2L).expectNoEvent(Duration.ofMillis(50))
                .thenRequest(4_996).expectNextCount(4_996)
                .thenRequest(1).expectNext(4_999L)
                .expectComplete().verify(LONG);
    }

    @Test
    void shouldPollNoMoreThanItNeeds() throws Exception {
        filled(1, FilledConsumer.records(5_000, 1, i -> i));
        StepVerifier.create(source.messages(), 1).expectNextCount(1)
                .then(() -> assertThat(consumer.position(new TopicPartition("run", 0))).isLessThanOrEqualTo(1_000))
                .thenCancel().verify(LONG);
        untilClosed();
    }

    /** What the topic has got from then on is new to the source. */
    private void untilAssigned() {
        Eventually.await("an assignment", () -> consumer != null && !consumer.assignment().isEmpty());
    }

    private void untilClosed() {
        Eventually.await("the consumer is closed", () -> consumer.closed());
    }

    @Test
    void shouldCompleteAtOnceWhenThereIsNothing() {
        filled(3, List.of());
        StepVerifier.create(source.toPresentEnd().messages()).expectComplete().verify(LONG);
    }

    @Test
    void shouldGoOnWithWhatComesLaterAlthoughAPartitionIsIdle() throws Exception {
        filled(3, FilledConsumer.records(1, 3, i -> i));
        StepVerifier.create(source.messages().map(NetioKafkaSourceTest::number))
                .expectNext(0L)
                .then(() -> consumer.addRecord(FilledConsumer.numbered(8, 1, 0, 8)))
                .expectNext(8L)
                .then(() -> consumer.addRecord(FilledConsumer.numbered(9, 1, 1, 9)))
                .expectNext(9L)
                .thenCancel().verify(LONG);
        untilClosed();
    }

    @Test
    void shouldReadPartitionsThatAreAddedFromTheirBeginning() throws Exception {
        filled(1, FilledConsumer.records(300, 3, i -> i)); // partitions 1 and 2 have theirs before they are seen
        StepVerifier.create(source.fromEnd().messages().map(NetioKafkaSourceTest::number))
                .expectSubscription().then(this::untilAssigned).expectNoEvent(Duration.ofMillis(50))
                .then(() -> consumer.partitions(3))
                .recordWith(ArrayList::new).expectNextCount(200)
                .consumeRecordedWith(all -> assertThat(all).containsExactlyInAnyOrderElementsOf(
                        LongStream.range(0, 300).filter(n -> n % 3 != 0).boxed().toList()))
                .then(() -> consumer.addRecord(FilledConsumer.numbered(900, 0, 100, 900)))
                .then(() -> consumer.addRecord(FilledConsumer.numbered(901, 2, 100, 901)))
                .expectNextCount(2)
                .thenCancel().verify(LONG);
        untilClosed();
    }

    @Test
    void shouldNotReadAddedPartitionsToAnEndThatWasThereBefore() {
        filled(1, FilledConsumer.records(300, 3, i -> i));
        StepVerifier.create(source.toPresentEnd().messages(), 99).expectNextCount(99)
                .then(() -> consumer.partitions(3))
                .expectNoEvent(Duration.ofMillis(1_200))
                .thenRequest(1_000).expectNextCount(1).expectComplete().verify(LONG);
    }

    @Test
    void shouldFailWhenAPartitionIsGoneForGood() {
        filled(3, FilledConsumer.records(3, 3, i -> i));
        StepVerifier.create(source.timeout(Duration.ofSeconds(1)).messages()).expectNextCount(3)
                .then(() -> consumer.partitions(1))
                .expectErrorSatisfies(failure -> assertThat(failure).hasMessageContaining("run-1")
                        .hasMessageContaining("made again").extracting(f -> ((NetioKafkaException) f).reason())
                        .isEqualTo(Reason.NO_TOPIC)).verify(LONG);
    }

    /** Its offsets are others, and what is before the one that was reached would be skipped. */
    @Test
    void shouldSayThatATopicWasMadeAgain() throws Exception {
        clients.ids = Map.of("run", Uuid.randomUuid());
        filled(1, FilledConsumer.records(3, 1, i -> i));
        assertThat(source.toPresentEnd().messages().count().block(LONG)).isEqualTo(3);
        StepVerifier.create(source.toPresentEnd().messages(), 2).expectNextCount(2)
                .then(() -> clients.ids = Map.of("run", Uuid.randomUuid()))
                .thenRequest(10).expectNextCount(1)
                .expectErrorSatisfies(failure -> assertThat(failure).hasMessageContaining("made again")
                        .extracting(f -> ((NetioKafkaException) f).reason()).isEqualTo(Reason.NO_OFFSET)).verify(LONG);
        StepVerifier.create(source.askForTopics(Duration.ofMillis(1)).messages()).expectNextCount(3)
                .then(() -> clients.noAnswer = new IOException("no answer")).expectNoEvent(Duration.ofMillis(50))
                .then(() -> clients.ids = Map.of("run", Uuid.randomUuid())).expectNoEvent(Duration.ofMillis(50))
                .then(() -> clients.noAnswer = null)
                .expectErrorSatisfies(failure -> assertThat(failure).hasMessageContaining("made again")).verify(LONG);
        untilClosed();
        assertThat(clients.closed).hasValue(3);
    }

    @Test
    void shouldEndWithARecordThatWasThereAtTheStart() {
        filled(1, FilledConsumer.records(3, 1, i -> i));
        StepVerifier.create(source.toPresentEnd().messages(), 2).expectNextCount(2)
                .then(() -> consumer.addRecord(FilledConsumer.numbered(3, 0, 3, 3)))
                .thenRequest(10).expectNextCount(1)
                .expectComplete().verify(LONG);
    }

    @Test
    void shouldBeginAtOffsetsOrAtTheEnd() {
        filled(2, FilledConsumer.records(10, 2, i -> i));
        assertThat(source.toPresentEnd().fromOffsets(Map.of(new TopicPartition("run", 1), 3L)).messages()
                .map(NetioKafkaSourceTest::number).collectList().block(LONG)).containsExactly(0L, 2L, 4L, 6L, 7L, 8L, 9L);
        StepVerifier.create(source.fromEnd().toPresentEnd().messages()).expectComplete().verify(LONG);
        StepVerifier.create(source.fromOffsets(Map.of(new TopicPartition("run", 1), 6L)).messages())
                .expectErrorSatisfies(failure -> assertThat(failure).hasMessageContaining("run-1 has offsets 0 to 5, and not 6")
                        .extracting(f -> ((NetioKafkaException) f).reason()).isEqualTo(Reason.NO_OFFSET)).verify(LONG);
        StepVerifier.create(source.fromOffsets(Map.of(new TopicPartition("run", 2), 0L)).messages())
                .expectErrorSatisfies(failure -> assertThat(failure).hasMessageContaining("no partition run-2")).verify(LONG);
    }

    @Test
    void shouldBeginAtTimesThatKafkaDoesNotKnow() {
        for (Instant time : List.of(Instant.MIN, Instant.ofEpochSecond(-1), Instant.EPOCH, Instant.MAX)) {
            filled(2, FilledConsumer.records(10, 2, i -> i));
            assertThat(source.toPresentEnd().fromTime(time).messages().count().block(LONG)).as("from " + time)
                    .isEqualTo(time == Instant.MAX ? 0 : 10);
        }
    }

    @Test
    void shouldKeepTheOriginalPaceTimesAFactor() {
        filled(2, FilledConsumer.records(11, 2, i -> i * 100_000_000)); // a second in all
        long begun = System.nanoTime();
        assertThat(source.toPresentEnd().atSpeed(4).messages().count().block(LONG)).isEqualTo(11);
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isBetween(Duration.ofMillis(250), Duration.ofSeconds(20));
    }

    @Test
    void shouldKeepARate() {
        filled(1, FilledConsumer.records(101, 1, i -> i));
        long begun = System.nanoTime();
        assertThat(source.toPresentEnd().atRate(200).messages().count().block(LONG)).isEqualTo(101);
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isBetween(Duration.ofMillis(500), Duration.ofSeconds(20));
    }

    @Test
    void shouldNotWaitWhenTheClockGoesBack() {
        List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
        records.add(FilledConsumer.numbered(0, 0, 0, 9_000_000_000L));
        records.add(FilledConsumer.numbered(1, 0, 1, 1_000_000_000L));
        records.add(FilledConsumer.numbered(2, 0, 2, 1_100_000_000L));
        filled(1, records);
        long begun = System.nanoTime();
        assertThat(source.toPresentEnd().atSpeed(1).messages().map(NetioKafkaSourceTest::number).collectList().block(LONG))
                .containsExactly(0L, 1L, 2L);
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isBetween(Duration.ofMillis(100), Duration.ofSeconds(7));
    }

    @Test
    void shouldNameARecordThatHasNoTag() {
        filled(1, List.of(new ConsumerRecord<>("run", 0, 0, new byte[3], new byte[5])));
        StepVerifier.create(source.messages()).expectErrorSatisfies(failure -> assertThat(failure)
                .hasMessageContaining("offset 0 of run-0").extracting(f -> ((NetioKafkaException) f).reason())
                .isEqualTo(Reason.NOT_A_MESSAGE)).verify(LONG);
        filled(1, List.of(new ConsumerRecord<>("run", 0, 0, NetioKafkaHeaders.bytes(5), null)));
        assertThat(source.toPresentEnd().messages().blockLast(LONG).tag()).isEqualTo(5);
        assertThat(source.toPresentEnd().decoder(one -> TaggedMessage.of(3, ByteBuffer.allocate(0))).messages()
                .blockLast(LONG).tag()).isEqualTo(3);
    }

    @Test
    void shouldFailWithWhatKafkaSays() throws Exception {
        clients.noTopic = new ExecutionException(new UnknownTopicOrPartitionException("no"));
        StepVerifier.create(source.messages()).expectErrorSatisfies(failure -> assertThat(failure)
                .hasMessageContaining("no such topic")).verify(LONG);
        clients.noTopic = null;
        filled(1, FilledConsumer.records(3, 1, i -> i));
        StepVerifier.create(source.messages(), 3).expectNextCount(3)
                .then(() -> consumer.setPollException(new KafkaException("disk")))
                .thenRequest(1)
                .expectErrorSatisfies(failure -> assertThat(failure).hasMessageContaining("disk")).verify(LONG);
        untilClosed();
    }

    @Test
    void shouldCloseTheConsumerWhenCancelledWithoutDemand() throws Exception {
        filled(1, FilledConsumer.records(3, 1, i -> i));
        StepVerifier.create(source.messages(), 2).expectNextCount(2).thenCancel().verify(LONG);
        untilClosed();
    }

    @Test
    void shouldRefuseWhatMakesNoSense() {
        assertThatIllegalArgumentException().isThrownBy(() -> NetioKafkaSource.create(""));
        assertThatIllegalArgumentException().isThrownBy(source::topics);
        assertThatIllegalArgumentException().isThrownBy(() -> source.topics("a", "a"));
        assertThatIllegalArgumentException().isThrownBy(() -> source.atSpeed(0));
        assertThatIllegalArgumentException().isThrownBy(() -> source.atRate(Double.NaN));
        assertThatIllegalArgumentException().isThrownBy(() -> source.property("group.id", "g"))
                .withMessage("the source decides about group.id: it reads all partitions, and is in no group");
        assertThatIllegalStateException().isThrownBy(() -> NetioKafkaSource.create("host:1").messages());
    }
}
