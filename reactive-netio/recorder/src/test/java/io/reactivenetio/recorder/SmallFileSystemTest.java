// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.recorder;

import static io.reactivenetio.recorder.Events.SOON;
import static io.reactivenetio.recorder.Events.TAG;
import static io.reactivenetio.recorder.Events.messages;
import static io.reactivenetio.recorder.Events.read;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactivenetio.pubsub.Position;
import io.reactivenetio.recorder.NetioRecordingException.Reason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

/** A file system of 2 MiB that is really full. It takes the right to mount one: where that is missing, FullDiskTest has to do. */
class SmallFileSystemTest {
    private static final int COUNT = 50_000;
    private static final RecorderOptions SMALL = RecorderOptions.defaults().linger(Duration.ZERO).blockBytes(4_096)
            .segmentBytes(65_536);

    @TempDir
    private Path directory;

    private Path filler;

    @BeforeEach
    void mount() throws Exception {
        assumeTrue(run("mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", directory.toString()), "a tmpfs can be mounted");
        filler = Files.write(directory.resolve("filler"), new byte[1 << 20]);
    }

    @AfterEach
    void unmount() throws Exception {
        run("umount", "-l", directory.toString());
    }

    private static boolean run(String... command) throws InterruptedException {
        try {
            return new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD).start()
                    .waitFor() == 0;
        } catch (IOException noSuchProgram) {
            return false;
        }
    }

    @Test
    void shouldFailAndGoOnWhenThereIsRoom() throws IOException {
        Path at = directory.resolve("recording");
        AtomicLong safe = new AtomicLong(-1);
        try (NetioRecorder recorder = NetioRecorder.open(at, SMALL.whenFull(WhenFull.FAIL))) {
            StepVerifier.create(recorder.record(TAG, Flux.fromIterable(messages(0, COUNT)))
                            .doOnNext(recorded -> safe.set(recorded.position().sequence())).ignoreElements())
                    .verifyErrorSatisfies(error -> assertThat(((NetioRecordingException) error).reason()).isEqualTo(Reason.FULL));
            assertThat(safe.get()).isPositive();
            assertThat(read(at)).hasSize((int) recorder.position(TAG).sequence() + 1).hasSizeGreaterThan((int) safe.get());
            Files.delete(filler);
            int end = (int) recorder.position(TAG).sequence() + 100;
            recorder.record(TAG, Flux.fromIterable(messages(0, end))).blockLast(SOON);
            assertThat(read(at)).hasSize(end).doesNotHaveDuplicates();
        }
    }

    @Test
    void shouldWaitForRoom() throws IOException {
        Path at = directory.resolve("recording");
        try (NetioRecorder recorder = NetioRecorder.open(at, SMALL.whenFull(WhenFull.WAIT).inFlightBytes(100_000))) {
            AtomicLong told = new AtomicLong(-1);
            Mono<Recorded> last = recorder.record(TAG, Flux.fromIterable(messages(0, COUNT)))
                    .doOnNext(recorded -> told.set(recorded.position().sequence())).last().cache();
            last.subscribe(recorded -> { }, error -> { });
            Flux.interval(Duration.ofMillis(10)).filter(n -> recorder.statistics().waitsForRoom()).blockFirst(SOON);
            long before = told.get();
            Files.delete(filler);
            Flux.interval(Duration.ofMillis(10)).filter(n -> told.get() > before).blockFirst(SOON);
        }
        assertThat(read(at)).hasSizeGreaterThan(100).doesNotHaveDuplicates();
    }

    @Test
    void shouldDeleteTheOldest() {
        Path at = directory.resolve("recording");
        try (NetioRecorder recorder = NetioRecorder.open(at, SMALL)) {
            assertThat(recorder.record(TAG, Flux.fromIterable(messages(0, COUNT))).blockLast(SOON))
                    .isEqualTo(new Recorded(TAG, new Position(1, COUNT - 1)));
            assertThat(recorder.statistics().deletedSegments()).isPositive();
        }
        List<String> left = read(at);
        assertThat(left).hasSizeGreaterThan(100).endsWith("1:" + (COUNT - 1) + "=m" + (COUNT - 1)).doesNotHaveDuplicates();
    }
}
