// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.flink;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.testing.Eventually;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.configuration.StateRecoveryOptions;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.runtime.execution.ExecutionState;
import org.apache.flink.runtime.executiongraph.AccessExecutionVertex;
import org.apache.flink.runtime.jobmaster.JobResult;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** A cluster of Flink in this JVM, with a TaskManager of four slots. Nothing of this library is left when it is closed. */
final class LocalFlink {
    private final MiniCluster cluster;

    LocalFlink() throws Exception {
        Configuration config = new Configuration();
        config.set(TaskManagerOptions.NETWORK_MEMORY_MIN, MemorySize.ofMebiBytes(16));
        config.set(TaskManagerOptions.NETWORK_MEMORY_MAX, MemorySize.ofMebiBytes(16));
        config.set(TaskManagerOptions.MANAGED_MEMORY_SIZE, MemorySize.ofMebiBytes(16));
        cluster = new MiniCluster(new MiniClusterConfiguration.Builder().setConfiguration(config).setNumTaskManagers(1)
                .setNumSlotsPerTaskManager(4).withRandomPorts().build());
        cluster.start();
    }

    /** Of a job with checkpoints in {@code directory}, which begins with a savepoint unless that is null. */
    static StreamExecutionEnvironment environment(Path directory, int parallelism, String savepoint) {
        Configuration config = new Configuration();
        config.set(PipelineOptions.GENERIC_TYPES, false); // nothing needs Kryo
        config.set(RestartStrategyOptions.RESTART_STRATEGY, "fixed-delay");
        config.set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_ATTEMPTS, 2);
        config.set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_DELAY, Duration.ofMillis(100));
        config.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, Duration.ofMillis(100));
        config.set(CheckpointingOptions.CHECKPOINTS_DIRECTORY, directory.toUri().toString());
        if (savepoint != null) {
            config.set(StateRecoveryOptions.SAVEPOINT_PATH, savepoint);
        }
        return StreamExecutionEnvironment.getExecutionEnvironment(config).setParallelism(parallelism);
    }

    JobID submit(StreamExecutionEnvironment env) throws Exception {
        return cluster.submitJob(env.getStreamGraph().getJobGraph()).get(60, TimeUnit.SECONDS).getJobID();
    }

    JobResult result(JobID job) throws Exception {
        return cluster.requestJobResult(job).get(120, TimeUnit.SECONDS);
    }

    JobStatus status(JobID job) {
        return cluster.getJobStatus(job).orTimeout(60, TimeUnit.SECONDS).join();
    }

    /** Stops a job once all its tasks run, as a savepoint needs, and returns where its state is. */
    String stop(JobID job, Path directory, boolean drain) throws Exception {
        await(() -> isRunning(job));
        return cluster.stopWithSavepoint(job, directory.toUri().toString(), drain, SavepointFormatType.CANONICAL)
                .get(60, TimeUnit.SECONDS);
    }

    private boolean isRunning(JobID job) {
        for (AccessExecutionVertex task : cluster.getExecutionGraph(job).orTimeout(60, TimeUnit.SECONDS).join()
                .getAllExecutionVertices()) {
            if (task.getExecutionState() != ExecutionState.RUNNING) {
                return false;
            }
        }
        return true;
    }

    /** Returns when the job is over. */
    void cancel(JobID job) throws Exception {
        cluster.cancelJob(job).get(60, TimeUnit.SECONDS);
        await(() -> status(job).isTerminalState());
    }

    static void await(Eventually.Condition condition) {
        assertThat(Eventually.within(Duration.ofSeconds(90), condition)).as("within 90 s").isTrue();
    }

    static boolean hasThreadsOfSources() {
        return Thread.getAllStackTraces().keySet().stream().anyMatch(thread -> thread.getName().startsWith("netio-flink"));
    }

    void close() throws Exception {
        cluster.closeAsync().get(60, TimeUnit.SECONDS);
        await(() -> !hasThreadsOfSources());
    }
}
