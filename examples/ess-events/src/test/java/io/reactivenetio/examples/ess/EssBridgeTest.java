// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.ess;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactivenetio.NetioClient;
import io.reactivenetio.NetioServer;
import io.reactivenetio.api.TaggedMessage;
import io.reactivenetio.api.Tags;
import io.reactivenetio.kafka.MockKafka;
import io.reactivenetio.pubsub.NetioPublisher;
import io.reactivenetio.pubsub.NetioSubscriber;
import io.reactivenetio.transport.BackendType;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Messages of a detector in C, behind the bridge. Skipped where there is no gcc. */
@Timeout(180)
class EssBridgeTest {
    private static final Path CLIENT = Path.of("../clients/c").toAbsolutePath().normalize();
    private static final Path PROGRAM = Path.of("src/main/c/ess_publisher.c").toAbsolutePath();
    private static final Pattern LISTENING = Pattern.compile("listening on port (\\d+)");
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Tags TAGS = Tags.range(1, 3);
    private static final long RUNS = 1;
    private static final long NEUTRONS = 2;
    private static final long CONTROL = 3;
    private static final long START_MS = 1_700_000_000_000L;
    private static final int PULSES = 500;
    private static final int NEUTRONS_OF_A_PULSE = 1_000;

    @TempDir
    private static Path directory;

    /** A message that the detector sends, and the time that its record must have; -1 if it must be left out. */
    private record Sent(long tag, byte[] bytes, long milliseconds) {
    }

    @BeforeAll
    static void compile() throws Exception {
        Process gcc;
        try {
            gcc = new ProcessBuilder("gcc", "-std=c11", "-O2", "-Wall", "-Wextra", "-Werror", "-I", CLIENT.toString(), "-o",
                    directory.resolve("ess_publisher").toString(), PROGRAM.toString(), CLIENT.resolve("netio.c").toString())
                    .inheritIO().start();
        } catch (IOException e) {
            assumeTrue(false, "needs a C compiler: apt install gcc libc6-dev");
            throw e;
        }
        assertThat(gcc.waitFor(2, TimeUnit.MINUTES)).isTrue();
        assertThat(gcc.exitValue()).isZero();
    }

    /** A run: its beginning, pulses with their neutrons, a value of the slow control at times, what is damaged, and its end. */
    private static List<Sent> run() {
        List<Sent> all = new ArrayList<>();
        all.add(new Sent(RUNS, EssBuffers.runStart("run 7", START_MS), START_MS));
        for (int pulse = 0; pulse < PULSES; pulse++) {
            long time = START_MS * 1_000_000 + pulse * 71_428_571L;
            int[] flights = new int[NEUTRONS_OF_A_PULSE];
            int[] pixels = new int[NEUTRONS_OF_A_PULSE];
            for (int n = 0; n < NEUTRONS_OF_A_PULSE; n++) {
                flights[n] = n * 71_000;
                pixels[n] = (pulse * 7919 + n * 104_729) % (1 << 20);
            }
            byte[] message = EssBuffers.events("detector", pulse, new long[] {time}, new int[] {0}, flights, pixels);
            all.add(new Sent(NEUTRONS, message, time / 1_000_000));
            if (pulse % 100 == 50) {
                all.add(new Sent(CONTROL, EssBuffers.log("chopper:speed", time + 999_999, 14.0), (time + 999_999) / 1_000_000));
                byte[] damaged = message.clone();
                damaged[4] = 'x';
                all.add(new Sent(NEUTRONS, damaged, -1));
                all.add(new Sent(CONTROL, new byte[0], -1));
            }
        }
        all.add(new Sent(RUNS, EssBuffers.runStop("run 7", START_MS + 36_000), START_MS + 36_000));
        return all;
    }

    private static Process publish(List<Sent> messages) throws IOException {
        Path file = Files.createTempFile(directory, "run", ".messages");
        try (OutputStream out = Files.newOutputStream(file)) {
            for (Sent message : messages) {
                out.write(ByteBuffer.allocate(Integer.BYTES + Long.BYTES).order(ByteOrder.LITTLE_ENDIAN)
                        .putInt(message.bytes().length).putLong(message.tag()).array());
                out.write(message.bytes());
            }
        }
        return new ProcessBuilder(directory.resolve("ess_publisher").toString(), "0", "1", "3").redirectInput(file.toFile())
                .redirectError(ProcessBuilder.Redirect.INHERIT).start();
    }

    private static NetioSubscriber subscriber(int port) {
        return NetioSubscriber.create(NetioClient.create().backend(BackendType.TCP).port(port));
    }

    private static int port(Process detector) throws IOException {
        Matcher line = LISTENING.matcher(String.valueOf(detector.inputReader().readLine()));
        assertThat(line.matches()).isTrue();
        return Integer.parseInt(line.group(1));
    }

    private static void ended(Process detector, List<Sent> messages) throws Exception {
        assertThat(detector.inputReader().readLine()).isEqualTo("published " + messages.size());
        assertThat(detector.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(detector.exitValue()).isZero();
    }

    @Test
    void shouldWriteEachMessageToKafkaWithTheTimeOfItsEvent() throws Exception {
        List<Sent> sent = run();
        MockKafka kafka = new MockKafka();
        Process detector = publish(sent);
        try {
            EssBridge bridge = new EssBridge(subscriber(port(detector)), TAGS);
            List<Sent> whole = sent.stream().filter(message -> message.milliseconds() >= 0).toList();
            assertThat(bridge.toKafka(kafka.sink("run-7")).block(PATIENCE)).isEqualTo(whole.size());
            assertThat(bridge.leftOut()).isEqualTo(sent.size() - whole.size()).isEqualTo(10);
            List<ProducerRecord<byte[], byte[]>> records = kafka.producer.history();
            assertThat(records).hasSameSizeAs(whole);
            for (int n = 0; n < records.size(); n++) {
                assertThat(records.get(n).value()).isEqualTo(whole.get(n).bytes());
                assertThat(ByteBuffer.wrap(records.get(n).key()).getLong()).isEqualTo(whole.get(n).tag());
                assertThat(records.get(n).timestamp()).isEqualTo(whole.get(n).milliseconds());
            }
            ended(detector, sent);
        } finally {
            detector.destroyForcibly();
        }
    }

    @Test
    void shouldPublishEachMessageAgain() throws Exception {
        List<Sent> sent = run();
        List<Sent> whole = sent.stream().filter(message -> message.milliseconds() >= 0).toList();
        Process detector = publish(sent);
        EssBridge bridge = new EssBridge(subscriber(port(detector)), TAGS);
        NetioPublisher publisher = bridge.publisher();
        var server = publisher.serve(NetioServer.create().backend(BackendType.TCP)).bindNow();
        try {
            List<TaggedMessage> received = subscriber(server.port()).subscribe(TAGS).collectList().block(PATIENCE);
            assertThat(received).hasSameSizeAs(whole);
            for (int n = 0; n < received.size(); n++) {
                assertThat(received.get(n).payload()).isEqualTo(ByteBuffer.wrap(whole.get(n).bytes()));
                assertThat(received.get(n).tag()).isEqualTo(whole.get(n).tag());
            }
            assertThat(EssMessage.read(received.getFirst().payload()).schema()).isEqualTo(EssMessage.Schema.RUN_START);
            assertThat(EssMessage.read(received.getLast().payload()).schema()).isEqualTo(EssMessage.Schema.RUN_STOP);
            ended(detector, sent);
        } finally {
            server.dispose();
            publisher.dispose();
            detector.destroyForcibly();
        }
    }
}
