// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.flink;

import static io.reactivenetio.flink.LocalFlink.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.NetioServer;
import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.api.SlowPolicy;
import io.reactivenetio.flink.Ledger.Account;
import io.reactivenetio.pubsub.NetioPublisher;
import io.reactivenetio.transport.BackendType;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.jobmaster.JobResult;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.util.Collector;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** Jobs whose records are events, and what users do to them. */
@Timeout(value = 300, unit = TimeUnit.SECONDS)
class NetioEventJobTest {
    /** The last connection of a source. */
    private static final AtomicReference<NetioConnection> CONNECTED = new AtomicReference<>();
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
        FailOnce.FAILED.set(true);
        Sizes.SEEN.clear();
    }

    /** Makes an account of events, of which it keeps the last in its state. */
    private static final class Tell extends KeyedProcessFunction<String, NetioEvent<Long>, Told> {
        private static final long serialVersionUID = 1;

        private transient ValueState<NetioEvent<Long>> last;

        @Override
        public void open(OpenContext context) {
            last = getRuntimeContext().getState(new ValueStateDescriptor<>("last", NetioEvent.type(Types.LONG)));
        }

        @Override
        public void processElement(NetioEvent<Long> event, Context context, Collector<Told> out) throws Exception {
            NetioEvent<Long> before = last.value();
            last.update(event);
            assertThat(before == null ? event.split() : before.split()).isEqualTo(context.getCurrentKey());
            String from = event.endpoint().toString();
            out.collect(switch (event) {
                case NetioEvent.Message<Long> m -> new Told(from, m.run(), m.sequence(), m.sequence(), true, m.value());
                case NetioEvent.Gap<Long> gap -> new Told(from, gap.run(), gap.from(), gap.to(), false, 0);
                case NetioEvent.RunChange<Long> change -> new Told(from, change.run(), 0, -1, false, 0);
            });
        }
    }

    private static NetioSource<NetioEvent<Long>> source(Detector... detectors) {
        NetioSourceBuilder<NetioEvent<Long>> builder = NetioSource.<NetioEvent<Long>>builder().tag(Detector.TAG)
                .deserializer(NetioDeserializationSchema.events(Types.LONG, message -> message.payload().getLong()))
                .reconnect(Long.MAX_VALUE, Duration.ofMillis(20), Duration.ofMillis(100))
                .client(client -> client.backend(BackendType.TCP).doOnConnected(connection -> CONNECTED.set(connection)));
        for (Detector detector : detectors) {
            builder.endpoint("127.0.0.1", detector.port());
        }
        return builder.build();
    }

    private JobID submit(int parallelism, String savepoint, Detector... detectors) throws Exception {
        StreamExecutionEnvironment env = LocalFlink.environment(directory, parallelism, savepoint);
        env.fromSource(source(detectors), WatermarkStrategy.noWatermarks(), "detectors").uid("detectors")
                .keyBy(NetioEvent::split).process(new Tell()).uid("tell")
                .map(new FailOnce(detectors.length, false)).uid("fail-once").returns(Told.class)
                .keyBy(Told::endpoint).process(new Ledger()).uid("ledger").sinkTo(new DiscardingSink<>()).uid("sink");
        return flink.submit(env);
    }

    private static Account account(Detector detector) {
        return Ledger.LAST.get("127.0.0.1:" + detector.port());
    }

    private static void assertComplete(Detector detector) {
        long total = detector.statistics().published();
        Account account = account(detector);
        assertThat(account.broken()).as("%s", account).isZero();
        assertThat(account.next()).as("%s", account).isEqualTo(total);
        assertThat(account.arrived() + account.missing()).as("%s", account).isEqualTo(total - account.first());
    }

    /** Returns when so much time has passed on the loop of this connection. */
    private static void onLoop(NetioConnection connection, long millis) {
        Mono.delay(Duration.ofMillis(millis), connection.scheduler()).block(Duration.ofSeconds(60));
    }

    private Detector paced() {
        return new Detector(0, SlowPolicy.DROP_OLDEST, 4_096, Detector.paced(20, 5, end.asMono()));
    }

    @Test
    void shouldTellMessagesAndGapsAsElements() throws Exception {
        FailOnce.FAILED.set(false);
        try (Detector one = paced(); Detector two = paced()) {
            JobID job = submit(2, null, one, two);
            await(() -> FailOnce.FAILED.get()
                    && Ledger.LAST.values().stream().filter(account -> account.missing() > 0).count() == 2);
            end.tryEmitEmpty();
            JobResult result = flink.result(job);

            assertThat(result.isSuccess()).as("%s", result.getSerializedThrowable()).isTrue();
            assertComplete(one);
            assertComplete(two);
        }
    }

    @Test
    void shouldTellWhatWasMissedBetweenACheckpointAndTheFirstMessage() throws Exception {
        Sinks.Many<Long> values = Sinks.many().multicast().directBestEffort();
        try (Detector detector = new Detector(0, SlowPolicy.DROP_OLDEST, 64, values.asFlux().onBackpressureBuffer())) {
            JobID job = submit(1, null, detector);
            await(() -> detector.statistics().subscribers() == 1);
            onLoop(detector.connection(), 0); // the publisher has told where it is by then
            onLoop(CONNECTED.get(), 300); // and the loop that is told has turned since
            String savepoint = flink.stop(job, directory, false);
            await(() -> detector.statistics().subscribers() == 0);
            values.tryEmitNext(0L).orThrow();
            values.tryEmitNext(1L).orThrow();
            JobID again = submit(1, savepoint, detector);
            await(() -> detector.statistics().subscribers() == 1);
            values.tryEmitNext(2L).orThrow();
            values.tryEmitComplete().orThrow();
            flink.result(again);

            assertThat(account(detector)).extracting(Account::first, Account::next, Account::arrived, Account::missing,
                    Account::broken).containsExactly(0L, 3L, 1L, 2L, 0);
        }
    }

    @Test
    void shouldGoOnWhenDrained() throws Exception {
        try (Detector detector = paced()) {
            JobID job = submit(1, null, detector);
            await(() -> !Ledger.LAST.isEmpty());
            String savepoint = flink.stop(job, directory, true);
            Account before = account(detector);
            JobID again = submit(1, savepoint, detector);
            await(() -> account(detector).arrived() > before.arrived() + 100);
            end.tryEmitEmpty();
            flink.result(again);

            assertComplete(detector);
            assertThat(account(detector).first()).isEqualTo(before.first());
            assertThat(account(detector).missing()).isPositive();
        }
    }

    @Test
    void shouldGoOnWithOtherEndpointsAndMoreReadersThanSplits() throws Exception {
        try (Detector stays = paced(); Detector goes = paced(); Detector comes = paced()) {
            JobID job = submit(2, null, stays, goes);
            await(() -> Ledger.LAST.size() == 2);
            String savepoint = flink.stop(job, directory, false);
            Account before = account(stays);
            Account gone = account(goes);
            JobID again = submit(4, savepoint, comes, stays);
            await(() -> account(comes) != null && account(comes).arrived() > 100
                    && account(stays).arrived() > before.arrived() + 100);
            end.tryEmitEmpty();
            flink.result(again);

            assertComplete(stays);
            assertComplete(comes);
            assertThat(account(stays).first()).isEqualTo(before.first());
            assertThat(account(goes)).isEqualTo(gone);
        }
    }

    @Test
    void shouldBeCancelledWhileItConnectsAgain() throws Exception {
        JobID job;
        try (Detector detector = paced()) {
            job = submit(2, null, detector);
            await(() -> !Ledger.LAST.isEmpty());
        }
        assertThat(flink.status(job)).isEqualTo(JobStatus.RUNNING);
        flink.cancel(job);

        await(() -> !LocalFlink.hasThreadsOfSources());
    }

    @Test
    void shouldRunTwoJobsInOneTaskManager() throws Exception {
        try (Detector one = paced(); Detector two = paced()) {
            JobID first = submit(1, null, one);
            JobID second = submit(1, null, two);
            await(() -> Ledger.LAST.size() == 2);
            flink.cancel(first);
            Account before = account(two);
            await(() -> account(two).arrived() > before.arrived() + 100);
            end.tryEmitEmpty();
            flink.result(second);

            assertComplete(two);
        }
    }

    @Test
    void shouldFailWithTheReasonOfItsDecoder() throws Exception {
        try (Detector detector = paced()) {
            StreamExecutionEnvironment env = LocalFlink.environment(directory, 1, null);
            env.fromSource(NetioSource.<NetioEvent<Long>>builder().tag(Detector.TAG).endpoint("127.0.0.1", detector.port())
                    .deserializer(NetioDeserializationSchema.events(Types.LONG, message -> {
                        throw new IllegalArgumentException("no hit has " + message.payload().remaining() + " bytes");
                    })).client(client -> client.backend(BackendType.TCP)).build(), WatermarkStrategy.noWatermarks(), "detector")
                    .sinkTo(new DiscardingSink<>());
            JobResult result = flink.result(flink.submit(env));

            assertThat(result.isSuccess()).isFalse();
            assertThat(result.getSerializedThrowable()).get().satisfies(error -> assertThat(
                    error.getFullStringifiedStackTrace()).contains("no hit has 8 bytes"));
        }
    }

    @Test
    void shouldReadEmptyAndLargeMessages() throws Exception {
        int large = 16 << 20;
        NetioPublisher publisher = NetioPublisher.create(SlowPolicy.BACKPRESSURE, 4).publish(7, Flux.just(0, large, 1, 0)
                .map(ByteBuffer::allocate));
        DisposableServer server = publisher.serve(NetioServer.create().backend(BackendType.TCP).host("127.0.0.1")).bindNow();
        StreamExecutionEnvironment env = LocalFlink.environment(directory, 1, null);
        env.fromSource(NetioSource.<NetioEvent<byte[]>>builder().tag(7).endpoint("127.0.0.1", server.port())
                        .deserializer(NetioDeserializationSchema.events(
                                PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO, message -> message.payload().array()))
                        .client(client -> client.backend(BackendType.TCP)).build(),
                        WatermarkStrategy.noWatermarks(), "detector")
                .rebalance().map(new Sizes()).sinkTo(new DiscardingSink<>());
        JobResult result = flink.result(flink.submit(env));
        server.disposeNow(Duration.ofSeconds(5));

        assertThat(result.isSuccess()).as("%s", result.getSerializedThrowable()).isTrue();
        assertThat(List.copyOf(Sizes.SEEN)).containsExactly(0, large, 1, 0);
    }

    private static final class Sizes implements MapFunction<NetioEvent<byte[]>, Integer> {
        static final Queue<Integer> SEEN = new ConcurrentLinkedQueue<>();

        private static final long serialVersionUID = 1;

        @Override
        public Integer map(NetioEvent<byte[]> event) {
            int size = ((NetioEvent.Message<byte[]>) event).value().length;
            SEEN.add(size);
            return size;
        }
    }
}
