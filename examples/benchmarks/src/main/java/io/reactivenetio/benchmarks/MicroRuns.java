// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.benchmarks;

import io.reactivenetio.transport.BackendType;
import io.reactivenetio.transport.backend.NetworkBackend;
import io.reactivenetio.transport.exceptions.BackendUnavailableException;
import java.lang.management.ManagementFactory;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.results.format.ResultFormatFactory;
import org.openjdk.jmh.results.format.ResultFormatType;
import org.openjdk.jmh.runner.NoBenchmarksException;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/** Has JMH run the micro-benchmarks. */
final class MicroRuns {
    /** About nine seconds for each. */
    static final Options FULL = length(2, 3, 5, 500);
    /** About a second for each. */
    static final Options QUICK = length(1, 1, 1, 100);

    private MicroRuns() {
    }

    /** How many JVMs, in each of them how many iterations before those that count, how many that do, and how long each takes. */
    static Options length(int forks, int warmups, int iterations, int millis) {
        return new OptionsBuilder().forks(forks).warmupIterations(warmups).warmupTime(TimeValue.milliseconds(millis))
                .measurementIterations(iterations).measurementTime(TimeValue.milliseconds(millis)).build();
    }

    /**
     * Runs those in whose name one of {@code patterns} is found, or all if there is none; tells each measurement and at last
     * the results, or only these, as JSON.
     *
     * @throws BenchFailedException if there is none of such a name, or one has failed: then there are no others
     */
    static Collection<RunResult> run(List<Pattern> patterns, Options length, List<String> profilers, boolean json) {
        ChainedOptionsBuilder options = new OptionsBuilder().parent(length).mode(Mode.AverageTime)
                .timeUnit(TimeUnit.NANOSECONDS).shouldFailOnError(true).jvmArgs(jvmOptions())
                .verbosity(json ? VerboseMode.SILENT : VerboseMode.NORMAL);
        patterns.forEach(pattern -> options.include(pattern.pattern()));
        profilers.forEach(options::addProfiler);
        if (!hasLibfabric()) {
            options.exclude("FabricCall");
        }
        try {
            Collection<RunResult> results = new Runner(options.build()).run();
            if (json) {
                write(results);
            }
            return results;
        } catch (NoBenchmarksException e) {
            throw new BenchFailedException("there is no benchmark of such a name", e);
        } catch (RunnerException e) {
            throw new BenchFailedException("a benchmark has failed: " + e.getMessage(), e);
        }
    }

    @SuppressWarnings("SystemOut") // the result of a command
    private static void write(Collection<RunResult> results) {
        ResultFormatFactory.getInstance(ResultFormatType.JSON, System.out).writeOut(results);
    }

    /** Returns the options of this JVM, but for its archive of classes. */
    private static String[] jvmOptions() {
        return ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(option -> !option.contains("Archive")).toArray(String[]::new);
    }

    private static boolean hasLibfabric() {
        try {
            NetworkBackend.provider(BackendType.LIBFABRIC).library();
            return true;
        } catch (BackendUnavailableException e) {
            return false;
        }
    }
}
