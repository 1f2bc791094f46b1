// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.events;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.api.TaggedMessage;
import io.reactivenetio.api.Tags;
import io.reactivenetio.kafka.NetioKafkaHeaders;
import io.reactivenetio.kafka.NetioKafkaSink;
import io.reactivenetio.pubsub.Gap;
import io.reactivenetio.pubsub.SequencedEvent;
import io.reactivenetio.pubsub.SequencedMessage;
import io.reactivenetio.testing.Eventually;
import io.reactivenetio.testing.SessionCluster;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.apache.flink.api.common.JobExecutionResult;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.sink2.SinkWriter;
import org.apache.flink.api.connector.sink2.WriterInitContext;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer;
import org.apache.flink.connector.kafka.source.reader.deserializer.KafkaRecordDeserializationSchema;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Flux;

/** What a sink has written to Kafka, read by Flink's own connector while a TaskManager is killed: all counts are exact. */
@Tag("cluster")
@Timeout(value = 300, unit = TimeUnit.SECONDS)
class KafkaCountsTest {
    private static final int TAGS = 4;
    private static final int MESSAGES = 5_000;
    /** Of each tag the numbers from this on, so many, do not reach the sink. */
    private static final int MISSING_FROM = 100;
    private static final int MISSING = 10;
    private static final int SLOW = 6_000;

    @TempDir
    private Path directory;

    /** A record by its headers. */
    public record Numbered(long tag, long sequence) {
    }

    /**
     * What the job's state has of a tag.
     *
     * @param next the number behind the last one
     * @param arrived how many messages
     * @param missing how many numbers were left out
     * @param broken how many came twice or out of order
     */
    public record Account(long tag, long next, long arrived, long missing, long broken) {
    }

    static final class Schema implements KafkaRecordDeserializationSchema<Numbered> {
        private static final long serialVersionUID = 1;

        @Override
        public void deserialize(ConsumerRecord<byte[], byte[]> message, Collector<Numbered> out) {
            out.collect(new Numbered(NetioKafkaHeaders.tag(message).orElseThrow(),
                    NetioKafkaHeaders.sequence(message).orElseThrow()));
        }

        @Override
        public TypeInformation<Numbered> getProducedType() {
            return TypeInformation.of(Numbered.class);
        }
    }

    /** Leaves time to be killed. */
    static final class Slow implements MapFunction<Numbered, Numbered> {
        private static final long serialVersionUID = 1;

        private int n;

        @Override
        public Numbered map(Numbered one) throws InterruptedException {
            if (++n % 20 == 0 && n < SLOW) {
                Thread.sleep(10); // the operator is slow
            }
            return one;
        }
    }

    static final class Counts extends KeyedProcessFunction<Long, Numbered, Account> {
        private static final long serialVersionUID = 1;

        private transient ValueState<Account> state;

        @Override
        public void open(OpenContext context) {
            state = getRuntimeContext().getState(new ValueStateDescriptor<>("account", Account.class));
        }

        @Override
        public void processElement(Numbered one, Context context, Collector<Account> out) throws IOException {
            Account before = state.value() == null ? new Account(one.tag, 0, 0, 0, 0) : state.value();
            Account after = one.sequence < before.next
                    ? new Account(one.tag, before.next, before.arrived, before.missing, before.broken + 1)
                    : new Account(one.tag, one.sequence + 1, before.arrived + 1, before.missing + one.sequence - before.next,
                            before.broken);
            state.update(after);
            out.collect(after);
        }
    }

    /** Writes the last account of each tag to a file at each checkpoint and at the end. */
    record AccountFiles(String directory) implements Sink<Account> {
        @Override
        public SinkWriter<Account> createWriter(WriterInitContext context) {
            Map<Long, Account> last = new HashMap<>();
            return new SinkWriter<>() {
                @Override
                public void write(Account account, Context none) {
                    last.put(account.tag, account);
                }

                @Override
                public void flush(boolean end) throws IOException {
                    for (Account one : last.values()) {
                        Path next = Files.writeString(file(one.tag + ".next"), one.next + " " + one.arrived + " " + one.missing
                                + " " + one.broken);
                        Files.move(next, file("" + one.tag), StandardCopyOption.ATOMIC_MOVE);
                    }
                }

                @Override
                public void close() {
                }
            };
        }

        private Path file(String name) {
            return Path.of(directory, "tag-" + name);
        }

        Account read(long tag) throws IOException {
            try {
                String[] n = Files.readString(file("" + tag)).split(" ");
                return new Account(tag, Long.parseLong(n[0]), Long.parseLong(n[1]), Long.parseLong(n[2]), Long.parseLong(n[3]));
            } catch (NoSuchFileException none) {
                return new Account(tag, 0, 0, 0, 0);
            }
        }
    }

    @Test
    void shouldCountWhatIsInKafkaExactlyOnceWhenATaskManagerIsKilled() throws Exception {
        AccountFiles accounts = new AccountFiles(directory.toString());
        try (Topic topic = new Topic(directory.resolve("kafka"));
                SessionCluster cluster = new SessionCluster(directory, 2, "-XX:TieredStopAtLevel=1")) {
            NetioKafkaSink.create(topic.brokers()).topic(Topic.NAME).send(Flux.range(0, TAGS).flatMap(KafkaCountsTest::events))
                    .blockLast(Duration.ofSeconds(60));
            StreamExecutionEnvironment env = StreamExecutionEnvironment
                    .createRemoteEnvironment("127.0.0.1", cluster.port(), configuration()).setParallelism(2);
            KafkaSource<Numbered> source = KafkaSource.<Numbered>builder().setBootstrapServers(topic.brokers())
                    .setTopics(Topic.NAME).setStartingOffsets(OffsetsInitializer.earliest())
                    .setBounded(OffsetsInitializer.latest()).setDeserializer(new Schema()).build();
            env.fromSource(source, WatermarkStrategy.noWatermarks(), "kafka").map(new Slow()).returns(Numbered.class)
                    .keyBy(Numbered::tag).process(new Counts()).sinkTo(accounts).setParallelism(1);
            CompletableFuture<JobExecutionResult> result = env.executeAsync("counts").getJobExecutionResult();
            for (long tag = 0; tag < TAGS; tag++) {
                long one = tag;
                Eventually.await(() -> {
                    assertThat(result.isDone()).as(cluster.logs()).isFalse();
                    return accounts.read(one).arrived >= 2 * MISSING_FROM;
                }, cluster::logs);
            }
            cluster.killTaskManager();
            assertThat(result.isDone()).as("the job was over before").isFalse();
            assertThat(accounts.read(0).next).isLessThan(MESSAGES);
            cluster.startTaskManager();
            result.get(150, TimeUnit.SECONDS);
            for (long tag = 0; tag < TAGS; tag++) {
                assertThat(accounts.read(tag)).isEqualTo(new Account(tag, MESSAGES, MESSAGES - MISSING, MISSING, 0));
            }
        }
    }

    private static Flux<SequencedEvent> events(int tag) {
        Tags tags = Tags.of(tag);
        return Flux.fromStream(LongStream.range(0, MESSAGES).filter(n -> n < MISSING_FROM || n >= MISSING_FROM + MISSING)
                .mapToObj(n -> n == MISSING_FROM + MISSING ? Flux.<SequencedEvent>just(
                        new Gap(tags, 1, MISSING_FROM, MISSING_FROM + MISSING - 1), message(tags, n))
                        : Flux.<SequencedEvent>just(message(tags, n)))).concatMap(one -> one);
    }

    private static SequencedEvent message(Tags tags, long n) {
        return new SequencedMessage(tags, 1, n, TaggedMessage.of(tags.first(), ByteBuffer.allocate(Long.BYTES).putLong(0, n)));
    }

    private Configuration configuration() {
        Configuration config = new Configuration();
        config.set(PipelineOptions.GENERIC_TYPES, false);
        config.set(RestartStrategyOptions.RESTART_STRATEGY, "fixed-delay");
        config.set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_ATTEMPTS, 20);
        config.set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_DELAY, Duration.ofMillis(250));
        config.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, Duration.ofMillis(250));
        config.set(CheckpointingOptions.CHECKPOINTS_DIRECTORY, directory.resolve("checkpoints").toUri().toString());
        return config;
    }
}
