// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.flink;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.api.SlowPolicy;
import io.reactivenetio.flink.Ledger.Account;
import io.reactivenetio.testing.Eventually;
import io.reactivenetio.testing.TestSettings;
import io.reactivenetio.transport.BackendType;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.runtime.jobmaster.JobResult;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.ProcessFunction;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.streaming.api.windowing.assigners.TumblingEventTimeWindows;
import org.apache.flink.util.Collector;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Sinks;

/** Whole jobs, in a cluster of Flink in this JVM. */
@Timeout(value = 300, unit = TimeUnit.SECONDS)
class NetioSourceJobTest {
    private static LocalFlink flink;

    @TempDir
    private Path directory;

    /** Of the detectors. */
    private final Sinks.Empty<Void> end = Sinks.empty();

    @BeforeAll
    static void start() throws Exception {
        flink = new LocalFlink();
    }

    @AfterAll
    static void stop() throws Exception {
        flink.close();
    }

    @BeforeEach
    void forget() {
        Ledger.LAST.clear();
        FailOnce.FAILED.set(false);
        Windows.SUMS.clear();
    }

    @Test
    void shouldAccountForEachMessageWhenTheJobFailsInMidStream() throws Exception {
        try (Detector one = new Detector(0, SlowPolicy.DROP_OLDEST, 4_096, Detector.paced(50, 5, end.asMono()));
                Detector two = new Detector(0, SlowPolicy.DROP_OLDEST, 4_096, Detector.paced(25, 5, end.asMono()))) {
            StreamExecutionEnvironment env = environment(2);
            ledger(env, one, two);
            JobID job = flink.submit(env);
            LocalFlink.await(() -> FailOnce.FAILED.get()
                    && Ledger.LAST.values().stream().filter(account -> account.missing() > 0).count() == 2);
            end.tryEmitEmpty();
            JobResult result = flink.result(job);

            assertThat(result.isSuccess()).as("%s", result.getSerializedThrowable()).isTrue();
            assertComplete(one);
            assertComplete(two);
            assertThat(Ledger.LAST.values()).allMatch(account -> account.runs() == 0);
        }
    }

    /** Waits until it has published something from now on. */
    private static void awaitMore(Detector detector) throws InterruptedException {
        long before = detector.statistics().published();
        LocalFlink.await(() -> detector.statistics().published() > before);
    }

    /** A port that nobody else is given meanwhile. Nobody listens there until a detector does. */
    private static Socket reserved() throws IOException {
        Socket socket = new Socket();
        socket.setReuseAddress(true);
        socket.bind(new InetSocketAddress(TestSettings.ADDRESS, 0));
        return socket;
    }

    private static void assertComplete(Detector detector) {
        long total = detector.statistics().published();
        Account account = Ledger.LAST.get("127.0.0.1:" + detector.port());
        assertThat(account.broken()).as("%s", account).isZero();
        assertThat(account.next()).as("%s", account).isEqualTo(total);
        assertThat(account.arrived() + account.missing()).as("%s", account).isEqualTo(total - account.first());
    }

    @Test
    void shouldLoseNothingWithBackpressureThoughThePipelineIsSlow() throws Exception {
        try (Detector detector = new Detector(0, SlowPolicy.BACKPRESSURE, 16, Flux.range(0, 6_000).map(Long::valueOf))) {
            StreamExecutionEnvironment env = environment(1);
            FailOnce.FAILED.set(true);
            Held.HELD.set(true);
            env.fromSource(source(16, detector), WatermarkStrategy.noWatermarks(), "detector").map(new Held())
                    .keyBy(Told::endpoint).process(new Ledger()).sinkTo(new DiscardingSink<>());
            JobID job = flink.submit(env);
            LocalFlink.await(() -> !Ledger.LAST.isEmpty());
            assertThat(Eventually.still(() -> detector.statistics().published()))
                    .as("published while the pipeline stands still").isLessThan(5_000);
            Held.HELD.set(false);
            flink.result(job);

            assertComplete(detector);
            assertThat(Ledger.LAST.values()).allMatch(account -> account.arrived() == 6_000);
        }
    }

    @Test
    void shouldGoOnFromASavepointWithAnotherParallelism() throws Exception {
        try (Detector one = new Detector(0, SlowPolicy.DROP_OLDEST, 4_096, Detector.paced(20, 5, end.asMono()));
                Detector two = new Detector(0, SlowPolicy.DROP_OLDEST, 4_096, Detector.paced(20, 5, end.asMono()))) {
            FailOnce.FAILED.set(true);
            StreamExecutionEnvironment env = environment(2);
            ledger(env, one, two);
            JobID first = flink.submit(env);
            LocalFlink.await(() -> Ledger.LAST.size() == 2
                    && Ledger.LAST.values().stream().allMatch(account -> account.arrived() > 500));
            String savepoint = flink.stop(first, directory, false);
            Map<String, Account> before = Map.copyOf(Ledger.LAST);
            awaitMore(one);
            awaitMore(two);

            StreamExecutionEnvironment again = LocalFlink.environment(directory, 1, savepoint);
            ledger(again, one, two);
            JobID second = flink.submit(again);
            LocalFlink.await(() -> before.entrySet().stream().allMatch(entry ->
                    Ledger.LAST.get(entry.getKey()).arrived() > entry.getValue().arrived() + 100));
            end.tryEmitEmpty();
            flink.result(second);

            assertComplete(one);
            assertComplete(two);
            before.forEach((endpoint, account) -> assertThat(Ledger.LAST.get(endpoint)).satisfies(after -> {
                assertThat(after.first()).isEqualTo(account.first());
                assertThat(after.missing()).isGreaterThan(account.missing());
                assertThat(after.gaps()).isGreaterThan(account.gaps());
            }));
        }
    }

    @Test
    void shouldTellWhatIsMissingOfAStreamThatEndedMeanwhile() throws Exception {
        try (Detector detector = new Detector(0, SlowPolicy.DROP_OLDEST, 4_096, Detector.paced(10, 5, end.asMono()))) {
            FailOnce.FAILED.set(true);
            StreamExecutionEnvironment env = environment(1);
            ledger(env, detector);
            JobID first = flink.submit(env);
            LocalFlink.await(() -> !Ledger.LAST.isEmpty());
            String savepoint = flink.stop(first, directory, false);
            awaitMore(detector);
            end.tryEmitEmpty();

            StreamExecutionEnvironment again = LocalFlink.environment(directory, 1, savepoint);
            ledger(again, detector);
            flink.result(flink.submit(again));

            assertComplete(detector);
            assertThat(Ledger.LAST.values()).allMatch(account -> account.missing() > 0);
        }
    }

    /** One reader has a split that is complete, one never had any: neither bars the job from being changed. */
    @Test
    void shouldRestoreWithOneMoreOperatorThoughThereAreMoreReadersThanSplits() throws Exception {
        try (Detector lasting = new Detector(0, SlowPolicy.DROP_OLDEST, 4_096, Detector.paced(10, 5, end.asMono()));
                Detector brief = new Detector(0, SlowPolicy.BACKPRESSURE, 256, Flux.range(0, 10).map(Long::valueOf))) {
            FailOnce.FAILED.set(true);
            StreamExecutionEnvironment env = environment(3);
            ledger(env, lasting, brief);
            JobID first = flink.submit(env);
            LocalFlink.await(() -> Ledger.LAST.size() == 2);
            String savepoint = flink.stop(first, directory, false);

            StreamExecutionEnvironment again = LocalFlink.environment(directory, 3, savepoint);
            again.fromSource(source(1_024, lasting, brief), WatermarkStrategy.noWatermarks(), "detectors").uid("detectors")
                    .map(new Held()).uid("one-more").returns(Told.class)
                    .map(new FailOnce(2, false)).uid("fail-once").returns(Told.class)
                    .keyBy(Told::endpoint).process(new Ledger()).uid("ledger").sinkTo(new DiscardingSink<>()).uid("sink");
            JobID second = flink.submit(again);
            Account before = Ledger.LAST.get("127.0.0.1:" + lasting.port());
            LocalFlink.await(() -> Ledger.LAST.get("127.0.0.1:" + lasting.port()).arrived() > before.arrived() + 50);
            end.tryEmitEmpty();
            assertThat(flink.result(second).isSuccess()).isTrue();
            assertComplete(lasting);
            assertComplete(brief);
        }
    }

    /** A reader without a split, or with one that is complete, does not hold up the time of the others. */
    @Test
    void shouldNotHoldUpWatermarksWithReadersThatHaveNothing() throws Exception {
        try (Detector lasting = new Detector(0, SlowPolicy.DROP_OLDEST, 4_096, Detector.paced(100_000, 10, 10));
                Detector brief = new Detector(0, SlowPolicy.BACKPRESSURE, 256, Flux.range(0, 10).map(Long::valueOf))) {
            StreamExecutionEnvironment env = environment(3);
            env.fromSource(source(1_024, lasting, brief), WatermarkStrategy.<Told>forMonotonousTimestamps()
                            .withTimestampAssigner((told, none) -> told.value())
                            .withWatermarkAlignment("detectors", Duration.ofSeconds(1), Duration.ofMillis(50)), "detectors")
                    .filter(Told::arrived).map(told -> new long[] {told.value(), 1})
                    .windowAll(TumblingEventTimeWindows.of(Duration.ofMillis(200)))
                    .reduce((a, b) -> new long[] {Math.min(a[0], b[0]), a[1] + b[1]})
                    .map(new Windows()).sinkTo(new DiscardingSink<>());
            JobID job = flink.submit(env);
            LocalFlink.await(() -> Windows.SUMS.size() > 3);
            flink.cancel(job);
        }
    }

    @Test
    void shouldDiscoverTheTagsOfPublishersAlsoOfOneThatComesLater() throws Exception {
        try (Socket late = reserved();
                Detector one = new Detector(0, SlowPolicy.BACKPRESSURE, 256, Flux.range(0, 500).map(Long::valueOf))) {
            int port = late.getLocalPort();
            FailOnce.FAILED.set(true);
            StreamExecutionEnvironment env = environment(2);
            NetioSource<Told> source = NetioSource.<Told>builder().discoverTags(Detector.TAGS).deserializer(new Told.Schema())
                    .endpoint("127.0.0.1", one.port()).endpoint("127.0.0.1", port)
                    .client(client -> client.backend(BackendType.TCP)).build();
            env.fromSource(source, WatermarkStrategy.noWatermarks(), "detectors").keyBy(Told::endpoint).process(new Ledger())
                    .sinkTo(new DiscardingSink<>());
            JobID job = flink.submit(env);
            LocalFlink.await(() -> Ledger.LAST.values().stream().anyMatch(account -> account.arrived() == 500));
            try (Detector two = new Detector(port, SlowPolicy.BACKPRESSURE, 256, Flux.range(0, 300).map(Long::valueOf))) {
                JobResult result = flink.result(job);

                assertThat(result.isSuccess()).as("%s", result.getSerializedThrowable()).isTrue();
                assertThat(Ledger.LAST).hasSize(2);
                assertThat(Ledger.LAST.get("127.0.0.1:" + one.port()).arrived()).isEqualTo(500);
                assertThat(Ledger.LAST.get("127.0.0.1:" + two.port()).arrived()).isEqualTo(300);
            }
        }
    }

    @Test
    void shouldFailWithTheReasonWhenNobodyListens() throws Exception {
        StreamExecutionEnvironment env = environment(1);
        NetioSource<Told> source = NetioSource.<Told>builder().endpoint("127.0.0.1", 1).tag(7).deserializer(new Told.Schema())
                .reconnect(2, Duration.ofMillis(5), Duration.ofMillis(10))
                .client(client -> client.backend(BackendType.TCP)).build();
        env.fromSource(source, WatermarkStrategy.noWatermarks(), "nobody").sinkTo(new DiscardingSink<>());
        JobResult result = flink.result(flink.submit(env));

        assertThat(result.isSuccess()).isFalse();
        assertThat(result.getSerializedThrowable()).get().satisfies(error -> assertThat(error.getFullStringifiedStackTrace())
                .contains("reading 127.0.0.1:1/7 failed", "2/2"));
    }

    @Test
    void shouldTellThatThePublisherHasBegunAnew() throws Exception {
        try (Socket reserved = reserved()) {
            int port = reserved.getLocalPort();
            StreamExecutionEnvironment env = environment(1);
            FailOnce.FAILED.set(true);
            JobID job;
            try (Detector first = new Detector(port, SlowPolicy.DROP_OLDEST, 4_096, Detector.paced(1_000_000, 5, 5))) {
                ledger(env, first);
                job = flink.submit(env);
                LocalFlink.await(() -> !Ledger.LAST.isEmpty());
            }
            try (Detector second = new Detector(port, SlowPolicy.BACKPRESSURE, 256, Flux.range(0, 500).map(Long::valueOf))) {
                flink.result(job);

                Account account = Ledger.LAST.get("127.0.0.1:" + port);
                assertThat(account.runs()).isEqualTo(1);
                assertThat(account.broken()).isZero();
                assertThat(account.next()).isEqualTo(500);
                assertThat(second.statistics().published()).isEqualTo(500);
            }
        }
    }

    @Test
    void shouldCountWhatIsRecordedExactlyOnceWhenTheJobFails() throws Exception {
        try (RecordedDetector one = new RecordedDetector(directory.resolve("one"), 10_000);
                RecordedDetector two = new RecordedDetector(directory.resolve("two"), 10_000)) {
            StreamExecutionEnvironment env = environment(2);
            NetioSource<Told> source = recorded(one, two).recording(false).build();
            assertThat(source.getBoundedness()).isEqualTo(Boundedness.BOUNDED);
            env.fromSource(source, WatermarkStrategy.noWatermarks(), "recording").map(new FailOnce(2, true))
                    .returns(Told.class).keyBy(Told::endpoint).process(new Ledger()).sinkTo(new DiscardingSink<>());
            JobResult result = flink.result(flink.submit(env));

            assertThat(result.isSuccess()).as("%s", result.getSerializedThrowable()).isTrue();
            assertThat(FailOnce.FAILED).isTrue();
            for (RecordedDetector detector : new RecordedDetector[] {one, two}) {
                assertThat(Ledger.LAST.get("127.0.0.1:" + detector.port())).isEqualTo(new Account("127.0.0.1:" + detector.port(),
                        1, 0, 10_000, 10_000 - RecordedDetector.MISSING, RecordedDetector.MISSING, 1, 0, 0));
            }
        }
    }

    @Test
    void shouldFollowARecordingAndGiveRecordsItsTimes() throws Exception {
        long begin = System.currentTimeMillis();
        try (RecordedDetector detector = new RecordedDetector(directory.resolve("recording"), 1_000)) {
            StreamExecutionEnvironment env = environment(1);
            NetioSource<Told> source = recorded(detector).recording(true).build();
            assertThat(source.getBoundedness()).isEqualTo(Boundedness.CONTINUOUS_UNBOUNDED);
            env.fromSource(source, WatermarkStrategy.noWatermarks(), "recording").process(new Times())
                    .sinkTo(new DiscardingSink<>());
            JobID job = flink.submit(env);
            LocalFlink.await(() -> Windows.SUMS.size() == 991);
            assertThat(flink.status(job)).isEqualTo(JobStatus.RUNNING);
            flink.cancel(job);

            assertThat(Windows.SUMS).allMatch(times -> times[0] >= begin && times[0] <= System.currentTimeMillis());
        }
    }

    private static NetioSourceBuilder<Told> recorded(RecordedDetector... detectors) {
        NetioSourceBuilder<Told> builder = NetioSource.<Told>builder().tag(Detector.TAG).deserializer(new Told.Schema())
                .client(client -> client.backend(BackendType.TCP));
        for (RecordedDetector detector : detectors) {
            builder.endpoint("127.0.0.1", detector.port());
        }
        return builder;
    }

    /** One endpoint is 10 s ahead of another one, and a third one is silent. */
    @Test
    void shouldMakeWatermarksOfEachSplitAndLeaveOutSilentOnes() throws Exception {
        try (Detector ahead = new Detector(0, SlowPolicy.DROP_OLDEST, 4_096,
                        Detector.paced(100_000, 10, 10).map(n -> n + 10_000));
                Detector behind = new Detector(0, SlowPolicy.DROP_OLDEST, 4_096, Detector.paced(100_000, 10, 10));
                Detector silent = new Detector(0, SlowPolicy.DROP_OLDEST, 4_096, Flux.never())) {
            StreamExecutionEnvironment env = environment(1);
            env.fromSource(source(1_024, ahead, behind, silent),
                    WatermarkStrategy.<Told>forMonotonousTimestamps()
                            .withTimestampAssigner((told, none) -> told.value())
                            .withIdleness(Duration.ofSeconds(3)), "detectors") // the others may have to wait for a CPU
                    .filter(Told::arrived).map(told -> new long[] {told.value(), 1})
                    .windowAll(TumblingEventTimeWindows.of(Duration.ofMillis(200)))
                    .reduce((a, b) -> new long[] {Math.min(a[0], b[0]), a[1] + b[1]})
                    .map(new Windows()).sinkTo(new DiscardingSink<>());
            JobID job = flink.submit(env);
            LocalFlink.await(() -> Windows.SUMS.size() > 3);
            flink.cancel(job);

            assertThat(Windows.SUMS.stream().skip(1).limit(2)).as("whole windows of the one that is behind, none of it late")
                    .allSatisfy(sum -> {
                        assertThat(sum[1]).isEqualTo(200);
                        assertThat(sum[0]).isLessThan(10_000);
                    });
        }
    }

    private void ledger(StreamExecutionEnvironment env, Detector... detectors) {
        SingleOutputStreamOperator<Told> told = env
                .fromSource(source(1_024, detectors), WatermarkStrategy.noWatermarks(), "detectors").uid("detectors")
                .map(new FailOnce(detectors.length, false)).uid("fail-once").returns(Told.class);
        told.keyBy(Told::endpoint).process(new Ledger()).uid("ledger").sinkTo(new DiscardingSink<>()).uid("sink");
    }

    private static NetioSource<Told> source(int handOver, Detector... detectors) {
        NetioSourceBuilder<Told> builder = NetioSource.<Told>builder().tag(Detector.TAG).deserializer(new Told.Schema())
                .handOver(handOver).reconnect(Long.MAX_VALUE, Duration.ofMillis(50), Duration.ofMillis(200))
                .client(client -> client.backend(BackendType.TCP));
        for (Detector detector : detectors) {
            builder.endpoint("127.0.0.1", detector.port());
        }
        return builder.build();
    }

    private StreamExecutionEnvironment environment(int parallelism) {
        return LocalFlink.environment(directory, parallelism, null);
    }

    /** Lets nothing pass while it is told to. */
    private static final class Held implements MapFunction<Told, Told> {
        static final AtomicBoolean HELD = new AtomicBoolean();

        private static final long serialVersionUID = 1;
        private int n;

        @Override
        public Told map(Told told) throws InterruptedException {
            if (++n > 1) {
                Eventually.within(Duration.ofMinutes(2), () -> !HELD.get());
            }
            return told;
        }
    }

    private static final class Windows implements MapFunction<long[], long[]> {
        static final Queue<long[]> SUMS = new ConcurrentLinkedQueue<>();

        private static final long serialVersionUID = 1;

        @Override
        public long[] map(long[] sum) {
            SUMS.add(sum);
            return sum;
        }
    }

    /** Keeps the timestamps of all records. */
    private static final class Times extends ProcessFunction<Told, Told> {
        private static final long serialVersionUID = 1;

        @Override
        public void processElement(Told told, Context context, Collector<Told> out) {
            Windows.SUMS.add(new long[] {context.timestamp()});
        }
    }
}
