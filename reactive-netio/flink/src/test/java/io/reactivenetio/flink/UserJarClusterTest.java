// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.flink;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.api.SlowPolicy;
import io.reactivenetio.testing.Eventually;
import io.reactivenetio.testing.SessionCluster;
import io.reactivenetio.testing.TestSettings;
import io.reactivenetio.transport.BackendType;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Jobs that bring this library to a cluster which has only Flink, several after each other in the same TaskManager. */
@Tag("cluster")
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class UserJarClusterTest {
    private static final int JOBS = 6;

    @TempDir
    private Path directory;

    @Test
    void shouldLeaveNothingBehindInTheTaskManager() throws Exception {
        List<Path> all = SessionCluster.classPath();
        Path jar = UserJar.build(directory.resolve("job.jar"), all.stream().filter(UserJar::isBrought).toList());
        List<Path> flink = all.stream().filter(entry -> !UserJar.isBrought(entry)).toList();
        try (SessionCluster cluster = new SessionCluster(directory.resolve("cluster"), 1, flink, "-XX:TieredStopAtLevel=1")) {
            long taskManager = cluster.taskManagers().getFirst();
            List<Integer> loaders = new ArrayList<>();
            List<Long> kibibytes = new ArrayList<>();
            for (int n = 0; n < JOBS; n++) {
                run(cluster, jar, n % 2 == 0 ? BackendType.TCP : BackendType.LIBFABRIC, directory.resolve("job" + n));
                awaitNoThreads(taskManager, "\"netio-flink");
                loaders.add(loaders(taskManager));
                kibibytes.add(metaspace(taskManager));
            }
            awaitNoThreads(taskManager, "\"netio-", "\"boundedElastic", "\"parallel-", "\"single-");
            loaders.add(loaders(taskManager));
            kibibytes.add(metaspace(taskManager));

            String figures = "class loaders of jobs after each, and some seconds later: " + loaders + "; KiB of metaspace: "
                    + kibibytes;
            System.out.println(figures);
            assertThat(loaders.getLast()).as(figures).isLessThanOrEqualTo(1);
            assertThat(kibibytes.getLast()).as(figures).isLessThan(kibibytes.get(1) + 4_096);
        }
    }

    private static void run(SessionCluster cluster, Path jar, BackendType backend, Path files) throws Exception {
        files.toFile().mkdirs();
        AccountFiles accounts = new AccountFiles(files.toString());
        try (Detector detector = new Detector(backend, 0, SlowPolicy.DROP_OLDEST, 4_096, Detector.paced(1_000_000, 10, 5))) {
            Configuration config = new Configuration();
            config.set(PipelineOptions.GENERIC_TYPES, false);
            config.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, Duration.ofMillis(250));
            config.set(CheckpointingOptions.CHECKPOINTS_DIRECTORY, files.toUri().toString());
            StreamExecutionEnvironment env = StreamExecutionEnvironment
                    .createRemoteEnvironment("127.0.0.1", cluster.port(), config, jar.toString()).setParallelism(1);
            String provider = TestSettings.PROVIDER;
            env.fromSource(NetioSource.<Told>builder().endpoint(TestSettings.ADDRESS, detector.port()).tag(Detector.TAG)
                            .deserializer(new Told.Schema()).client(client -> client.backend(backend).provider(provider)).build(),
                            WatermarkStrategy.noWatermarks(), "detector")
                    .keyBy(Told::endpoint).process(new Ledger()).sinkTo(accounts);
            JobClient job = env.executeAsync("job from a jar");
            Eventually.await(() -> {
                assertThat(job.getJobStatus().get(10, TimeUnit.SECONDS).isTerminalState()).as(cluster.logs()).isFalse();
                return accounts.read(TestSettings.ADDRESS + ":" + detector.port()).arrived() >= 100;
            }, () -> "the job does not read: " + cluster.logs());
            job.cancel().get(20, TimeUnit.SECONDS);
            Eventually.await("its end", () -> job.getJobStatus().get(10, TimeUnit.SECONDS).isTerminalState());
        }
    }

    private static void awaitNoThreads(long process, String... names) throws Exception {
        Eventually.await("no thread of a job that is over", () ->
                Stream.of(names).noneMatch(jcmd(process, "Thread.print")::contains));
    }

    /** How many class loaders of jobs there are that somebody holds. */
    private static int loaders(long process) throws Exception {
        jcmd(process, "GC.run");
        return jcmd(process, "VM.classloaders fold=false").split("ChildFirstClassLoader", -1).length - 1;
    }

    private static long metaspace(long process) throws Exception {
        Matcher used = Pattern.compile("Metaspace +used (\\d+)K").matcher(jcmd(process, "VM.metaspace basic"));
        assertThat(used.find()).isTrue();
        return Long.parseLong(used.group(1));
    }

    private static String jcmd(long process, String command) throws IOException, InterruptedException {
        Process jcmd = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(),
                Long.toString(process), command).redirectErrorStream(true).start();
        String said = new String(jcmd.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(jcmd.waitFor()).as("jcmd %s: %s", command, said).isZero();
        return said;
    }
}
