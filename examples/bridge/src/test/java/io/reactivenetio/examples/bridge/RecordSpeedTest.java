// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.bridge;

import io.reactivenetio.NetioClient;
import io.reactivenetio.NetioLoops;
import io.reactivenetio.NetioServer;
import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.api.SlowPolicy;
import io.reactivenetio.api.Tags;
import io.reactivenetio.pubsub.NetioPublisher;
import io.reactivenetio.pubsub.NetioSubscriber;
import io.reactivenetio.recorder.NetioRecorder;
import io.reactivenetio.recorder.RecorderOptions;
import io.reactivenetio.transport.BackendType;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;

/**
 * How fast a stream is recorded that comes over plain TCP, beside a subscriber of the same that records nothing, in turns. It is
 * no test, and runs with {@code -Drecord.speed=MEGABYTES} only.
 */
@EnabledIfSystemProperty(named = "record.speed", matches = "[0-9]+", disabledReason = "a measurement: -Drecord.speed=MEGABYTES")
class RecordSpeedTest {
    private static final Tags TAG = Tags.of(7);
    private static final int ROUNDS = 5;
    private static final double NANOS = 1e9;
    private static final String PUBLISHING = "rate-publisher";
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    @TempDir
    Path directory;

    /** How long, and how much time of a processor on this side. */
    private record Took(double seconds, double cpu) {
    }

    @Test
    @SuppressWarnings("SystemOut")
    void shouldBeMeasured() throws IOException {
        long bytes = Long.getLong("record.speed") * 1_000_000;
        System.out.println("| message | subscribed messages/s | CPU each | recorded messages/s | CPU each | speed | CPU |");
        for (int size : new int[] {100, 1_024, 65_536}) {
            long messages = bytes / (size == 100 ? 4 : 1) / size;
            double[][] figures = new double[6][ROUNDS];
            for (int round = -1; round < ROUNDS; round++) { // the first is to warm up
                Took plain = run(messages, size, subscriber -> subscriber.subscribeSequenced(TAG));
                Path at = directory.resolve(size + "-" + round);
                Took recorded;
                try (NetioRecorder recorder = NetioRecorder.open(at, RecorderOptions.defaults())) {
                    recorded = run(messages, size, subscriber -> recorder.record(subscriber, TAG));
                    if (recorder.statistics().messages() != messages) {
                        throw new IllegalStateException(recorder.statistics().toString());
                    }
                }
                delete(at);
                if (round >= 0) {
                    double[] now = {messages / plain.seconds, plain.cpu / messages, messages / recorded.seconds,
                        recorded.cpu / messages, plain.seconds / recorded.seconds, recorded.cpu / plain.cpu};
                    for (int i = 0; i < now.length; i++) {
                        figures[i][round] = now[i];
                    }
                }
            }
            System.out.printf(Locale.ROOT, "| %,d B | %,.0f | %,.0f ns | %,.0f | %,.0f ns | %.2f | %.2f |%n", size,
                    median(figures[0]), median(figures[1]), median(figures[2]), median(figures[3]), median(figures[4]),
                    median(figures[5]));
        }
    }

    private static double median(double[] rounds) {
        return Arrays.stream(rounds).sorted().toArray()[ROUNDS / 2];
    }

    /** What a subscriber does. */
    private interface Reading {
        Publisher<?> of(NetioSubscriber subscriber);
    }

    private static Took run(long messages, int size, Reading reading) {
        NetioLoops publishing = NetioLoops.create(PUBLISHING, 1);
        NetioLoops reader = NetioLoops.create("rate-reader", 1);
        try {
            ByteBuffer message = ByteBuffer.allocateDirect(size);
            NetioPublisher publisher = NetioPublisher.create(SlowPolicy.BACKPRESSURE, 1_024)
                    .publish(TAG.first(), Flux.generate(() -> 0L, (n, sink) -> {
                        if (n < messages) {
                            sink.next(message);
                        } else {
                            sink.complete();
                        }
                        return n + 1;
                    }));
            DisposableServer server = publisher.serve(NetioServer.create().backend(BackendType.TCP).runOn(publishing)).bindNow();
            NetioSubscriber subscriber = NetioSubscriber.create(NetioClient.create().backend(BackendType.TCP).runOn(reader)
                    .port(server.port()));
            double before = cpu();
            long begun = System.nanoTime();
            Flux.from(reading.of(subscriber)).blockLast(Duration.ofMinutes(5));
            return new Took((System.nanoTime() - begun) / NANOS, cpu() - before);
        } finally {
            reader.dispose();
            publishing.dispose();
        }
    }

    /** Nanoseconds of all threads but the publisher's; those of threads that have ended are gone, so none ends meanwhile. */
    private static double cpu() {
        double sum = 0;
        for (long id : THREADS.getAllThreadIds()) {
            var info = THREADS.getThreadInfo(id);
            if (info != null && !info.getThreadName().startsWith(PUBLISHING)) {
                sum += Math.max(0, THREADS.getThreadCpuTime(id));
            }
        }
        return sum;
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
