// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples;

import io.reactivenetio.benchmarks.BenchCommand;
import io.reactivenetio.benchmarks.BuildVersion;
import io.reactivenetio.examples.cli.CliException;
import io.reactivenetio.examples.cli.ExampleCommand;
import io.reactivenetio.examples.cli.Failures;
import io.reactivenetio.examples.cli.InfoCommand;
import io.reactivenetio.examples.cli.PublishCommand;
import io.reactivenetio.examples.cli.RecvCommand;
import io.reactivenetio.examples.cli.SendCommand;
import io.reactivenetio.examples.cli.SubscribeCommand;
import io.reactivenetio.examples.conformance.ConformanceCommand;
import io.reactivenetio.examples.conformance.ConformanceEndCommand;
import io.reactivenetio.examples.demo.DemoCommand;
import io.reactivenetio.examples.demo.DetectorCommand;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;

/** The netio command: sends, receives, and says what this machine offers. Every failure is one line on stderr. */
@Command(name = "netio", versionProvider = BuildVersion.class, scope = ScopeType.INHERIT, mixinStandardHelpOptions = true,
        description = {"Sends and receives Reactive Streams over RDMA or TCP.",
            "In a checkout, ./netio also has: test, which runs all tests; spring, a Spring Boot application with a page; bridge,"
                + " record, replay, cluster-demo and event-page, for what goes beyond one machine; image-series, images that"
                + " workers share; soak, which injects faults for minutes;"
                + " docs, which makes a site of the documents; package, which makes something to install; and"
                + " rdma, which runs a command where there is an RDMA device, or in a guest with a simulated one; each has a"
                + " --help, too."},
        subcommands = {BenchCommand.class, ConformanceCommand.class, ConformanceEndCommand.class, DemoCommand.class,
            DetectorCommand.class, ExampleCommand.class, InfoCommand.class, PublishCommand.class, RecvCommand.class,
            SendCommand.class, SubscribeCommand.class},
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:everything asked for was done; for send: everything sent has arrived",
            "1:it failed; the reason is one line on stderr", "2:the command line is wrong", "130:interrupted"})
public final class Netio implements Callable<Integer> {
    private static final String VERBOSE = "--verbose";

    @Option(names = VERBOSE, scope = ScopeType.INHERIT, description = "Show stack traces and the library's log.")
    private boolean verbose;

    private Netio() {
    }

    /** Runs the command and exits with its code. */
    public static void main(String[] args) {
        // before the first logger is made: slf4j-simple reads it once
        String level = Arrays.asList(args).contains(VERBOSE) ? "info" : "off";
        System.getProperties().putIfAbsent("org.slf4j.simpleLogger.defaultLogLevel", level);
        // whoever waits for a peer has to know that one came and did not get in
        System.getProperties().putIfAbsent("org.slf4j.simpleLogger.log.io.reactivenetio.refused", "warn");
        System.exit(run(args));
    }

    /** Runs the command, and returns the exit code. */
    public static int run(String... args) {
        Netio netio = new Netio();
        return new Failures(() -> netio.verbose).run(netio, args);
    }

    /** No command given. */
    @Override
    public Integer call() {
        List<String> names = commands().entrySet().stream()
                .filter(command -> !command.getValue().getCommandSpec().usageMessage().hidden()).map(Map.Entry::getKey).toList();
        throw new CliException(CliException.USAGE, "which command? " + String.join(", ", names.subList(0, names.size() - 1))
                + " or " + names.getLast() + "; netio --help says more", null);
    }

    /** All commands by name. */
    public static Map<String, CommandLine> commands() {
        return new CommandLine(new Netio()).getSubcommands();
    }
}
