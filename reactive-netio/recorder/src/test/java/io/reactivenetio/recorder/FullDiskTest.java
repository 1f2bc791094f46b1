// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.recorder;

import static io.reactivenetio.recorder.Events.SOON;
import static io.reactivenetio.recorder.Events.TAG;
import static io.reactivenetio.recorder.Events.message;
import static io.reactivenetio.recorder.Events.messages;
import static io.reactivenetio.recorder.Events.read;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.api.TaggedMessage;
import io.reactivenetio.api.Tags;
import io.reactivenetio.pubsub.Gap;
import io.reactivenetio.pubsub.Position;
import io.reactivenetio.pubsub.SequencedEvent;
import io.reactivenetio.pubsub.SequencedMessage;
import io.reactivenetio.recorder.NetioRecordingException.Reason;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

/** Limits of the recording, and disks that are full or broken. */
class FullDiskTest {
    private static final RecorderOptions SMALL = RecorderOptions.defaults().linger(Duration.ZERO).blockBytes(4096)
            .segmentBytes(32_768);

    @TempDir
    Path directory;

    /** A disk with so many bytes left, which writes what has room of the last write, or which is broken. */
    private static final class SmallDisk implements Disk {
        private final AtomicLong room;
        private volatile boolean broken;
        /** Before it says how much room there is, and takes it. */
        private volatile Runnable look = () -> { };

        SmallDisk(long room) {
            this.room = new AtomicLong(room);
        }

        @Override
        public Output create(Path file) throws IOException {
            Output real = REAL.create(file);
            return new Output() {
                @Override
                public void write(ByteBuffer bytes) throws IOException {
                    if (broken) {
                        throw new IOException("Input/output error");
                    }
                    int wanted = bytes.remaining();
                    look.run();
                    int some = (int) Math.min(wanted, room.get());
                    room.addAndGet(-some);
                    real.write(bytes.slice(bytes.position(), some));
                    if (some < wanted) {
                        throw new IOException("No space left on device");
                    }
                }

                @Override
                public void cut(long size) throws IOException {
                    room.addAndGet(Files.size(file) - size);
                    real.cut(size);
                }

                @Override
                public long size() throws IOException {
                    return real.size();
                }

                @Override
                public void force() throws IOException {
                    real.force();
                }

                @Override
                public void close() throws IOException {
                    real.close();
                }
            };
        }

        @Override
        public long room(Path directory) {
            look.run();
            return room.get() > 0 ? 1 << 30 : 0;
        }

        @Override
        public void forceNames(Path directory) throws IOException {
            REAL.forceNames(directory);
        }
    }

    private static Reason reason(Throwable error) {
        return ((NetioRecordingException) error).reason();
    }

    private long onDisk() {
        try (Stream<Path> files = Files.list(directory)) {
            return files.mapToLong(file -> file.toFile().length()).sum();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void shouldDeleteTheOldestAtItsLimit() {
        long limit = 200_000;
        try (NetioRecorder recorder = NetioRecorder.open(directory, SMALL.maxBytes(limit))) {
            recorder.record(TAG, Flux.fromIterable(messages(0, 50_000))).doOnNext(recorded ->
                    assertThat(onDisk()).isLessThanOrEqualTo(limit)).blockLast(SOON);
            RecorderStatistics statistics = recorder.statistics();
            assertThat(statistics.deletedSegments()).isPositive();
            assertThat(statistics.diskBytes()).isBetween(limit / 2, limit).isGreaterThanOrEqualTo(onDisk());
        }
        List<String> left = read(directory);
        assertThat(left).hasSizeBetween(100, 20_000).endsWith("1:49999=m49999");
        long first = 50_000 - left.size();
        assertThat(read(directory, TAG, new Position(1, 99))).hasSize(left.size() + 1).startsWith("1:100-" + (first - 1));
        assertThat(read(directory, TAG, new Position(1, first - 2))).startsWith("1:" + (first - 1) + "-" + (first - 1));
        assertThat(read(directory, TAG, new Position(1, first - 1))).startsWith("1:" + first + "=m" + first);
    }

    /** A reader that is overtaken has every message, or is told that it is missing. */
    @Test
    void shouldTellReadersWhatWasDeletedBeforeThem() {
        try (NetioRecorder recorder = NetioRecorder.open(directory, SMALL.maxBytes(100_000))) {
            recorder.record(TAG, Flux.fromIterable(messages(0, 10))).blockLast(SOON);
            try (NetioRecording recording = NetioRecording.open(directory)) {
                List<SequencedEvent> seen = new ArrayList<>();
                StepVerifier.create(recording.follow(TAG, null).doOnNext(seen::add), 5).expectNextCount(5)
                        .then(() -> recorder.record(TAG, Flux.fromIterable(messages(10, 20_000))).blockLast(SOON))
                        .thenRequest(Long.MAX_VALUE)
                        .thenConsumeWhile(event -> !(event instanceof SequencedMessage m) || m.sequence() < 19_999)
                        .expectNextCount(1).thenCancel().verify(SOON);
                long next = 0;
                long missing = 0;
                for (SequencedEvent event : seen) {
                    if (event instanceof Gap gap) {
                        assertThat(gap.from()).isEqualTo(next);
                        missing += gap.messages();
                        next = gap.to() + 1;
                    } else {
                        assertThat(event).isEqualTo(message(1, next++));
                    }
                }
                assertThat(next).isEqualTo(20_000);
                assertThat(missing).isPositive();
            }
        }
    }

    @Test
    void shouldDeleteWhatIsTooOld() {
        AtomicReference<Instant> now = new AtomicReference<>(Instant.ofEpochSecond(1_000_000));
        RecorderOptions options = SMALL.segmentBytes(1 << 20).maxAge(Duration.ofHours(1)).clock(now::get)
                .whenFull(WhenFull.FAIL); // ten messages are in one segment, even if each gets a block of its own
        try (NetioRecorder recorder = NetioRecorder.open(directory, options, passing(now))) {
            recorder.record(TAG, Flux.fromIterable(messages(0, 10))).blockLast(SOON);
            now.set(now.get().plus(Duration.ofMinutes(61))); // ends that segment
            recorder.record(TAG, Flux.fromIterable(messages(10, 20))).blockLast(SOON);
            Flux.interval(Duration.ofMillis(20)).filter(n -> recorder.statistics().deletedSegments() == 1).blockFirst(SOON);
        }
        assertThat(read(directory)).hasSize(10);
    }

    /** Real time passes as the clock says. */
    private static Surroundings passing(AtomicReference<Instant> now) {
        return Surroundings.REAL.nanoTime(() -> RecordedEvent.toNanos(now.get()));
    }

    /** Segments of a clock that was ahead by years do not keep those behind them, nor stay themselves. */
    @Test
    void shouldDeleteWhatIsTooOldBehindAClockThatWasAhead() {
        Instant start = Instant.parse("2026-11-25T00:00:00Z");
        AtomicReference<Instant> now = new AtomicReference<>(start.plus(Duration.ofDays(3650)));
        AtomicLong nanos = new AtomicLong();
        RecorderOptions options = SMALL.maxAge(Duration.ofHours(1)).clock(now::get);
        try (NetioRecorder recorder = NetioRecorder.open(directory, options, Surroundings.REAL.nanoTime(nanos::get))) {
            recorder.record(TAG, Flux.fromIterable(messages(0, 2_000))).blockLast(SOON);
            now.set(start);
            recorder.record(TAG, Flux.fromIterable(messages(2_000, 4_000))).blockLast(SOON);
            now.set(start.plus(Duration.ofHours(2)));
            nanos.set(Duration.ofHours(2).toNanos());
            recorder.record(TAG, Flux.fromIterable(messages(4_000, 4_010))).blockLast(SOON);
            Flux.interval(Duration.ofMillis(20)).filter(n -> recorder.statistics().segments() == 1).blockFirst(SOON);
        }
        assertThat(read(directory)).hasSize(10).endsWith("1:4009=m4009");
    }

    /** A machine that was booted in 1970, and is told the time an hour later. */
    @Test
    void shouldKeepWhatWasWrittenAMomentAgoWhenTheClockIsSet() {
        AtomicReference<Instant> now = new AtomicReference<>(Instant.EPOCH);
        AtomicLong nanos = new AtomicLong();
        RecorderOptions options = SMALL.maxAge(Duration.ofDays(1)).clock(now::get);
        Surroundings surroundings = Surroundings.REAL.nanoTime(nanos::get);
        try (NetioRecorder recorder = NetioRecorder.open(directory, options, surroundings)) {
            recorder.record(TAG, Flux.fromIterable(messages(0, 4_000))).blockLast(SOON);
        }
        try (NetioRecorder recorder = NetioRecorder.open(directory, options, surroundings)) {
            now.set(Instant.parse("2026-11-25T00:00:00Z"));
            recorder.record(TAG, Flux.fromIterable(messages(4_000, 8_000))).blockLast(SOON);
            awaitExpiry(recorder);
            assertThat(recorder.statistics().deletedSegments()).isZero();
        }
        try (NetioRecorder recorder = NetioRecorder.open(directory, options, surroundings)) { // finds both times there
            awaitExpiry(recorder);
            assertThat(recorder.statistics().deletedSegments()).isZero();
            nanos.set(Duration.ofHours(25).toNanos());
            Flux.interval(Duration.ofMillis(20)).filter(n -> recorder.statistics().segments() == 0).blockFirst(SOON);
        }
    }

    /** Looks for what is too old come once per second: a segment of an hour ago has been deleted by then. */
    private void awaitExpiry(NetioRecorder recorder) {
        Path lock = directory.resolve(Format.LOCK);
        long before = beat(lock);
        Flux.interval(Duration.ofMillis(20)).filter(n -> beat(lock) > before + 1).blockFirst(SOON);
        assertThat(recorder.isDisposed()).isFalse();
    }

    private static long beat(Path lock) {
        try { // in the same process: the recorder locks it anew
            return java.util.Objects.requireNonNull(LockRecord.decode(ByteBuffer.wrap(Files.readAllBytes(lock)))).beat();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void shouldFailAtItsLimitAndGoOnWhenThereIsRoom() {
        for (boolean isDisk : new boolean[] {true, false}) {
            Path at = directory.resolve("" + isDisk);
            SmallDisk disk = new SmallDisk(isDisk ? 50_000 : Long.MAX_VALUE);
            RecorderOptions options = SMALL.whenFull(WhenFull.FAIL).maxBytes(isDisk ? Long.MAX_VALUE : 50_000);
            AtomicLong safe = new AtomicLong(-1);
            try (NetioRecorder recorder = NetioRecorder.open(at, options, Surroundings.of(disk))) {
                StepVerifier.create(recorder.record(TAG, Flux.fromIterable(messages(0, 50_000)))
                                .doOnNext(recorded -> safe.set(recorded.position().sequence())).ignoreElements())
                        .verifyErrorSatisfies(error -> assertThat(reason(error)).isEqualTo(Reason.FULL));
                assertThat(recorder.position(TAG)).isNotNull().extracting(Position::sequence)
                        .satisfies(last -> assertThat(last).isGreaterThanOrEqualTo(safe.get()));
                assertThat(read(at)).hasSize((int) recorder.position(TAG).sequence() + 1);
                if (isDisk) {
                    disk.room.set(Long.MAX_VALUE / 2);
                    recorder.record(TAG, Flux.fromIterable(messages(0, 50_000))).blockLast(SOON);
                    assertThat(read(at)).hasSize(50_000).doesNotHaveDuplicates();
                }
            }
        }
    }

    @Test
    void shouldWaitForRoom() {
        SmallDisk disk = new SmallDisk(50_000);
        try (NetioRecorder recorder = NetioRecorder.open(directory, SMALL.whenFull(WhenFull.WAIT), Surroundings.of(disk))) {
            AtomicLong asked = new AtomicLong();
            Mono<Recorded> last = recorder.record(TAG, Flux.fromIterable(messages(0, 50_000))
                    .doOnRequest(asked::addAndGet)).last().cache();
            last.subscribe();
            Flux.interval(Duration.ofMillis(10)).filter(n -> recorder.statistics().waitsForRoom()).blockFirst(SOON);
            assertThat(asked).hasValueLessThan(50_000);
            assertThat(read(directory)).isNotEmpty();
            disk.room.set(Long.MAX_VALUE / 2);
            assertThat(last.block(SOON)).isEqualTo(new Recorded(TAG, new Position(1, 49_999)));
            assertThat(recorder.statistics().waitsForRoom()).isFalse();
        }
        assertThat(read(directory)).hasSize(50_000);
    }

    /** Its limit is reached, and somebody moves old segments away. */
    @Test
    void shouldFindTheRoomThatOthersMake() throws IOException {
        RecorderOptions options = SMALL.maxBytes(200_000);
        try (NetioRecorder recorder = NetioRecorder.open(directory, options.whenFull(WhenFull.WAIT))) {
            Mono<Recorded> last = recorder.record(TAG, Flux.fromIterable(messages(0, 20_000))).last().cache();
            last.subscribe();
            while (recorder.position(TAG) == null || recorder.position(TAG).sequence() < 19_999) {
                Flux.interval(Duration.ofMillis(10)).filter(n -> recorder.statistics().waitsForRoom()
                        || recorder.position(TAG).sequence() == 19_999).blockFirst(SOON);
                deleteSegments();
            }
            assertThat(last.block(SOON)).isEqualTo(new Recorded(TAG, new Position(1, 19_999)));
        }
        Path failing = directory.resolve("failing");
        try (NetioRecorder recorder = NetioRecorder.open(failing, options.whenFull(WhenFull.FAIL))) {
            StepVerifier.create(recorder.record(TAG, Flux.fromIterable(messages(0, 20_000))).ignoreElements())
                    .verifyErrorSatisfies(error -> assertThat(reason(error)).isEqualTo(Reason.FULL));
            for (Path segment : Recovery.files(failing)) {
                Files.delete(segment);
                Files.deleteIfExists(Format.index(segment));
            }
            recorder.record(TAG, Flux.fromIterable(messages(30_000, 30_010))).blockLast(SOON);
            assertThat(recorder.statistics().diskBytes()).isLessThan(200_000);
        }
        assertThat(read(failing)).endsWith("1:30009=m30009");
    }

    /** All but the one that is being written. */
    private void deleteSegments() throws IOException {
        List<Path> segments = Recovery.files(directory);
        for (Path segment : segments.subList(0, Math.max(0, segments.size() - 1))) {
            Files.deleteIfExists(segment);
            Files.deleteIfExists(Format.index(segment));
        }
    }

    /** What gets too old while the recorder waits makes room. */
    @Test
    void shouldDeleteWhatIsTooOldWhileItWaits() {
        AtomicReference<Instant> now = new AtomicReference<>(Instant.ofEpochSecond(1_000_000));
        RecorderOptions options = SMALL.maxBytes(200_000).maxAge(Duration.ofHours(1)).clock(now::get).whenFull(WhenFull.WAIT);
        try (NetioRecorder recorder = NetioRecorder.open(directory, options, passing(now))) {
            Mono<Recorded> last = recorder.record(TAG, Flux.fromIterable(messages(0, 10_000))).last().cache();
            last.subscribe();
            Flux.interval(Duration.ofMillis(10)).filter(n -> recorder.statistics().waitsForRoom()).blockFirst(SOON);
            Disposable time = Flux.interval(Duration.ofMillis(50)).subscribe(n ->
                    now.set(now.get().plus(Duration.ofMinutes(40))));
            assertThat(last.block(SOON)).isEqualTo(new Recorded(TAG, new Position(1, 9999)));
            time.dispose();
        }
    }

    /** However many and large the messages are: while nothing can be written, no more are asked for than have room in memory. */
    @Test
    void shouldKeepItsMemoryBoundWhileItWaits() {
        int limit = 1_000_000;
        SmallDisk disk = new SmallDisk(200_000);
        RecorderOptions options = SMALL.whenFull(WhenFull.WAIT).inFlightBytes(limit);
        try (NetioRecorder recorder = NetioRecorder.open(directory, options, Surroundings.of(disk))) {
            List<Disposable> recordings = new ArrayList<>();
            for (int i = 0; i < 10; i++) {
                Tags tags = Tags.of(i);
                recordings.add(recorder.recordMessages(tags, Flux.range(0, 1000).map(n ->
                        TaggedMessage.of(tags.first(), ByteBuffer.allocate(20_000)))).subscribe());
            }
            Flux.interval(Duration.ofMillis(10)).filter(n -> recorder.statistics().waitsForRoom()).blockFirst(SOON);
            Mono.delay(Duration.ofMillis(100)).block();
            double most = limit * IntStream.rangeClosed(1, 10).mapToDouble(n -> 1.0 / n).sum(); // they begin one after the other
            assertThat((double) recorder.statistics().waitingBytes()).isPositive().isLessThanOrEqualTo(most);
            recordings.forEach(Disposable::dispose);
            disk.room.set(Long.MAX_VALUE / 2);
            Flux.interval(Duration.ofMillis(10)).filter(n -> !recorder.statistics().waitsForRoom()).blockFirst(SOON);
        }
    }

    @Test
    void shouldBeClosedWhileItWaitsForRoom() {
        SmallDisk disk = new SmallDisk(20_000);
        NetioRecorder recorder = NetioRecorder.open(directory, SMALL.whenFull(WhenFull.WAIT), Surroundings.of(disk));
        AtomicReference<Throwable> end = new AtomicReference<>();
        recorder.record(TAG, Flux.fromIterable(messages(0, 50_000))).subscribe(recorded -> { }, end::set);
        Flux.interval(Duration.ofMillis(10)).filter(n -> recorder.statistics().waitsForRoom()).blockFirst(SOON);
        recorder.close();
        assertThat(reason(end.get())).isEqualTo(Reason.FULL);
        assertThat(read(directory)).isNotEmpty();
    }

    /** The disk is full before the limit: old segments make room. */
    @Test
    void shouldDeleteTheOldestWhenTheDiskIsFull() {
        SmallDisk disk = new SmallDisk(100_000);
        disk.look = () -> disk.room.updateAndGet(room -> Math.max(room, 100_000 - onDisk())); // what was deleted is free
        try (NetioRecorder recorder = NetioRecorder.open(directory, SMALL, Surroundings.of(disk))) {
            recorder.record(TAG, Flux.fromIterable(messages(0, 20_000))).blockLast(SOON);
            assertThat(recorder.statistics().deletedSegments()).isPositive();
        }
        assertThat(read(directory)).endsWith("1:19999=m19999");
    }

    @Test
    void shouldEndWhenTheDiskIsBroken() {
        SmallDisk disk = new SmallDisk(Long.MAX_VALUE);
        NetioRecorder recorder = NetioRecorder.open(directory, SMALL, Surroundings.of(disk));
        recorder.record(TAG, Flux.fromIterable(messages(0, 10))).blockLast(SOON);
        disk.broken = true;
        StepVerifier.create(recorder.record(TAG, Flux.fromIterable(messages(10, 20))))
                .verifyErrorSatisfies(error -> assertThat(reason(error)).isEqualTo(Reason.DISK));
        recorder.onDispose().block(SOON);
        StepVerifier.create(recorder.record(TAG, Flux.fromIterable(messages(10, 20))))
                .verifyErrorSatisfies(error -> assertThat(reason(error)).isEqualTo(Reason.DISK));
        Events.record(directory, messages(5, 20));
        assertThat(read(directory)).hasSize(20);
    }

    @Test
    void shouldRefuseAMessageThatIsLargerThanItsLimit() {
        try (NetioRecorder recorder = NetioRecorder.open(directory, SMALL.maxBytes(50_000).whenFull(WhenFull.WAIT))) {
            StepVerifier.create(recorder.recordMessages(TAG, Flux.just(TaggedMessage.of(7, ByteBuffer.allocate(60_000)))))
                    .verifyErrorSatisfies(error -> assertThat(reason(error)).isEqualTo(Reason.FULL));
            recorder.recordMessages(TAG, Flux.just(TaggedMessage.of(7, ByteBuffer.allocate(1000)))).blockLast(SOON);
        }
    }
}
