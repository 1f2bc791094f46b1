// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.bridge;

import io.reactivenetio.benchmarks.BuildVersion;
import io.reactivenetio.examples.cli.CliException;
import io.reactivenetio.examples.cli.Failures;
import java.util.Arrays;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;

/** The commands for what goes beyond one machine. The launcher runs them as netio bridge, netio record, netio replay. */
@Command(name = "netio", versionProvider = BuildVersion.class, scope = ScopeType.INHERIT, mixinStandardHelpOptions = true,
        description = "Takes messages beyond one machine: to Kafka and back, to disk and back.",
        subcommands = {BridgeCommand.class},
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:everything asked for was done", "1:it failed; the reason is one line on stderr",
            "2:the command line is wrong", "130:interrupted"})
public final class BridgeProgram implements Callable<Integer> {
    private static final String VERBOSE = "--verbose";

    @Option(names = VERBOSE, scope = ScopeType.INHERIT, description = "Show stack traces and the libraries' logs.")
    private boolean verbose;

    private BridgeProgram() {
    }

    /** Runs the command and exits with its code. */
    public static void main(String[] args) {
        // before the first logger is made: slf4j-simple reads it once
        String level = Arrays.asList(args).contains(VERBOSE) ? "info" : "off";
        System.getProperties().putIfAbsent("org.slf4j.simpleLogger.defaultLogLevel", level);
        System.exit(run(args));
    }

    /** Runs the command, and returns the exit code. */
    public static int run(String... args) {
        BridgeProgram program = new BridgeProgram();
        return new Failures(() -> program.verbose).run(program, args);
    }

    /** No command given. */
    @Override
    public Integer call() {
        throw CliException.usage("which command? netio --help says more");
    }
}
