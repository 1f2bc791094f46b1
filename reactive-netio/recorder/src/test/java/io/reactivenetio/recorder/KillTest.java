// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.recorder;

import static io.reactivenetio.recorder.Events.SOON;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.api.TaggedMessage;
import io.reactivenetio.api.Tags;
import io.reactivenetio.pubsub.Position;
import io.reactivenetio.pubsub.SequencedEvent;
import io.reactivenetio.pubsub.SequencedMessage;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Flux;

/** A recorder's process is killed at any time: what it had acknowledged is there, whole and in order. */
class KillTest {
    private static final int ROUNDS = Integer.getInteger("recorder.kills", 2);
    private static final List<Tags> STREAMS = List.of(Tags.of(1), Tags.range(2, 5), Tags.of(6));

    @TempDir
    Path directory;

    /** The process: records without end, and says what is acknowledged. */
    static final class Recording {
        private Recording() {
        }

        public static void main(String[] args) {
            PrintStream out = new PrintStream(System.out, false);
            RecorderOptions options = RecorderOptions.defaults().segmentBytes(1 << 20).blockBytes(16_384)
                    .linger(Duration.ofMillis(1));
            try (NetioRecorder recorder = NetioRecorder.open(Path.of(args[0]), options)) {
                Flux.fromIterable(STREAMS).flatMap(tags -> {
                    Position last = recorder.position(tags);
                    long from = last == null ? 0 : last.sequence() + 1;
                    return recorder.record(tags, Flux.<SequencedEvent, Long>generate(() -> from, (n, sink) -> {
                        sink.next(KillTest.message(tags, n));
                        return n + 1;
                    }));
                }).doOnNext(recorded -> {
                    out.println(recorded.tags().first() + " " + recorded.position().sequence());
                    out.flush();
                }).blockLast();
            }
        }
    }

    /** Its size and bytes follow from its number. Some are larger than a block. */
    private static SequencedEvent message(Tags tags, long n) {
        byte[] bytes = new byte[n % 500 == 499 ? 100_000 : (int) (n % 200)];
        java.util.Arrays.fill(bytes, (byte) n);
        return new SequencedMessage(tags, 77, n, new TaggedMessage(tags.first() + (tags.contains(3) ? n % 4 : 0), (int) (n % 256),
                ByteBuffer.wrap(bytes)));
    }

    @Test
    void shouldKeepWhatWasAcknowledgedWhenItIsKilled() throws Exception {
        long seed = System.nanoTime();
        System.out.println("seed of the times until the kills: " + seed);
        RandomGenerator random = new Random(seed);
        Map<Long, Long> acknowledged = new HashMap<>();
        for (int round = 0; round < ROUNDS; round++) {
            kill(random.nextLong(TimeUnit.MILLISECONDS.toNanos(250)), acknowledged);
            check(acknowledged);
        }
        assertThat(acknowledged).isNotEmpty();
        try (NetioRecorder recorder = NetioRecorder.open(directory, RecorderOptions.defaults())) {
            assertThat(recorder.statistics().missing()).isZero();
        }
    }

    private void kill(long nanos, Map<Long, Long> acknowledged) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx256m", "-cp", classPath(), Recording.class.getName(),
                directory.toString()).redirectError(ProcessBuilder.Redirect.DISCARD).start();
        try (BufferedReader lines = process.inputReader()) {
            String line = lines.readLine();
            assertThat(line).as("an acknowledgement").isNotNull();
            String second = lines.readLine(); // so that the first is whole
            assertThat(second).as("another one").isNotNull();
            acknowledge(line, acknowledged);
            line = second;
            Thread killer = new Thread(() -> {
                LockSupport.parkNanos(nanos);
                process.toHandle().destroyForcibly(); // SIGKILL, and what it wrote can still be read
            });
            killer.start();
            for (String next = lines.readLine(); next != null; next = lines.readLine()) { // the last may be half a line
                acknowledge(line, acknowledged);
                line = next;
            }
            killer.join();
        }
        process.waitFor();
    }

    private static void acknowledge(String line, Map<Long, Long> acknowledged) {
        String[] words = line.split(" ");
        acknowledged.merge(Long.valueOf(words[0]), Long.valueOf(words[1]), Math::max);
    }

    /** On the class path or, as Maven has it, on the module path. */
    static String classPath() {
        String modules = System.getProperty("jdk.module.path", "");
        String patched = Path.of(java.net.URI.create(Objects.requireNonNull(KillTest.class.getResource("KillTest.class"))
                .toString())).getParent().getParent().getParent().getParent().toString();
        return String.join(File.pathSeparator, System.getProperty("java.class.path", ""), modules, patched);
    }

    private void check(Map<Long, Long> acknowledged) {
        try (NetioRecording recording = NetioRecording.open(directory)) {
            for (Tags tags : STREAMS) {
                long[] next = {0};
                recording.read(tags, (Position) null).doOnNext(event ->
                        assertThat(event).isEqualTo(message(tags, next[0]++))).blockLast(SOON);
                assertThat(next[0] - 1).isGreaterThanOrEqualTo(acknowledged.getOrDefault(tags.first(), -1L));
            }
            assertThat(recording.statistics().damagedBlocks()).isZero();
        }
    }
}
