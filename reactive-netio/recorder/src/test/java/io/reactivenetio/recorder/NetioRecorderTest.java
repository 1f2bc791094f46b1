// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.recorder;

import static io.reactivenetio.recorder.Events.SOON;
import static io.reactivenetio.recorder.Events.TAG;
import static io.reactivenetio.recorder.Events.message;
import static io.reactivenetio.recorder.Events.messages;
import static io.reactivenetio.recorder.Events.read;
import static io.reactivenetio.recorder.Events.texts;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivenetio.api.TaggedMessage;
import io.reactivenetio.api.Tags;
import io.reactivenetio.pubsub.Gap;
import io.reactivenetio.pubsub.Position;
import io.reactivenetio.pubsub.RunChange;
import io.reactivenetio.pubsub.SequencedEvent;
import io.reactivenetio.pubsub.SequencedMessage;
import io.reactivenetio.recorder.NetioRecordingException.Reason;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Sinks;
import reactor.test.StepVerifier;

class NetioRecorderTest {
    private static final RecorderOptions PROMPT = RecorderOptions.defaults().linger(Duration.ZERO);

    @TempDir
    Path directory;

    @Test
    void shouldReadWhatItRecorded() {
        Events.record(directory, messages(0, 10_000));
        List<String> texts = read(directory);
        assertThat(texts).hasSize(10_000).startsWith("1:0=m0", "1:1=m1").endsWith("1:9999=m9999");
        assertThat(read(directory, TAG, new Position(1, 9_997))).containsExactly("1:9998=m9998", "1:9999=m9999");
        assertThat(read(directory, TAG, new Position(1, 9_999))).isEmpty();
    }

    @Test
    void shouldKeepTagsStatusAndEmptyMessages() {
        Tags range = Tags.range(10, 20);
        Flux<TaggedMessage> messages = Flux.just(new TaggedMessage(10, 255, ByteBuffer.allocate(0)),
                new TaggedMessage(20, 3, ByteBuffer.wrap(new byte[] {1, 2, 3}).position(1)));
        try (NetioRecorder recorder = NetioRecorder.open(directory, PROMPT)) {
            recorder.recordMessages(range, messages).blockLast(SOON);
            try (NetioRecording recording = NetioRecording.open(directory)) {
                List<SequencedEvent> events = recording.read(range, (Position) null).collectList().block(SOON);
                assertThat(events).hasSize(2).extracting(event -> ((SequencedMessage) event).message())
                        .containsExactly(new TaggedMessage(10, 255, ByteBuffer.allocate(0)),
                                new TaggedMessage(20, 3, ByteBuffer.wrap(new byte[] {2, 3})));
                assertThat(events.getFirst().tags()).isEqualTo(range);
            }
        }
    }

    /** Larger than a block, than a segment, and than what is asked for at a time. */
    @Test
    void shouldKeepLargeMessages() {
        byte[] large = new byte[1_000_003];
        for (int i = 0; i < large.length; i++) {
            large[i] = (byte) (i * 31 >> 3);
        }
        RecorderOptions small = PROMPT.blockBytes(8192).segmentBytes(100_000).inFlightBytes(500_000);
        try (NetioRecorder recorder = NetioRecorder.open(directory, small)) {
            Flux<TaggedMessage> messages = Flux.just(0, 1, large.length, 2, 8_000, large.length, 0)
                    .map(size -> TaggedMessage.of(7, ByteBuffer.wrap(large, 0, size)));
            recorder.recordMessages(TAG, messages).blockLast(SOON);
        }
        try (NetioRecording recording = NetioRecording.open(directory)) {
            List<ByteBuffer> payloads = recording.read(TAG, (Position) null)
                    .map(event -> ((SequencedMessage) event).message().payload()).collectList().block(SOON);
            assertThat(payloads).extracting(ByteBuffer::remaining).containsExactly(0, 1, large.length, 2, 8_000, large.length, 0);
            assertThat(payloads).allSatisfy(payload ->
                    assertThat(payload).isEqualTo(ByteBuffer.wrap(large, 0, payload.remaining())));
        }
    }

    @Test
    void shouldRecordWhatIsMissing() {
        Position seen = new Position(1, 9);
        Events.record(directory, List.of(message(1, 5), message(1, 6), new Gap(TAG, 1, 7, 8), message(1, 9),
                new RunChange(TAG, seen, 2), new Gap(TAG, 2, 0, 1), message(2, 2)));
        assertThat(read(directory)).containsExactly("1:5=m5", "1:6=m6", "1:7-8", "1:9=m9", "1:9>2", "2:0-1", "2:2=m2");
        assertThat(read(directory, TAG, new Position(1, 7))).containsExactly("1:8-8", "1:9=m9", "1:9>2", "2:0-1", "2:2=m2");
        assertThat(read(directory, TAG, new Position(1, 100))).containsExactly("1:100>2", "2:0-1", "2:2=m2");
    }

    /** Sources that do not say what is missing, or say it twice: the recording has no holes, and nothing twice. */
    @Test
    void shouldFindByItselfWhatIsMissing() {
        Events.record(directory, List.of(message(1, 5), message(1, 8), message(1, 8), message(1, 6), new Gap(TAG, 1, 5, 9),
                message(2, 1)));
        Events.record(directory, List.of(message(2, 0), message(2, 1), message(2, 3)));
        Events.record(directory, List.of(new Gap(TAG, 3, 4, 4)));
        Events.record(directory, List.of(new RunChange(TAG, new Position(3, 4), 4), message(4, 0)));
        assertThat(read(directory)).containsExactly("1:5=m5", "1:6-7", "1:8=m8", "1:9-9", "1:9>2", "2:0-0", "2:1=m1", "2:2-2",
                "2:3=m3", "2:3>3", "3:0-4", "3:4>4", "4:0=m0");
    }

    /** Two sources in turn, as with a spare publisher. */
    @Test
    void shouldKeepARunThatComesAgain() {
        Events.record(directory, List.of(message(1, 0), message(1, 1), message(2, 0), message(1, 3)));
        assertThat(read(directory)).containsExactly("1:0=m0", "1:1=m1", "1:1>2", "2:0=m0", "2:0>1", "1:0-2", "1:3=m3");
        assertThat(read(directory, TAG, new Position(1, 0))).startsWith("1:1=m1", "1:1>2");
        assertThat(read(directory, TAG, new Position(1, 2))).containsExactly("1:3=m3");
        assertThat(read(directory, TAG, new Position(2, 0))).containsExactly("2:0>1", "1:0-2", "1:3=m3");
    }

    @Test
    void shouldSayWhatThereIs() {
        Events.record(directory, messages(3, 10));
        Events.record(directory, List.of(message(2, 0)));
        try (NetioRecorder recorder = NetioRecorder.open(directory, PROMPT); NetioRecording recording = NetioRecording
                .open(directory)) {
            assertThat(recorder.position(TAG)).isEqualTo(new Position(2, 0));
            assertThat(recorder.position(Tags.of(8))).isNull();
            assertThat(recorder.lost()).isEmpty();
            assertThat(recording.tags().block(SOON)).singleElement().satisfies(stream -> {
                assertThat(stream.tags()).isEqualTo(TAG);
                assertThat(stream.runs()).extracting(RecordedRun::run).containsExactly(1L, 2L);
                assertThat(stream.runs()).extracting(RecordedRun::first).containsExactly(3L, 0L);
                assertThat(stream.runs()).extracting(RecordedRun::last).containsExactly(9L, 0L);
            });
        }
    }

    @Test
    void shouldRefuseWhatIsNotThere() {
        Events.record(directory, messages(0, 3));
        try (NetioRecording recording = NetioRecording.open(directory)) {
            StepVerifier.create(recording.read(Tags.of(8), (Position) null))
                    .verifyErrorSatisfies(error -> assertThat(reason(error)).isEqualTo(Reason.NOT_RECORDED));
            StepVerifier.create(recording.read(TAG, new Position(2, 0)))
                    .verifyErrorSatisfies(error -> assertThat(reason(error)).isEqualTo(Reason.UNKNOWN_RUN));
        }
        assertThatThrownBy(() -> NetioRecording.open(directory.resolve("nowhere")))
                .satisfies(error -> assertThat(reason(error)).isEqualTo(Reason.DISK));
    }

    private static Reason reason(Throwable error) {
        return ((NetioRecordingException) error).reason();
    }

    @Test
    void shouldHaveOneRecorderForADirectoryAndOneRecordingForATag() {
        try (NetioRecorder recorder = NetioRecorder.open(directory, PROMPT)) {
            assertThatThrownBy(() -> NetioRecorder.open(directory, PROMPT))
                    .satisfies(error -> assertThat(reason(error)).isEqualTo(Reason.IN_USE));
            Disposable first = recorder.record(TAG, Flux.never()).subscribe();
            StepVerifier.create(recorder.record(TAG, Flux.never()))
                    .verifyErrorSatisfies(error -> assertThat(reason(error)).isEqualTo(Reason.IN_USE));
            first.dispose();
            recorder.record(TAG, Flux.fromIterable(messages(0, 3))).blockLast(SOON);
        }
        NetioRecorder.open(directory, PROMPT).close();
        assertThat(read(directory)).hasSize(3);
    }

    /** What could be written, but never read again. */
    @Test
    void shouldRefuseNumbersAndRunsThatAreImpossible() {
        List<SequencedEvent> impossible = List.of(message(1, Long.MAX_VALUE), message(0, 6), new Gap(TAG, 1, 6, Long.MAX_VALUE),
                new Gap(TAG, 0, 6, 7), new RunChange(TAG, new Position(1, 5), 0));
        try (NetioRecorder recorder = NetioRecorder.open(directory, PROMPT)) {
            for (SequencedEvent event : impossible) {
                StepVerifier.create(recorder.record(TAG, Flux.just(message(1, 5), event)).ignoreElements())
                        .verifyError(IllegalArgumentException.class);
            }
            recorder.record(TAG, Flux.just(message(1, 6), message(1, Long.MAX_VALUE - 1))).blockLast(SOON);
        }
        assertThat(read(directory)).containsExactly("1:5=m5", "1:6=m6", "1:7-" + (Long.MAX_VALUE - 2),
                "1:" + (Long.MAX_VALUE - 1) + "=m" + (Long.MAX_VALUE - 1));
    }

    @Test
    void shouldHaveNothingBehindTheLastNumberThereCanBe() {
        Events.record(directory, messages(0, 3));
        for (long last : new long[] {2, Long.MAX_VALUE - 1, Long.MAX_VALUE}) {
            assertThat(read(directory, TAG, new Position(1, last))).isEmpty();
        }
        Events.record(directory, List.of(message(2, 0)));
        assertThat(read(directory, TAG, new Position(1, Long.MAX_VALUE))).endsWith("2:0=m0").hasSize(2);
    }

    @Test
    void shouldWriteWhatCameBeforeACancel() {
        try (NetioRecorder recorder = NetioRecorder.open(directory, RecorderOptions.defaults())) {
            for (int i = 0; i < 100; i++) {
                Sinks.Many<SequencedEvent> source = Sinks.many().unicast().onBackpressureBuffer();
                Disposable recording = recorder.record(TAG, source.asFlux()).subscribe();
                source.tryEmitNext(message(1, i));
                recording.dispose();
            }
        }
        assertThat(read(directory)).hasSize(100).doesNotHaveDuplicates();
    }

    @Test
    void shouldEndWithItsSource() {
        try (NetioRecorder recorder = NetioRecorder.open(directory, PROMPT)) {
            StepVerifier.create(recorder.record(TAG, Flux.concat(Flux.fromIterable(messages(0, 2)),
                            Flux.error(new IllegalStateException("broken")))).map(Recorded::position).takeUntil(
                                    position -> position.sequence() == 1).last())
                    .expectNext(new Position(1, 1)).verifyComplete();
            StepVerifier.create(recorder.record(Tags.of(8), Flux.error(new IllegalStateException("broken"))))
                    .verifyErrorMessage("broken");
            StepVerifier.create(recorder.record(Tags.of(8), Flux.empty())).verifyComplete();
            StepVerifier.create(recorder.record(Tags.of(8), Flux.just(message(1, 0))))
                    .verifyError(IllegalArgumentException.class);
        }
    }

    /** The last position is told when it is asked for, and then the end. */
    @Test
    void shouldTellThePositionToThoseWhoAskForLittle() {
        for (Fsync fsync : List.of(Fsync.never(), Fsync.each(), Fsync.interval(Duration.ofHours(1)))) {
            try (NetioRecorder recorder = NetioRecorder.open(directory.resolve("" + fsync.nanos()), PROMPT.fsync(fsync))) {
                List<Recorded> told = recorder.record(TAG, Flux.fromIterable(messages(0, 1000))).limitRate(1)
                        .collectList().block(SOON);
                assertThat(told).isNotEmpty().endsWith(new Recorded(TAG, new Position(1, 999)))
                        .extracting(recorded -> recorded.position().sequence()).isSorted().doesNotHaveDuplicates();
                StepVerifier.create(recorder.record(TAG, Flux.fromIterable(messages(1000, 1010))), 0)
                        .expectSubscription().expectNoEvent(Duration.ofMillis(50)).thenCancel().verify(SOON);
            }
        }
    }

    @Test
    void shouldEndItsRecordingsWhenItIsClosed() {
        Sinks.Many<SequencedEvent> source = Sinks.many().unicast().onBackpressureBuffer();
        AtomicBoolean cancelled = new AtomicBoolean();
        NetioRecorder recorder = NetioRecorder.open(directory, RecorderOptions.defaults().linger(Duration.ofSeconds(2)));
        AtomicReference<Throwable> end = new AtomicReference<>();
        recorder.record(TAG, source.asFlux().doOnCancel(() -> cancelled.set(true))).subscribe(position -> { }, end::set);
        messages(0, 100).forEach(source::tryEmitNext);
        recorder.close();
        assertThat(reason(end.get())).isEqualTo(Reason.CLOSED);
        assertThat(cancelled).isTrue();
        assertThat(recorder.isDisposed()).isTrue();
        assertThat(recorder.onDispose().blockOptional(SOON)).isEmpty();
        StepVerifier.create(recorder.record(TAG, Flux.never()))
                .verifyErrorSatisfies(error -> assertThat(reason(error)).isEqualTo(Reason.CLOSED));
        assertThat(read(directory).size()).isBetween(1, 100); // those that it had asked for
        recorder.close();
    }

    /** Operators add to the exceptions that they get: one for all would grow, and contain itself. */
    @Test
    void shouldGiveEachRecordingAnExceptionOfItsOwn() {
        Set<Throwable> ends = Collections.newSetFromMap(new IdentityHashMap<>());
        NetioRecorder recorder = NetioRecorder.open(directory, PROMPT);
        for (int i = 0; i < 10; i++) {
            recorder.record(Tags.of(i), Flux.never()).subscribe(position -> { }, ends::add);
        }
        recorder.close();
        recorder.record(TAG, Flux.never()).subscribe(position -> { }, ends::add);
        recorder.record(TAG, Flux.never()).subscribe(position -> { }, ends::add);
        assertThat(ends).hasSize(12).allSatisfy(end -> assertThat(reason(end)).isEqualTo(Reason.CLOSED));
    }

    @Test
    void shouldBeClosedByWhomItTells() {
        NetioRecorder recorder = NetioRecorder.open(directory, PROMPT);
        StepVerifier.create(recorder.record(TAG, Flux.concat(Flux.fromIterable(messages(0, 5)), Flux.never()))
                        .doOnNext(position -> recorder.close()))
                .thenConsumeWhile(position -> true)
                .expectErrorSatisfies(error -> assertThat(reason(error)).isEqualTo(Reason.CLOSED)).verify(SOON);
        recorder.onDispose().block(SOON);
        Events.record(directory, messages(0, 10));
        assertThat(read(directory)).hasSize(10);
    }

    @Test
    void shouldGoOnWhenSomebodyWhoIsToldThrows() {
        try (NetioRecorder recorder = NetioRecorder.open(directory, PROMPT)) {
            recorder.record(Tags.of(1), Flux.concat(Flux.just(message(Tags.of(1), 1, 0, "")), Flux.never()))
                    .subscribe(position -> {
                        throw new IllegalStateException("thrown on purpose");
                    }, error -> { });
            recorder.record(TAG, Flux.fromIterable(messages(0, 100))).blockLast(SOON);
        }
        assertThat(read(directory)).hasSize(100);
    }

    /** A clock that is set back: times do not go back within a block, and readers still find what they look for. */
    @Test
    void shouldBearAClockThatIsSetBack() {
        AtomicReference<Instant> now = new AtomicReference<>(Instant.ofEpochSecond(1_000_000));
        RecorderOptions options = PROMPT.clock(() -> now.getAndUpdate(time -> time.minusSeconds(100)));
        try (NetioRecorder recorder = NetioRecorder.open(directory, options)) {
            recorder.record(TAG, Flux.fromIterable(messages(0, 10))).blockLast(SOON);
            assertThat(recorder.statistics().clockSteps()).isEqualTo(9);
        }
        try (NetioRecording recording = NetioRecording.open(directory)) {
            List<RecordedEvent> events = recording.read(TAG, RecordingPosition.beginning(), false).collectList().block(SOON);
            assertThat(events).hasSize(10);
            Instant first = events.getFirst().instant();
            assertThat(events.getLast().instant()).isBefore(first);
            assertThat(recording.read(TAG, RecordingPosition.at(first), false).count().block(SOON)).isEqualTo(10);
            assertThat(recording.read(TAG, RecordingPosition.at(first.plusNanos(1)), false).count().block(SOON)).isZero();
        }
    }

    @Test
    void shouldReadFromATime() {
        AtomicReference<Instant> now = new AtomicReference<>(Instant.ofEpochSecond(1000));
        RecorderOptions options = PROMPT.segmentBytes(12_288).clock(() -> now.getAndUpdate(time -> time.plusMillis(1)));
        Events.record(directory, options, messages(0, 1000));
        try (NetioRecording recording = NetioRecording.open(directory)) {
            Instant later = Instant.ofEpochMilli(1_000_500);
            assertThat(recording.read(TAG, RecordingPosition.at(later), false).blockFirst(SOON)).isNotNull()
                    .extracting(RecordedEvent::instant).isEqualTo(later);
            assertThat(recording.read(TAG, RecordingPosition.at(Instant.EPOCH), false).count().block(SOON)).isEqualTo(1000);
            assertThat(recording.read(TAG, RecordingPosition.at(Instant.MAX), false).count().block(SOON)).isZero();
            assertThat(recording.read(TAG, RecordingPosition.end(), false).count().block(SOON)).isZero();
        }
    }

    @Test
    void shouldRecordAndReadFourThousandStreams() {
        List<Tags> all = Flux.range(0, 4000).map(Tags::of).collectList().block();
        try (NetioRecorder recorder = NetioRecorder.open(directory, PROMPT.segmentBytes(4 << 20))) {
            Flux.fromIterable(all).flatMap(tags -> recorder.record(tags, Flux.range(0, 3)
                    .map(n -> message(tags, 1, n, tags.first() + "/" + n))), 4000).blockLast(SOON);
            assertThat(recorder.statistics().messages()).isEqualTo(12_000);
        }
        try (NetioRecording recording = NetioRecording.open(directory)) {
            assertThat(recording.tags().block(SOON)).hasSize(4000);
            List<String> texts = texts(Flux.fromIterable(all).flatMap(tags -> recording.read(tags, (Position) null), 4000));
            assertThat(texts).hasSize(12_000).contains("1:2=3999/2").doesNotHaveDuplicates();
        }
    }
}
