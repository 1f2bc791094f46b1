// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.recorder;

import static io.reactivenetio.recorder.Events.TAG;

import io.reactivenetio.api.TaggedMessage;
import io.reactivenetio.pubsub.SequencedEvent;
import io.reactivenetio.pubsub.SequencedMessage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Flux;

/**
 * How fast messages are recorded, beside plain writes of as many bytes in blocks of as many. It is no test, and runs with
 * {@code -Drecorder.rate=MEGABYTES} only.
 */
@EnabledIfSystemProperty(named = "recorder.rate", matches = "[0-9]+", disabledReason = "a measurement: -Drecorder.rate=MEGABYTES")
class RecordRateTest {
    private static final int BLOCK = 256 << 10;
    private static final int ROUNDS = 3;
    private static final double NANOS = 1e9;
    private static final double MEGA = 1e6;

    @TempDir
    Path directory;

    @Test
    @SuppressWarnings("SystemOut")
    void shouldBeMeasured() throws IOException {
        long megabytes = Long.getLong("recorder.rate");
        System.out.println("| message | fsync | recorded MB/s | messages/s | plain writes MB/s | ratio | read MB/s |");
        for (Fsync fsync : new Fsync[] {Fsync.never(), Fsync.interval(Duration.ofMillis(200)), Fsync.each()}) {
            for (int size : new int[] {100, 1024, 65_536}) {
                long messages = megabytes * 1_000_000 / (size == 100 ? 4 : 1) / size;
                double best = 0;
                double plain = 0;
                double read = 0;
                for (int round = 0; round < ROUNDS; round++) {
                    plain = Math.max(plain, messages * size / plain(messages * size, fsync) / MEGA);
                    Path at = directory.resolve(fsync.nanos() + "-" + size + "-" + round);
                    best = Math.max(best, messages * size / record(at, messages, size, fsync) / MEGA);
                    read = Math.max(read, messages * size / read(at, messages) / MEGA);
                    delete(at);
                }
                System.out.printf(Locale.ROOT, "| %,d B | %s | %,.0f | %,.0f | %,.0f | %.2f | %,.0f |%n", size, fsync, best,
                        best * MEGA / size, plain, best / plain, read);
            }
        }
    }

    private double plain(long bytes, Fsync fsync) throws IOException {
        ByteBuffer block = ByteBuffer.allocateDirect(BLOCK);
        byte[] random = new byte[BLOCK];
        ThreadLocalRandom.current().nextBytes(random);
        block.put(random);
        Path file = directory.resolve("plain");
        long begun = System.nanoTime();
        long forced = begun;
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            for (long written = 0; written < bytes; written += BLOCK) {
                channel.write(block.clear());
                if (!fsync.isNever() && System.nanoTime() - forced >= fsync.nanos()) {
                    channel.force(false);
                    forced = System.nanoTime();
                }
            }
            if (!fsync.isNever()) {
                channel.force(false);
            }
        }
        double seconds = (System.nanoTime() - begun) / NANOS;
        Files.delete(file);
        return seconds;
    }

    private static double record(Path at, long messages, int size, Fsync fsync) {
        byte[] random = new byte[size];
        ThreadLocalRandom.current().nextBytes(random);
        try (NetioRecorder recorder = NetioRecorder.open(at, RecorderOptions.defaults().fsync(fsync))) {
            Flux<SequencedEvent> events = Flux.generate(() -> 0L, (n, sink) -> {
                if (n < messages) {
                    sink.next(new SequencedMessage(TAG, 1, n, new TaggedMessage(7, 0, ByteBuffer.wrap(random))));
                } else {
                    sink.complete();
                }
                return n + 1;
            });
            long begun = System.nanoTime();
            recorder.record(TAG, events.publishOn(reactor.core.scheduler.Schedulers.parallel(), 16_384)).blockLast();
            return (System.nanoTime() - begun) / NANOS;
        }
    }

    private static double read(Path at, long messages) {
        try (NetioRecording recording = NetioRecording.open(at)) {
            long begun = System.nanoTime();
            Long count = recording.read(TAG, RecordingPosition.beginning(), false).count().block();
            if (count == null || count != messages) {
                throw new IllegalStateException(count + " of " + messages);
            }
            return (System.nanoTime() - begun) / NANOS;
        }
    }

    private static void delete(Path at) throws IOException {
        try (Stream<Path> files = Files.list(at)) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
        }
        Files.delete(at);
    }
}
