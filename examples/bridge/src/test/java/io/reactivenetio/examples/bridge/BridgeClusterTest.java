// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.bridge;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.NetioClient;
import io.reactivenetio.NetioServer;
import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.api.SlowPolicy;
import io.reactivenetio.api.TaggedMessage;
import io.reactivenetio.api.Tags;
import io.reactivenetio.kafka.NetioKafkaHeaders;
import io.reactivenetio.kafka.NetioKafkaSource;
import io.reactivenetio.pubsub.NetioPublisher;
import io.reactivenetio.pubsub.NetioSubscriber;
import io.reactivenetio.testing.Eventually;
import io.reactivenetio.testing.KafkaBroker;
import io.reactivenetio.transport.BackendType;
import java.io.File;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Flux;

/** The commands as processes of their own, with a real broker. */
@Tag("cluster")
@Timeout(300)
class BridgeClusterTest {
    private static final Tags TAGS = Tags.range(10, 19);
    private static final Duration LONG = Duration.ofSeconds(60);

    @TempDir
    private static Path folder;
    private static KafkaBroker broker;

    private final List<Process> processes = new ArrayList<>();

    @BeforeAll
    static void start() throws Exception {
        broker = KafkaBroker.start(folder);
    }

    @AfterAll
    static void end() {
        broker.close();
    }

    @AfterEach
    void endProcesses() {
        processes.forEach(process -> process.destroyForcibly().onExit().join());
    }

    private static void topic(String name, int partitions) throws Exception {
        try (Admin admin = Admin.create(Map.<String, Object>of("bootstrap.servers", broker.address()))) {
            admin.createTopics(List.of(new NewTopic(name, partitions, (short) 1))).all().get();
        }
    }

    private File file(String name) {
        return folder.resolve(name).toFile();
    }

    private Process netio(String name, String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED", "-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
                "-cp", System.getProperty("java.class.path"), BridgeProgram.class.getName()));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command).redirectOutput(file(name + ".out")).redirectError(file(name + ".err"))
                .start();
        processes.add(process);
        return process;
    }

    private String read(String name) throws Exception {
        return Files.readString(folder.resolve(name));
    }

    private long number(String summary, String row) {
        Matcher matcher = Pattern.compile("(?m)^" + row + " +([0-9]+)$").matcher(summary);
        assertThat(matcher.find()).as(row + " in " + summary).isTrue();
        return Long.parseLong(matcher.group(1));
    }

    private static TaggedMessage event(long n) {
        return new TaggedMessage(10 + n % 10, (int) (n % 256), ByteBuffer.allocate(32).putLong(n).rewind());
    }

    private static List<ConsumerRecord<byte[], byte[]>> records(String topic) {
        return NetioKafkaSource.create(broker.address()).topics(topic).toPresentEnd().records().collectList().block(LONG);
    }

    private static long size(String topic, int partitions) throws Exception {
        Map<TopicPartition, OffsetSpec> ends = new HashMap<>();
        for (int i = 0; i < partitions; i++) {
            ends.put(new TopicPartition(topic, i), OffsetSpec.latest());
        }
        try (Admin admin = Admin.create(Map.<String, Object>of("bootstrap.servers", broker.address()))) {
            return admin.listOffsets(ends).all().get().values().stream().mapToLong(end -> end.offset()).sum();
        }
    }

    private static void untilTopicHas(long messages, Process process) throws Exception {
        assertThat(Eventually.within(LONG, () -> !process.isAlive() || size("killed", 3) >= messages)).as("in time").isTrue();
        assertThat(process.isAlive()).isTrue();
    }

    /** A detector does not wait for anybody: 20,000 messages per second, also while nobody is there. */
    @Test
    void shouldTellInNumbersWhatWasMissedWhileTheBridgeWasDead() throws Exception {
        topic("killed", 3);
        NetioPublisher publisher = NetioPublisher.create(SlowPolicy.DROP_NEWEST, 1 << 20) // drops nothing while connected
                .publish(TAGS, Flux.interval(Duration.ofMillis(5)).onBackpressureBuffer()
                        .concatMap(tick -> Flux.range(0, 100).map(i -> event(tick * 100 + i))));
        DisposableServer server = publisher.serve(NetioServer.create().backend(BackendType.TCP)).bindNow();
        String[] arguments = {"bridge", "to-kafka", "--connect", "127.0.0.1:" + server.port(), "--backend", "tcp", "--tags",
            "10-19", "--bootstrap", broker.address(), "--topic", "killed"};
        try {
            Process first = netio("first", arguments);
            untilTopicHas(20_000, first);
            first.destroyForcibly().waitFor();
            List<ConsumerRecord<byte[], byte[]>> former = records("killed");
            int before = former.size();
            long last = former.stream().mapToLong(one -> NetioKafkaHeaders.sequence(one).orElseThrow()).max().orElseThrow();
            Process second = netio("second", arguments);
            untilTopicHas(before + 20_000L, second);
            second.destroy(); // as Ctrl-C does
            assertThat(second.waitFor(60, TimeUnit.SECONDS)).isTrue();
            List<ConsumerRecord<byte[], byte[]>> all = records("killed");
            TreeSet<Long> sequences = new TreeSet<>();
            all.forEach(one -> sequences.add(NetioKafkaHeaders.sequence(one).orElseThrow()));
            assertThat(sequences).as("none twice").hasSize(all.size());
            assertThat(all.stream().map(one -> NetioKafkaHeaders.run(one).orElseThrow()).distinct()).hasSize(1);
            String summary = read("second.out");
            assertThat(number(summary, "messages")).isEqualTo(all.size() - before);
            // what the topic lacks: what the second was told as missed, and what was in flight to other partitions at the kill
            Matcher hole = Pattern.compile("ends with message ([0-9]+) of run [0-9a-f]+(?:; ([0-9]+) of the last)?")
                    .matcher(read("second.err"));
            assertThat(hole.find()).isTrue();
            assertThat(Long.parseLong(hole.group(1))).isEqualTo(last);
            assertThat(hole.group(2) == null ? 0 : Long.parseLong(hole.group(2)))
                    .isEqualTo(last - sequences.first() + 1 - before);
            assertThat(number(summary, "missed")).isPositive()
                    .isEqualTo(sequences.last() - last - (sequences.size() - before));
            assertThat(all).allSatisfy(one -> assertThat(NetioKafkaHeaders.message(one)).isEqualTo(event(
                    ByteBuffer.wrap(one.value()).getLong())));
        } finally {
            server.dispose();
            publisher.dispose();
        }
    }

    private String text(String name) {
        try {
            return read(name);
        } catch (Exception e) {
            return e.toString();
        }
    }

    @Test
    void shouldTakeARunToKafkaAndPublishItAgain() throws Exception {
        int n = 50_000;
        topic("run", 3);
        NetioPublisher publisher = NetioPublisher.create().publish(TAGS, Flux.range(0, n).map(BridgeClusterTest::event));
        DisposableServer server = publisher.serve(NetioServer.create().backend(BackendType.TCP)).bindNow();
        try {
            Process to = netio("to", "bridge", "to-kafka", "--connect", "127.0.0.1:" + server.port(), "--backend", "tcp",
                    "--tags", "10-19", "--bootstrap", broker.address(), "--topic", "run", "--transactional", "bridge-test");
            assertThat(to.waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThat(to.exitValue()).as(() -> text("to.err")).isZero();
            assertThat(number(read("to.out"), "messages")).isEqualTo(n);
            assertThat(number(read("to.out"), "missed")).isZero();
            assertThat(number(read("to.out"), "transactions")).isBetween(50L, 1_000L);
        } finally {
            server.dispose();
            publisher.dispose();
        }
        Process from = netio("from", "bridge", "from-kafka", "--listen", "127.0.0.1:0", "--backend", "tcp", "--tags", "10-19",
                "--bootstrap", broker.address(), "--topic", "run");
        Pattern listening = Pattern.compile("listening on 127.0.0.1:([0-9]+)");
        assertThat(Eventually.within(LONG, () -> listening.matcher(read("from.err")).find())).as("in time").isTrue();
        Matcher found = listening.matcher(read("from.err"));
        assertThat(found.find()).isTrue();
        List<TaggedMessage> got = NetioSubscriber.create(NetioClient.create().backend(BackendType.TCP)
                .port(Integer.parseInt(found.group(1)))).subscribe(TAGS).collectList().block(LONG);
        assertThat(got).isEqualTo(Flux.range(0, n).map(BridgeClusterTest::event).collectList().block());
        assertThat(from.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(from.exitValue()).as(() -> text("from.err")).isZero();
        assertThat(number(read("from.out"), "published")).isEqualTo(n);
    }

    @Test
    void shouldFailInOneLineThatSaysWhatIsWrong() throws Exception {
        Map<List<String>, String> cases = new HashMap<>();
        cases.put(List.of("bridge", "to-kafka", "--connect", "127.0.0.1:7", "--tags", "1", "--bootstrap", "127.0.0.1:1",
                "--topic", "run"), "no broker at 127.0.0.1:1");
        cases.put(List.of("bridge", "from-kafka", "--listen", "127.0.0.1:0", "--backend", "tcp", "--bootstrap", broker.address(),
                "--topic", "run", "--from", "yesterday"), "'yesterday' is not beginning, end, or a time");
        cases.put(List.of("bridge", "to-kafka", "--connect", "127.0.0.1:1", "--backend", "tcp", "--tags", "1", "--bootstrap",
                broker.address(), "--topic", "nowhere"), "topic nowhere: there is no such topic");
        for (Map.Entry<List<String>, String> one : cases.entrySet()) {
            Process process = netio("failing", one.getKey().toArray(String[]::new));
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThat(read("failing.err")).contains(one.getValue()).startsWith("netio: ").hasLineCount(1);
            assertThat(process.exitValue()).isIn(1, 2);
        }
    }
}
