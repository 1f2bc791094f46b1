// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.recorder;

import static io.reactivenetio.recorder.Events.SOON;
import static io.reactivenetio.recorder.Events.TAG;
import static io.reactivenetio.recorder.Events.message;
import static io.reactivenetio.recorder.Events.messages;
import static io.reactivenetio.recorder.Events.read;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivenetio.pubsub.Position;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Flux;
import reactor.test.StepVerifier;

/** Files that users leave behind, move away and put back, and what they do to a segment while it is written. */
class LeftFilesTest {
    private static final RecorderOptions PROMPT = RecorderOptions.defaults().linger(Duration.ZERO);

    @TempDir
    Path directory;

    private Path segment(int number) {
        return directory.resolve(Format.segmentName(number));
    }

    /** It was of the same length, and is not taken for that of another segment with its number. */
    @Test
    void shouldNotTakeTheIndexOfAFormerSegment() throws IOException {
        for (boolean isBefore : new boolean[] {true, false}) {
            Events.record(directory, List.of(message(1, 0)));
            Path former = Recovery.files(directory).getLast();
            Path index = Format.index(former);
            Path kept = directory.resolve("kept");
            Files.copy(index, kept, StandardCopyOption.REPLACE_EXISTING);
            for (Path each : Recovery.files(directory)) {
                Files.delete(each);
            }
            Files.delete(directory.resolve(Format.LOCK)); // numbers begin anew
            if (!isBefore) {
                Files.delete(index);
            }
            try (NetioRecorder recorder = NetioRecorder.open(directory, PROMPT.fsync(Fsync.each()))) {
                recorder.record(TAG, Flux.just(message(2, 0))).blockLast(SOON);
                Path present = Recovery.files(directory).getFirst();
                assertThat(Files.size(present)).isEqualTo(2 * Format.PAGE);
                if (!isBefore) {
                    Files.copy(kept, Format.index(present), StandardCopyOption.REPLACE_EXISTING); // a backup, for instance
                }
                assertThat(read(directory)).containsExactly("2:0=m0");
            }
            Path present = Recovery.files(directory).getFirst();
            Files.copy(kept, Format.index(present), StandardCopyOption.REPLACE_EXISTING);
            try (NetioRecorder recorder = NetioRecorder.open(directory, PROMPT)) {
                assertThat(recorder.position(TAG)).isEqualTo(new Position(2, 0));
                assertThat(recorder.lost()).isEmpty();
            }
            for (Path each : Recovery.files(directory)) {
                Files.delete(each);
                Files.deleteIfExists(Format.index(each));
            }
        }
    }

    @Test
    void shouldNotGiveTheNumberOfASegmentThatWasMovedAwayAgain(@TempDir Path away) throws IOException {
        Events.record(directory, messages(0, 10));
        Events.record(directory, messages(10, 20));
        Path moved = away.resolve("moved");
        Files.move(segment(2), moved);
        Files.delete(Format.index(segment(2)));
        try (NetioRecording recording = NetioRecording.open(directory)) {
            StepVerifier.create(recording.follow(TAG, null)).expectNextCount(10)
                    .then(() -> Events.record(directory, messages(20, 30)))
                    .expectNextCount(11) // with a gap
                    .thenCancel().verify(SOON);
        }
        assertThat(segment(2)).doesNotExist();
        Files.move(moved, segment(2));
        assertThat(read(directory)).hasSize(30).doesNotHaveDuplicates().element(15).isEqualTo("1:15=m15");
        NetioRecorder.open(directory, PROMPT).close();
    }

    /** As programs of before numbers were kept have made them. */
    @Test
    void shouldFollowToAnotherSegmentOfTheSameNumber() throws IOException {
        Events.record(directory, messages(0, 10));
        Events.record(directory, messages(10, 20));
        try (NetioRecording recording = NetioRecording.open(directory)) {
            StepVerifier.create(recording.follow(TAG, null)).expectNextCount(20)
                    .then(() -> assertThat(segment(2).toFile().delete() && Format.index(segment(2)).toFile().delete()
                            && directory.resolve(Format.LOCK).toFile().delete()).isTrue())
                    .then(() -> Events.record(directory, messages(20, 30)))
                    .expectNextCount(10)
                    .then(() -> assertThat(segment(3)).doesNotExist())
                    .thenCancel().verify(SOON);
        }
    }

    @Test
    void shouldReadASegmentWhateverIsInThePlaceOfItsIndex() throws IOException {
        Events.record(directory, messages(0, 10));
        Path index = Format.index(segment(1));
        try (FileChannel huge = FileChannel.open(index, StandardOpenOption.WRITE)) {
            huge.write(java.nio.ByteBuffer.wrap(new byte[1]), 3L << 30);
        }
        assertThat(read(directory)).hasSize(10);
        Events.record(directory, messages(10, 12));
        assertThat(Files.size(index)).isLessThan(1000);
        for (boolean isEmpty : new boolean[] {true, false}) {
            Files.delete(index);
            Files.createDirectory(index);
            if (!isEmpty) {
                Files.createFile(index.resolve("file"));
            }
            assertThat(read(directory)).hasSize(12);
            NetioRecorder.open(directory, PROMPT).close();
            assertThat(Files.isDirectory(index)).isEqualTo(!isEmpty);
        }
        assertThat(read(directory)).hasSize(12);
    }

    @Test
    void shouldRecordBesideADirectoryThatHasTheNameOfASegment() throws IOException {
        Files.createDirectory(segment(1));
        Files.createDirectory(segment(3));
        Events.record(directory, messages(0, 3));
        Events.record(directory, messages(3, 6));
        assertThat(read(directory)).hasSize(6);
        assertThat(Recovery.files(directory)).containsExactly(segment(2), segment(4));
    }

    /** Deleted, cut and replaced while it is written, also shortly before the recorder is closed. */
    @Test
    void shouldCountWhatIsLostOfTheSegmentThatItWrites() throws IOException {
        NetioRecorder recorder = NetioRecorder.open(directory, PROMPT);
        recorder.record(TAG, Flux.fromIterable(messages(0, 10))).blockLast(SOON);
        Files.delete(segment(1));
        awaitLost(recorder, 10);
        recorder.record(TAG, Flux.fromIterable(messages(10, 15))).blockLast(SOON);
        Files.move(segment(2), directory.resolve("moved"));
        Files.write(segment(2), new byte[20_000]);
        awaitLost(recorder, 15);
        recorder.record(TAG, Flux.fromIterable(messages(15, 20))).blockLast(SOON);
        try (FileChannel cut = FileChannel.open(segment(3), StandardOpenOption.WRITE)) {
            cut.truncate(5_000);
        }
        recorder.close();
        assertThat(recorder.statistics().lost()).isEqualTo(20);
        assertThat(recorder.statistics().missing()).isZero(); // that is what the source has not sent
    }

    private static void awaitLost(NetioRecorder recorder, long messages) {
        Flux.interval(Duration.ofMillis(20)).filter(n -> recorder.statistics().lost() == messages).blockFirst(SOON);
    }

    @Test
    void shouldRefuseADirectoryWithoutAName() {
        assertThatThrownBy(() -> NetioRecorder.open(Path.of(""), PROMPT)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("no name");
    }
}
