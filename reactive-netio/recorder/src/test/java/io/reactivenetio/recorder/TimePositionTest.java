// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.recorder;

import static io.reactivenetio.recorder.Events.SOON;
import static io.reactivenetio.recorder.Events.TAG;
import static io.reactivenetio.recorder.Events.message;
import static io.reactivenetio.recorder.Events.messages;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.api.Tags;
import io.reactivenetio.pubsub.Gap;
import io.reactivenetio.pubsub.Position;
import io.reactivenetio.pubsub.RunChange;
import io.reactivenetio.pubsub.SequencedEvent;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Flux;
import reactor.test.StepVerifier;

/** Readers that begin at a time: what came before it is not missing. */
class TimePositionTest {
    private static final Instant BEGIN = Instant.parse("2026-11-25T12:00:00Z");
    private static final Instant WANTED = BEGIN.plusSeconds(10);

    @TempDir
    Path directory;

    private final AtomicReference<Instant> now = new AtomicReference<>(BEGIN);
    private final RecorderOptions options = RecorderOptions.defaults().linger(Duration.ZERO).clock(now::get);

    private void write(NetioRecorder recorder, Instant at, List<? extends SequencedEvent> events) {
        now.set(at);
        recorder.record(TAG, Flux.fromIterable(events)).blockLast(SOON);
    }

    private Flux<String> read(NetioRecording recording, boolean follow) {
        return recording.read(TAG, RecordingPosition.at(WANTED), follow).map(RecordedEvent::event).map(Events::text);
    }

    /** As a reader from now on: what came a moment ago is brought to the disk after it has begun. */
    @Test
    void shouldNotTellWhatCameBeforeTheTimeAsMissing() {
        try (NetioRecorder recorder = NetioRecorder.open(directory, options)) {
            write(recorder, BEGIN, messages(0, 5));
            try (NetioRecording recording = NetioRecording.open(directory)) {
                StepVerifier.create(read(recording, true))
                        .then(() -> write(recorder, WANTED.minusNanos(1), messages(5, 900)))
                        .then(() -> write(recorder, WANTED, messages(900, 902)))
                        .expectNext("1:900=m900", "1:901=m901")
                        .then(() -> write(recorder, WANTED, messages(905, 906))) // that is missing
                        .expectNext("1:902-904", "1:905=m905")
                        .thenCancel().verify(SOON);
            }
        }
    }

    @Test
    void shouldNotTellGapsRunsAndDamagesOfBefore() throws IOException {
        try (NetioRecorder recorder = NetioRecorder.open(directory, options.blockBytes(4096))) {
            write(recorder, BEGIN, messages(0, 2));
            try (NetioRecording recording = NetioRecording.open(directory)) {
                StepVerifier.create(read(recording, true))
                        .then(() -> write(recorder, WANTED.minusSeconds(3), List.of(new Gap(TAG, 1, 2, 8), message(1, 9))))
                        .then(() -> write(recorder, WANTED.minusSeconds(2), List.of(new RunChange(TAG, new Position(1, 9), 2),
                                message(2, 0))))
                        .then(() -> write(recorder, WANTED.minusSeconds(1), List.of(message(2, 1))))
                        .then(() -> write(recorder, WANTED, List.of(message(2, 2))))
                        .expectNext("2:2=m2").thenCancel().verify(SOON);
            }
        }
        Path segment = Recovery.files(directory).getFirst();
        try (FileChannel channel = FileChannel.open(segment, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.allocate(100), 4 * 4096 + 200); // the one before the last
        }
        try (NetioRecording recording = NetioRecording.open(directory)) {
            assertThat(read(recording, false).collectList().block(SOON)).containsExactly("2:2=m2");
        }
    }

    /** What a tag's last message says is known from the beginning, wherever that is, and however much else is between. */
    @Test
    void shouldBeginWithTheLastMessageBeforeTheTimeIfThatIsWanted() {
        RecorderOptions small = options.segmentBytes(8192).blockBytes(4096);
        Tags other = Tags.of(8);
        try (NetioRecorder recorder = NetioRecorder.open(directory, small); NetioRecording recording =
                NetioRecording.open(directory)) {
            write(recorder, BEGIN, messages(0, 3));
            for (int i = 0; i < 20; i++) {
                recorder.record(other, Flux.just(message(other, 1, i, "x".repeat(3_000)))).blockLast(SOON);
            }
            assertThat(withLast(recording)).containsExactly("1:2=m2"); // and nothing since
            write(recorder, BEGIN.plusSeconds(1), List.of(new Gap(TAG, 1, 3, 4)));
            write(recorder, WANTED.plusSeconds(1), messages(7, 9));
            assertThat(withLast(recording)).containsExactly("1:2=m2", "1:5-6", "1:7=m7", "1:8=m8");
            assertThat(read(recording, false).collectList().block(SOON)).containsExactly("1:5-6", "1:7=m7", "1:8=m8");
            assertThat(recording.paced(TAG, RecordingPosition.at(BEGIN), false, null, true).count().block(SOON)).isEqualTo(7);
        }
    }

    private static List<String> withLast(NetioRecording recording) {
        return recording.paced(TAG, RecordingPosition.at(WANTED), false, null, true).map(RecordedEvent::event).map(Events::text)
                .collectList().block(SOON);
    }

    /** Nothing is said before that time, however long a reader waits. */
    @Test
    void shouldSayNothingBeforeATimeToCome() {
        try (NetioRecorder recorder = NetioRecorder.open(directory, options); NetioRecording recording =
                NetioRecording.open(directory)) {
            write(recorder, BEGIN, messages(0, 5));
            Flux<String> reader = read(recording, true).replay().autoConnect(0);
            for (int i = 1; i < 10; i++) {
                write(recorder, BEGIN.plusSeconds(i), messages(5 * i, 5 * i + 5));
            }
            write(recorder, WANTED, messages(50, 51));
            assertThat(reader.blockFirst(SOON)).isEqualTo("1:50=m50");
        }
    }
}
