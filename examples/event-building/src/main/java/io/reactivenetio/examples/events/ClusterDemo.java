// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.events;

import io.reactivenetio.testing.SessionCluster;
import io.reactivenetio.transport.BackendType;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.apache.flink.api.common.JobExecutionResult;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * Sixteen simulated links, a Flink cluster of a JobManager and two TaskManagers as processes, and a broker of Kafka. A
 * TaskManager and the broker are killed; and at the end tables account for each message and each event. Arguments, all
 * optional: events per second (20,000), seconds (20), what carries the links (tcp, or libfabric).
 */
public final class ClusterDemo {
    static final int LINKS = 16;

    private static final int RATE_STEP = 200;
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private final Path directory;
    private final PrintStream out;

    ClusterDemo(Path directory, PrintStream out) {
        this.directory = directory;
        this.out = out;
    }

    /** Ends with 0 if each message is accounted for, else with 1; with 2 if the arguments are wrong. */
    public static void main(String[] arguments) throws Exception {
        int rate;
        int seconds;
        BackendType backend;
        try {
            rate = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 20_000;
            seconds = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 20;
            backend = arguments.length > 2 ? BackendType.valueOf(arguments[2].toUpperCase(Locale.ROOT)) : BackendType.TCP;
        } catch (IllegalArgumentException e) {
            System.err.println("the arguments are events per second, seconds, and tcp or libfabric: " + e.getMessage());
            System.exit(2);
            return;
        }
        if (rate < RATE_STEP || rate % RATE_STEP != 0 || seconds < 1) {
            System.err.println("events per second must be a multiple of " + RATE_STEP + ", and seconds 1 or more: " + rate + ", "
                    + seconds);
            System.exit(2);
        }
        Path directory = Files.createTempDirectory("event-building");
        boolean complete = new ClusterDemo(directory, System.out).run(backend, rate, seconds);
        System.exit(complete ? 0 : 1);
    }

    boolean run(BackendType backend, int rate, int seconds) throws IOException, InterruptedException {
        TotalsFile file = new TotalsFile(directory.resolve("totals").toString());
        out.println("A JobManager, two TaskManagers and a broker of Kafka start, with their logs in " + directory);
        try (Topic topic = new Topic(directory.resolve("kafka")); SessionCluster cluster = new SessionCluster(directory, 2);
                Links links = new Links(backend, LINKS, rate)) {
            StreamExecutionEnvironment env = StreamExecutionEnvironment
                    .createRemoteEnvironment("127.0.0.1", cluster.port(), configuration()).setParallelism(2);
            out.printf("To watch the events in Kafka meanwhile: ./netio event-page %s%n", topic.brokers());
            EventBuilding.build(env, backend, links.port(), LINKS, rate, file,
                    EventBuilding.kafka(topic.brokers(), Topic.NAME));
            CompletableFuture<JobExecutionResult> job = submit(env);
            long begin = System.nanoTime();
            await(job, cluster, file, totals -> totals.complete > 0);
            await(job, cluster, file, totals -> System.nanoTime() - begin > TimeUnit.SECONDS.toNanos(seconds) / 3);
            Totals before = file.read(LINKS);
            out.printf("A TaskManager is killed after %,d complete events, and another one started%n", before.complete);
            cluster.killTaskManager();
            cluster.startTaskManager();
            await(job, cluster, file, totals -> totals.missing[0] > before.missing[0]
                    && totals.complete > before.complete);
            Totals meanwhile = file.read(LINKS);
            out.printf("The broker is killed after %,d complete events, and started again%n", meanwhile.complete);
            topic.killAndRestart();
            await(job, cluster, file, totals -> totals.complete > meanwhile.complete
                    && System.nanoTime() - begin > TimeUnit.SECONDS.toNanos(seconds));
            links.end();
            await(job, cluster, file, totals -> job.isDone());
            Totals totals = file.read(LINKS);
            boolean messages = report(links, totals);
            return report(totals, topic.read(totals.events())) && messages;
        }
    }

    private static CompletableFuture<JobExecutionResult> submit(StreamExecutionEnvironment env) throws IOException {
        try {
            return env.executeAsync("event building").getJobExecutionResult();
        } catch (Exception e) { // what Flink declares
            throw new IOException("the job was not accepted", e);
        }
    }

    private Configuration configuration() {
        Configuration config = new Configuration();
        config.set(RestartStrategyOptions.RESTART_STRATEGY, "fixed-delay");
        config.set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_ATTEMPTS, 20);
        config.set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_DELAY, Duration.ofMillis(250));
        config.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, Duration.ofSeconds(1));
        config.set(CheckpointingOptions.CHECKPOINTS_DIRECTORY, directory.resolve("checkpoints").toUri().toString());
        return config;
    }

    private static void await(CompletableFuture<?> job, SessionCluster cluster, TotalsFile file, Predicate<Totals> condition)
            throws IOException, InterruptedException {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (!condition.test(file.read(LINKS))) {
            if (job.isDone() || System.nanoTime() - end > 0) {
                throw new IllegalStateException("the job does not go on: " + job + "\n" + cluster.logs());
            }
            Thread.sleep(50);
        }
        if (job.isCompletedExceptionally()) {
            throw new IllegalStateException("the job has failed\n" + cluster.logs(), job.exceptionNow());
        }
    }

    /** A link's messages are in events, late or missing, and together that is what it has published. */
    private boolean report(Links links, Totals totals) {
        boolean all = true;
        out.printf("%nlink %12s %12s %10s %12s %6s%n", "published", "in events", "late", "missing", "gaps");
        for (int link = 0; link < LINKS; link++) {
            long published = links.published(link);
            long told = totals.built[link] + totals.late[link] + totals.missing[link];
            out.printf("%4d %,12d %,12d %,10d %,12d %6d  %s%n", link, published, totals.built[link], totals.late[link],
                    totals.missing[link], totals.gaps[link], told == published ? "all accounted for"
                            : (published - told) + " NOT accounted for");
            all &= told == published;
        }
        out.printf("%n%,d events complete, %,d incomplete%n", totals.complete, totals.incomplete);
        return all;
    }

    /**
     * Each event that the job has counted is in Kafka. What was written after the last checkpoint before the TaskManager was
     * killed is there besides: the job has forgotten it, and told its fragments to be missing.
     */
    private boolean report(Totals totals, Topic.Content content) {
        long lost = totals.events() - content.numbers() + content.written() - content.read();
        out.printf("%nin Kafka %12s %12s %12s %12s %18s%n", "built", "written", "read back", "doubled", "different events");
        out.printf("         %,12d %,12d %,12d %,12d %,18d  %s%n", totals.events(), content.written(), content.read(),
                content.read() - content.numbers(), content.events(),
                lost == 0 ? "all accounted for" : lost + " NOT accounted for");
        return lost == 0;
    }
}
