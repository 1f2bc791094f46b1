// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.benchmarks;

import java.util.List;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** What the library itself does with a message, piece by piece. */
@Command(name = "netio bench --micro", versionProvider = BuildVersion.class, mixinStandardHelpOptions = true, description = {
    "Measure the pieces of the library one by one, with JMH.",
    "Each in JVMs of its own, without a network. Ends with a table of nanoseconds for each operation."})
public final class MicroCommand implements Callable<Integer> {
    @Parameters(arity = "0..*", paramLabel = "PATTERN", description = "Regular expressions: those benchmarks in whose name one of"
            + " them is found. Default: all.")
    private List<Pattern> patterns = List.of();

    @Option(names = "--quick", description = "Only see that it works: short measurements, few of them.")
    private boolean quick;

    @Option(names = "--json", description = "JMH's JSON on stdout, with every measurement, and nothing else.")
    private boolean json;

    @Option(names = "--prof", paramLabel = "PROFILER", description = "One of JMH's profilers: gc tells what is allocated.")
    private List<String> profilers = List.of();

    /** Called by picocli. */
    public MicroCommand() {
    }

    /** Runs the command and exits with its code. */
    public static void main(String[] args) {
        BenchMain.run(new MicroCommand(), args);
    }

    @Override
    public Integer call() {
        MicroRuns.run(patterns, quick ? MicroRuns.QUICK : MicroRuns.FULL, profilers, json);
        return 0;
    }
}
