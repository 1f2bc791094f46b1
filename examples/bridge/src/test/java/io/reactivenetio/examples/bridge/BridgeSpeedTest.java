// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.bridge;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.OperatingSystemMXBean;
import io.reactivenetio.NetioClient;
import io.reactivenetio.NetioServer;
import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.api.TaggedMessage;
import io.reactivenetio.api.Tags;
import io.reactivenetio.kafka.NetioKafkaSink;
import io.reactivenetio.pubsub.NetioPublisher;
import io.reactivenetio.pubsub.NetioSubscriber;
import io.reactivenetio.testing.KafkaBroker;
import io.reactivenetio.transport.BackendType;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Flux;

/** Prints how fast the bridge is, beside a bare producer that makes the same records in the same JVM. */
@Tag("cluster")
@Timeout(300)
class BridgeSpeedTest {
    private static final Tags TAGS = Tags.range(0, 9);
    private static final int ROUNDS = Integer.getInteger("netio.speed.rounds", 3);
    private static final int SCALE = Integer.getInteger("netio.speed.scale", 1);

    private record Result(double perSecond, double cpuMicros) {
    }

    private interface Work {
        void run() throws Exception;
    }

    @TempDir
    private Path folder;

    @Test
    void shouldSayHowFastTheBridgeIsBesideABareProducer() throws Exception {
        try (KafkaBroker broker = KafkaBroker.start(folder)) {
            try (Admin admin = Admin.create(Map.<String, Object>of("bootstrap.servers", broker.address()))) {
                admin.createTopics(List.of(new NewTopic("speed", 3, (short) 1)
                        .configs(Map.of("retention.bytes", "100000000", "segment.bytes", "50000000")))).all().get();
            }
            compare(broker.address(), 100, 200_000 * SCALE);
            compare(broker.address(), 1_024, 100_000 * SCALE);
        }
    }

    private static void compare(String address, int size, int n) throws Exception {
        Result[] bare = new Result[ROUNDS];
        Result[] bridged = new Result[ROUNDS];
        for (int i = -1; i < ROUNDS; i++) { // the first round only warms up
            Result one = measure(n, () -> produce(address, size, n));
            Result other = measure(n, () -> bridge(address, size, n));
            if (i >= 0) {
                bare[i] = one;
                bridged[i] = other;
            }
        }
        Result one = median(bare);
        Result other = median(bridged);
        System.out.printf(Locale.ROOT, "%d B: bare producer %,.0f msg/s, %.2f us of CPU each; detector and bridge %,.0f msg/s,"
                + " %.2f us; ratio %.2f of the speed, %.2f of the CPU%n", size, one.perSecond(), one.cpuMicros(),
                other.perSecond(), other.cpuMicros(), other.perSecond() / one.perSecond(), other.cpuMicros() / one.cpuMicros());
    }

    private static Result median(Result[] all) {
        return new Result(Arrays.stream(all).mapToDouble(Result::perSecond).sorted().toArray()[all.length / 2],
                Arrays.stream(all).mapToDouble(Result::cpuMicros).sorted().toArray()[all.length / 2]);
    }

    private static Result measure(int n, Work work) throws Exception {
        OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        long cpu = system.getProcessCpuTime();
        long begun = System.nanoTime();
        work.run();
        return new Result(n * 1e9 / (System.nanoTime() - begun), (system.getProcessCpuTime() - cpu) / 1e3 / n);
    }

    private static byte[] bytes(long value) {
        return ByteBuffer.allocate(Long.BYTES).putLong(value).array();
    }

    /** With the sink's settings, key and headers. */
    private static void produce(String address, int size, int n) {
        AtomicLong failed = new AtomicLong();
        try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(Map.of("bootstrap.servers", address, "acks", "all",
                "enable.idempotence", true, "linger.ms", 5, "buffer.memory", 64L << 20), new ByteArraySerializer(),
                new ByteArraySerializer())) {
            for (int i = 0; i < n; i++) {
                byte[] tag = bytes(i % 10);
                ProducerRecord<byte[], byte[]> one = new ProducerRecord<>("speed", null, System.currentTimeMillis(), tag,
                        new byte[size]);
                one.headers().add("netio-tag", tag).add("netio-status", new byte[1]).add("netio-run", bytes(n))
                        .add("netio-sequence", bytes(i)).add("netio-time", bytes(System.currentTimeMillis() * 1_000_000));
                producer.send(one, (metadata, failure) -> {
                    if (failure != null) {
                        failed.incrementAndGet();
                    }
                });
            }
            producer.flush();
        }
        assertThat(failed).hasValue(0);
    }

    private static void bridge(String address, int size, int n) {
        NetioPublisher publisher = NetioPublisher.create().publish(TAGS,
                Flux.range(0, n).map(i -> TaggedMessage.of(i % 10, ByteBuffer.allocate(size))));
        DisposableServer server = publisher.serve(NetioServer.create().backend(BackendType.TCP)).bindNow();
        try {
            NetioSubscriber subscriber = NetioSubscriber.create(
                    NetioClient.create().backend(BackendType.TCP).port(server.port()));
            NetioKafkaSink sink = NetioKafkaSink.create(address).topic("speed");
            sink.send(subscriber.subscribeSequenced(TAGS)).then().block(Duration.ofMinutes(2));
            assertThat(sink.statistics().acknowledged()).isEqualTo(n);
            assertThat(sink.statistics().missed()).isZero();
        } finally {
            server.dispose();
            publisher.dispose();
        }
    }
}
