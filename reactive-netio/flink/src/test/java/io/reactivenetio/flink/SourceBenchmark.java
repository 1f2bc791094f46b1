// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.flink;

import io.reactivenetio.NetioServer;
import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.api.SlowPolicy;
import io.reactivenetio.pubsub.NetioPublisher;
import io.reactivenetio.pubsub.SequencedMessage;
import io.reactivenetio.transport.BackendType;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.sink2.SinkWriter;
import org.apache.flink.api.connector.sink2.WriterInitContext;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.connector.datagen.source.DataGeneratorSource;
import org.apache.flink.connector.datagen.source.GeneratorFunction;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.Collector;
import reactor.core.publisher.Flux;

/**
 * Counts the messages that a detector, which is a process of its own, brings into a job of Flink in this JVM, per second and per
 * CPU; and beside it, in turns in the same run, records of the same size that Flink makes itself. Arguments: records, rounds.
 */
final class SourceBenchmark {
    /** The figures of one job, between its first record and its last. */
    record Figures(double perSecond, double cpuNanos, double detectorNanos) {
    }

    private static final int[] SIZES = {64, 1_024};

    private SourceBenchmark() {
    }

    public static void main(String[] arguments) throws Exception {
        if (arguments[0].equals("detector")) {
            detector(Integer.parseInt(arguments[1]), Long.parseLong(arguments[2]));
            return;
        }
        long records = Long.parseLong(arguments[0]);
        int rounds = Integer.parseInt(arguments[1]);
        for (int size : SIZES) {
            List<Figures> netio = new ArrayList<>();
            List<Figures> generated = new ArrayList<>();
            for (int round = 0; round <= rounds; round++) { // the first is for the compiler
                netio.add(fromDetector(size, records));
                generated.add(run(generator(size, records), records));
            }
            Figures a = median(netio.subList(1, netio.size()));
            Figures b = median(generated.subList(1, generated.size()));
            System.out.printf("%d B: detector %.0f messages/s, CPU %.0f ns each in Flink's JVM and %.0f ns in the detector's;"
                    + " DataGeneratorSource %.0f records/s, CPU %.0f ns each; ratio %.2f (%s)%n", size, a.perSecond, a.cpuNanos,
                    a.detectorNanos, b.perSecond, b.cpuNanos, a.perSecond / b.perSecond,
                    netio.subList(1, netio.size()).stream().map(f -> String.format("%.0f", f.perSecond)).toList());
        }
        System.exit(0);
    }

    private static Figures median(List<Figures> figures) {
        return figures.stream().sorted(Comparator.comparingDouble(Figures::perSecond)).toList().get(figures.size() / 2);
    }

    /** Publishes with BACKPRESSURE, says its port, and lives until its input ends. */
    private static void detector(int size, long records) throws IOException {
        ByteBuffer payload = ByteBuffer.allocate(size);
        NetioPublisher publisher = NetioPublisher.create(SlowPolicy.BACKPRESSURE, 4_096).publish(Detector.TAG,
                Flux.<ByteBuffer, Long>generate(() -> 0L, (n, sink) -> {
                    sink.next(payload.duplicate());
                    return n + 1;
                }).take(records));
        DisposableServer server = publisher.serve(NetioServer.create().backend(BackendType.TCP).host("127.0.0.1")).bindNow();
        System.out.println(server.port());
        while (System.in.read() >= 0) {
            Thread.onSpinWait();
        }
        server.disposeNow(Duration.ofSeconds(5));
    }

    private static Figures fromDetector(int size, long records) throws Exception {
        Process detector = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx256m",
                "-XX:+UseSerialGC", "--enable-native-access=ALL-UNNAMED", "-cp", System.getProperty("java.class.path"),
                SourceBenchmark.class.getName(), "detector", "" + size, "" + records)
                .redirectError(ProcessBuilder.Redirect.INHERIT).start();
        try (BufferedReader out = new BufferedReader(new InputStreamReader(detector.getInputStream(), StandardCharsets.UTF_8))) {
            int port = Integer.parseInt(out.readLine());
            Duration before = detector.info().totalCpuDuration().orElseThrow();
            Figures figures = run(NetioSource.<byte[]>builder().endpoint("127.0.0.1", port).tag(Detector.TAG)
                    .deserializer(new Bytes()).client(client -> client.backend(BackendType.TCP)).build(), records);
            long nanos = detector.info().totalCpuDuration().orElseThrow().minus(before).toNanos();
            return new Figures(figures.perSecond, figures.cpuNanos, (double) nanos / records);
        } finally {
            detector.destroyForcibly().waitFor(10, TimeUnit.SECONDS);
        }
    }

    private static Source<byte[], ?, ?> generator(int size, long records) {
        GeneratorFunction<Long, byte[]> make = n -> new byte[size];
        return new DataGeneratorSource<>(make, records, PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO);
    }

    private static Figures run(Source<byte[], ?, ?> source, long records) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.createLocalEnvironment(1, new Configuration());
        env.fromSource(source, WatermarkStrategy.noWatermarks(), "source").sinkTo(new Count());
        env.execute();
        if (Count.records != records) {
            throw new IllegalStateException(Count.records + " records instead of " + records);
        }
        double seconds = (Count.end - Count.begin) / 1e9;
        return new Figures(records / seconds, (double) (Count.endCpu - Count.beginCpu) / records, 0);
    }

    private static long cpu() {
        return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
    }

    private static final class Bytes implements NetioDeserializationSchema<byte[]> {
        private static final long serialVersionUID = 1;

        @Override
        public void deserialize(NetioEndpoint from, SequencedMessage message, Collector<byte[]> out) {
            out.collect(message.message().payload().array());
        }

        @Override
        public TypeInformation<byte[]> getProducedType() {
            return PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO;
        }
    }

    /** Counts, and keeps when the first and the last record came. One job at a time, with one writer. */
    private static final class Count implements Sink<byte[]> {
        private static final long serialVersionUID = 1;

        private static volatile long records;
        private static volatile long begin;
        private static volatile long end;
        private static volatile long beginCpu;
        private static volatile long endCpu;

        @Override
        public SinkWriter<byte[]> createWriter(WriterInitContext context) {
            return new SinkWriter<>() {
                private long n;

                @Override
                public void write(byte[] value, Context none) {
                    if (n++ == 0) {
                        begin = System.nanoTime();
                        beginCpu = cpu();
                    }
                }

                @Override
                public void flush(boolean last) {
                    end = System.nanoTime();
                    endCpu = cpu();
                    records = n;
                }

                @Override
                public void close() {
                }
            };
        }
    }
}
