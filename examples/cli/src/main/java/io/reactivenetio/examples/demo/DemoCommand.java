// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.demo;

import io.reactivenetio.transport.exceptions.NetioException;
import java.io.Console;
import java.io.PrintStream;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Starts a simulated detector in a process of its own, receives its data, builds events, and shows it live. */
@Command(name = "demo",
        description = {"Reads out a simulated detector, which runs in a process of its own, over libfabric.",
            "Each link is a tag that the readout subscribes to; a few percent of its fragments are damaged on purpose.",
            "Exit code 0 only if all that was sent arrived and exactly the injected faults were found."})
public final class DemoCommand implements Callable<Integer> {
    @Mixin
    private final DetectorSettings settings = new DetectorSettings();

    @Option(names = "--slow",
            description = "Put in a consumer that takes a tenth of the rate (100 Hz at least), and see the detector held back.")
    private boolean slow;

    @Option(names = "--host", paramLabel = "HOST", defaultValue = "127.0.0.1",
            description = "Where the detector listens; verbs needs the address of an RDMA device. Default: ${DEFAULT-VALUE}.")
    private String host = "127.0.0.1";

    @Option(names = "--json", description = "Print the summary as JSON, and everything else on standard error.")
    private boolean json;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    /** Made by picocli. */
    public DemoCommand() {
    }

    @Override
    public Integer call() {
        if (!settings.complaint().isEmpty()) {
            throw new ParameterException(spec.commandLine(), settings.complaint());
        }
        Histogram histogram = new Histogram(settings.hits);
        try {
            View view = view(json ? System.err : System.out, histogram);
            Readout readout = new Readout(settings.provider, settings.links, histogram);
            Summary summary = new Demo(settings, host, slow, readout).run(view);
            if (json) {
                System.out.println(summary.json());
            } else {
                System.out.println();
                summary.lines().forEach(System.out::println);
            }
            return summary.ok() ? CommandLine.ExitCode.OK : CommandLine.ExitCode.SOFTWARE;
        } catch (NetioException | DetectorProcess.DetectorFailedException e) {
            System.out.flush();
            System.err.println("FAILED: " + e.getMessage());
            return CommandLine.ExitCode.SOFTWARE;
        }
    }

    @SuppressWarnings("SystemConsoleNull") // it does return null, since Java 25 again
    private View view(PrintStream out, Histogram histogram) {
        Console console = System.console();
        if (console == null || !console.isTerminal()) {
            return new PlainView(out, settings);
        }
        String title = "reactive-netio demo|" + settings.links + " links|libfabric " + settings.provider + "|"
                + (slow ? "slow consumer" : host);
        return new LiveView(new Screen(out), Glyphs.of(out.charset()), settings, title, histogram);
    }
}
