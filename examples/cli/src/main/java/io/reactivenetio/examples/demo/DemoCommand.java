// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.demo;

import io.reactivenetio.examples.cli.CliException;
import io.reactivenetio.examples.cli.Terminal;
import io.reactivenetio.examples.demo.screen.Film;
import io.reactivenetio.examples.demo.screen.Glyphs;
import io.reactivenetio.examples.demo.screen.Screen;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine;

/** Starts a simulated detector in a process of its own, receives its data, builds events, and shows it live. */
@Command(name = "demo",
        description = {"Read out a simulated detector, which runs in a process of its own, over libfabric.",
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

    @Option(names = "--legend", negatable = true,
            description = "What the words mean: below the live view, where the histogram gives way to it if need be, and in the"
                    + " summary; --no-legend: nowhere. Default: in the summary, and below the view if there is room.")
    private @Nullable Boolean legend;

    @Option(names = "--json", description = "Print the summary as JSON, and everything else on standard error.")
    private boolean json;

    @Option(names = "--record", paramLabel = "FILE",
            description = "Make an animated SVG of the live view, as on a terminal of 80 columns, instead of showing it.")
    private @Nullable Path record;

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
        PrintStream out = json ? System.err : System.out;
        Terminal terminal = Terminal.of(json ? Terminal.ERR : Terminal.OUT);
        Readout readout = new Readout(settings.provider, settings.links, settings.hits);
        try {
            Summary summary = new Demo(settings, host, slow, readout).run(view(out, terminal));
            if (json) {
                System.out.println(summary.json());
            } else {
                print(summary, terminal);
            }
            return summary.ok() ? CommandLine.ExitCode.OK : CommandLine.ExitCode.SOFTWARE;
        } catch (DetectorProcess.DetectorFailedException e) {
            throw new CliException(CliException.FAILURE, String.valueOf(e.getMessage()), e);
        }
    }

    private void print(Summary summary, @Nullable Terminal terminal) {
        int columns = terminal == null ? Integer.MAX_VALUE : terminal.size(Terminal.Size.USUAL).columns();
        boolean colours = terminal != null && inColour();
        System.out.println();
        summary.lines(columns, legend == null || legend).forEach(line -> System.out.println(line.in(colours)));
    }

    private static boolean inColour() {
        return Terminal.movesCursor(System.getenv("TERM")) && Terminal.wantsColours(System.getenv("NO_COLOR"));
    }

    private View view(PrintStream out, @Nullable Terminal terminal) {
        if (record == null && (terminal == null || !Terminal.movesCursor(System.getenv("TERM")))) {
            return new PlainView(out, settings);
        }
        List<String> title = List.of("reactive-netio demo", settings.links + " links", "libfabric " + settings.provider,
                slow ? "slow consumer" : host);
        Path file = record;
        if (file != null) {
            Terminal.Size size = Terminal.Size.USUAL;
            Film film = new Film(file, size, LiveView.PERIOD, "./netio demo: rates, faults, and the demand of each link");
            return new LiveView(film, new Frame(settings, title, Glyphs.BLOCKS, legend), size, usual -> usual);
        }
        Terminal.Size size = Objects.requireNonNull(terminal).size(Terminal.Size.USUAL);
        return new LiveView(new Screen(out, size, inColour()), new Frame(settings, title, Glyphs.of(out.charset()), legend), size,
                terminal::size);
    }
}
