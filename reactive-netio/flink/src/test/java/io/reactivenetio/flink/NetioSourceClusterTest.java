// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.flink;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.api.SlowPolicy;
import io.reactivenetio.flink.Ledger.Account;
import io.reactivenetio.testing.Eventually;
import io.reactivenetio.testing.SessionCluster;
import io.reactivenetio.transport.BackendType;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.apache.flink.api.common.JobExecutionResult;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Sinks;

/** Jobs in a cluster of processes, one of which is killed in mid-stream. */
@Tag("cluster")
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class NetioSourceClusterTest {
    @TempDir
    private static Path directory;

    private static SessionCluster cluster;

    @TempDir
    private Path own;

    @BeforeAll
    static void start() throws Exception {
        cluster = new SessionCluster(directory, 2, "-XX:TieredStopAtLevel=1");
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    @Test
    void shouldAccountForEachMessageWhenATaskManagerIsKilled() throws Exception {
        AccountFiles accounts = new AccountFiles(own.toString());
        Sinks.Empty<Void> end = Sinks.empty();
        try (Detector one = new Detector(0, SlowPolicy.DROP_OLDEST, 4_096, Detector.paced(10, 5, end.asMono()));
                Detector two = new Detector(0, SlowPolicy.DROP_OLDEST, 4_096, Detector.paced(10, 5, end.asMono()))) {
            List<String> endpoints = List.of("127.0.0.1:" + one.port(), "127.0.0.1:" + two.port());
            StreamExecutionEnvironment env = environment();
            env.fromSource(source(one.port(), two.port()).build(), WatermarkStrategy.noWatermarks(), "detectors")
                    .keyBy(Told::endpoint).process(new Ledger()).sinkTo(accounts);
            CompletableFuture<JobExecutionResult> result = env.executeAsync("accounts").getJobExecutionResult();
            await(result, accounts, endpoints, account -> account.arrived() > 500);
            Map<String, Long> written = new HashMap<>(); // with a checkpoint that is complete when the next one begins
            for (String endpoint : endpoints) {
                written.put(endpoint, accounts.read(endpoint).arrived());
            }
            await(result, accounts, endpoints, account -> account.arrived() > written.get(account.endpoint()));
            cluster.killTaskManager();
            cluster.startTaskManager();
            await(result, accounts, endpoints, account -> account.missing() > 0);
            long before = accounts.read(endpoints.getFirst()).arrived();
            await(result, accounts, endpoints, account -> account.arrived() > before + 500);
            end.tryEmitEmpty();
            result.get(60, TimeUnit.SECONDS);

            for (Detector detector : List.of(one, two)) {
                Account account = accounts.read("127.0.0.1:" + detector.port());
                assertThat(account.broken()).as("%s", account).isZero();
                assertThat(account.next()).as("%s", account).isEqualTo(detector.statistics().published());
                assertThat(account.arrived() + account.missing()).as("%s", account).isEqualTo(account.next() - account.first());
            }
        }
    }

    @Test
    void shouldCountWhatIsRecordedExactlyOnceWhenATaskManagerIsKilled() throws Exception {
        AccountFiles accounts = new AccountFiles(own.toString());
        int total = 40_000;
        try (RecordedDetector one = new RecordedDetector(own.resolve("one"), total);
                RecordedDetector two = new RecordedDetector(own.resolve("two"), total)) {
            List<String> endpoints = List.of("127.0.0.1:" + one.port(), "127.0.0.1:" + two.port());
            StreamExecutionEnvironment env = environment();
            env.fromSource(source(one.port(), two.port()).recording(false).build(), WatermarkStrategy.noWatermarks(), "recorded")
                    .map(new Slow(10_000)).returns(Told.class).keyBy(Told::endpoint).process(new Ledger()).sinkTo(accounts);
            CompletableFuture<JobExecutionResult> result = env.executeAsync("recorded accounts").getJobExecutionResult();
            await(result, accounts, endpoints, account -> account.arrived() > 500);
            cluster.killTaskManager();
            cluster.startTaskManager();
            result.get(90, TimeUnit.SECONDS);

            for (String endpoint : endpoints) {
                assertThat(accounts.read(endpoint)).isEqualTo(new Account(endpoint, 1, 0, total,
                        total - RecordedDetector.MISSING, RecordedDetector.MISSING, 1, 0, 0));
            }
        }
    }

    private static NetioSourceBuilder<Told> source(int... ports) {
        NetioSourceBuilder<Told> builder = NetioSource.<Told>builder().tag(Detector.TAG).deserializer(new Told.Schema())
                .client(client -> client.backend(BackendType.TCP));
        for (int port : ports) {
            builder.endpoint("127.0.0.1", port);
        }
        return builder;
    }

    private StreamExecutionEnvironment environment() {
        Configuration config = new Configuration();
        config.set(PipelineOptions.GENERIC_TYPES, false);
        config.set(RestartStrategyOptions.RESTART_STRATEGY, "fixed-delay");
        config.set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_ATTEMPTS, 20);
        config.set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_DELAY, Duration.ofMillis(250));
        config.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, Duration.ofMillis(250));
        config.set(CheckpointingOptions.CHECKPOINTS_DIRECTORY, own.resolve("checkpoints").toUri().toString());
        return StreamExecutionEnvironment.createRemoteEnvironment("127.0.0.1", cluster.port(), config).setParallelism(2);
    }

    private static void await(CompletableFuture<?> job, AccountFiles accounts, List<String> endpoints,
            Predicate<Account> condition) throws Exception {
        for (String endpoint : endpoints) {
            Eventually.await(() -> {
                if (job.isDone()) {
                    throw new IllegalStateException("the job is over: " + cluster.logs(), job.exceptionNow());
                }
                return condition.test(accounts.read(endpoint));
            }, () -> "what " + endpoint + " should have");
        }
    }
}
