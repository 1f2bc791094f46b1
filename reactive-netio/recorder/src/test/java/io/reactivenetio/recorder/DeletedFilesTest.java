// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.recorder;

import static io.reactivenetio.recorder.Events.SOON;
import static io.reactivenetio.recorder.Events.TAG;
import static io.reactivenetio.recorder.Events.messages;
import static io.reactivenetio.recorder.Events.read;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.pubsub.Position;
import io.reactivenetio.pubsub.SequencedEvent;
import io.reactivenetio.recorder.NetioRecordingException.Reason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Sinks;
import reactor.test.StepVerifier;

/** Files and directories that somebody deletes under recorders and readers. */
class DeletedFilesTest {
    private static final RecorderOptions PROMPT = RecorderOptions.defaults().linger(Duration.ZERO);

    @TempDir
    Path temporary;

    private Path directory;

    @BeforeEach
    void choose() {
        directory = temporary.resolve("recording");
    }

    private static Reason reason(Throwable error) {
        return ((NetioRecordingException) error).reason();
    }

    private void deleteFiles() throws IOException {
        for (Path segment : Recovery.files(directory)) {
            Files.delete(segment);
            Files.deleteIfExists(Format.index(segment));
        }
    }

    private void deleteDirectory() throws IOException {
        deleteFiles();
        Files.deleteIfExists(directory.resolve(Format.LOCK));
        Files.delete(directory);
    }

    /** What follows is on the disk, and a reader is told what is not. */
    @Test
    void shouldGoOnWhenTheSegmentThatItWritesIsDeleted() throws IOException {
        try (NetioRecorder recorder = NetioRecorder.open(directory, PROMPT)) {
            recorder.record(TAG, Flux.fromIterable(messages(0, 3))).blockLast(SOON);
            deleteFiles();
            Flux.interval(Duration.ofMillis(20)).filter(n -> recorder.statistics().segments() == 0).blockFirst(SOON);
            recorder.record(TAG, Flux.fromIterable(messages(3, 5))).blockLast(SOON);
            assertThat(read(directory)).containsExactly("1:3=m3", "1:4=m4");
            assertThat(read(directory, TAG, new Position(1, 0))).containsExactly("1:1-2", "1:3=m3", "1:4=m4");
        }
    }

    @Test
    void shouldFailWhenItsDirectoryIsDeleted() throws IOException {
        NetioRecorder recorder = NetioRecorder.open(directory, PROMPT);
        recorder.record(TAG, Flux.fromIterable(messages(0, 3))).blockLast(SOON);
        Sinks.Many<SequencedEvent> more = Sinks.many().unicast().onBackpressureBuffer();
        StepVerifier.create(recorder.record(TAG, more.asFlux()))
                .then(() -> run(this::deleteDirectory))
                .expectErrorSatisfies(error -> assertThat(reason(error)).isEqualTo(Reason.DISK))
                .verify(SOON);
        recorder.onDispose().block(SOON);
        assertThat(directory).doesNotExist();
        Events.record(directory, PROMPT, messages(3, 5));
        assertThat(read(directory)).hasSize(2);
    }

    private void write(int from, int to) {
        Events.record(directory, PROMPT.segmentBytes(8192).blockBytes(4096), messages(from, to));
    }

    private static void run(Deletion deletion) {
        try {
            deletion.run();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private interface Deletion {
        void run() throws IOException;
    }

    /** The numbers of its segments begin anew, before those that readers have seen. */
    @Test
    void shouldTellReadersThatAnotherRecordingHasBegun() {
        write(0, 2000);
        try (NetioRecording recording = NetioRecording.open(directory)) {
            StepVerifier.create(recording.follow(TAG, null))
                    .expectNextCount(2000)
                    .then(() -> run(this::deleteFiles))
                    .then(() -> write(2000, 2003))
                    .expectErrorSatisfies(error -> {
                        assertThat(reason(error)).isEqualTo(Reason.UNKNOWN_RUN);
                        assertThat(error).hasMessageContaining("another one has begun");
                    })
                    .verify(SOON);
            assertThat(Events.texts(recording.read(TAG, new Position(1, 1998))))
                    .containsExactly("1:1999-1999", "1:2000=m2000", "1:2001=m2001", "1:2002=m2002");
            StepVerifier.create(recording.follow(TAG, new Position(1, 2001)))
                    .expectNextCount(1)
                    .then(() -> write(2003, 2004))
                    .expectNextCount(1).thenCancel().verify(SOON);
        }
    }

    @Test
    void shouldFailReadersWhenTheirDirectoryIsDeletedAndServeAnotherOne() {
        write(0, 10);
        try (NetioRecording recording = NetioRecording.open(directory)) {
            StepVerifier.create(recording.follow(TAG, null))
                    .expectNextCount(10)
                    .then(() -> run(this::deleteDirectory))
                    .expectErrorSatisfies(error -> assertThat(reason(error)).isEqualTo(Reason.DISK))
                    .verify(SOON);
            write(10, 12);
            Flux.interval(Duration.ofMillis(20)).filter(n -> recording.streams().getFirst().runs().getFirst().first() == 10)
                    .blockFirst(SOON);
            assertThat(Events.texts(recording.read(TAG, new Position(1, 9)))).containsExactly("1:10=m10", "1:11=m11");
        }
    }
}
