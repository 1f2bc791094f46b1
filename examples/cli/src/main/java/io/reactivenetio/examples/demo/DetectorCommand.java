// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.demo;

import io.reactivenetio.transport.NetioException;
import java.io.IOException;
import java.io.OutputStream;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The simulated detector, which the demo starts as a process of its own. It ends when its standard input does. */
@Command(name = "detector", hidden = true, description = "The simulated detector of the demo.")
public final class DetectorCommand implements Callable<Integer> {
    @Mixin
    private final DetectorSettings settings = new DetectorSettings();

    @Option(names = "--to", paramLabel = "HOST:PORT", required = true, description = "Where the readout listens.")
    private String to = "";

    /** Made by picocli. */
    public DetectorCommand() {
    }

    @Override
    public Integer call() {
        int colon = to.lastIndexOf(':');
        if (colon < 0 || !settings.complaint().isEmpty()) {
            System.err.println(colon < 0 ? "--to must be HOST:PORT: " + to : settings.complaint());
            return CommandLine.ExitCode.USAGE;
        }
        endWithParent();
        try {
            new Detector(settings, System.out).run(to.substring(0, colon), Integer.parseInt(to.substring(colon + 1)));
            return CommandLine.ExitCode.OK;
        } catch (RuntimeException e) {
            System.err.println(e instanceof NetioException ? e.getMessage() : e.toString());
            return CommandLine.ExitCode.SOFTWARE;
        }
    }

    /** However the parent ends, its end of the pipe closes. */
    private static void endWithParent() {
        Thread.ofPlatform().daemon().name("parent-watch").start(() -> {
            try {
                System.in.transferTo(OutputStream.nullOutputStream());
            } catch (IOException e) {
                // as good as its end
            }
            Runtime.getRuntime().halt(CommandLine.ExitCode.SOFTWARE);
        });
    }

    /**
     * For the demo, which need not know how it was started itself.
     *
     * @param arguments the options
     */
    public static void main(String[] arguments) {
        System.exit(new CommandLine(new DetectorCommand()).execute(arguments));
    }
}
