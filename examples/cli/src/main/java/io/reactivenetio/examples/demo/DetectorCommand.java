// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.demo;

import io.reactivenetio.transport.exceptions.NetioException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Sinks;

/**
 * The simulated detector, which the demo starts as a process of its own. It prints where it listens, how it is doing, and in the
 * end its tallies; it ends when its standard input says {@value #DONE}, and gives up when that ends.
 */
@Command(name = "detector", hidden = true, description = "The simulated detector of the demo.")
public final class DetectorCommand implements Callable<Integer> {
    /** What the readout says when it has everything. */
    static final String DONE = "done";
    /** Begins the line that says where it listens: port and address. */
    static final String LISTENS = "listens ";

    private static final Duration STATUS_PERIOD = Duration.ofMillis(200);

    @Mixin
    private final DetectorSettings settings = new DetectorSettings();

    @Option(names = "--host", paramLabel = "HOST", required = true, description = "Where to listen.")
    private String host = "";

    /** Made by picocli. */
    public DetectorCommand() {
    }

    @Override
    public Integer call() {
        if (!settings.complaint().isEmpty()) {
            System.err.println(settings.complaint());
            return CommandLine.ExitCode.USAGE;
        }
        Sinks.Empty<Void> done = Sinks.empty();
        obeyParent(done);
        try (Detector detector = new Detector(settings, host, connection -> { })) {
            run(detector, System.out, done);
            return CommandLine.ExitCode.OK;
        } catch (RuntimeException e) {
            System.err.println(e instanceof NetioException ? e.getMessage() : e.toString());
            return CommandLine.ExitCode.SOFTWARE;
        }
    }

    private static void run(Detector detector, PrintStream out, Sinks.Empty<Void> done) {
        out.println(LISTENS + detector.address().getPort() + " " + detector.address().getAddress().getHostAddress());
        Disposable reporting = Flux.interval(STATUS_PERIOD).onBackpressureDrop()
                .subscribe(t -> out.println(detector.status().line()));
        try {
            detector.published().block();
        } finally {
            reporting.dispose();
        }
        out.println(detector.status().line());
        detector.tallies().forEach(tally -> out.println(tally.line()));
        out.flush();
        done.asMono().block(); // the last fragments are still under way
    }

    /** However the parent ends, its end of the pipe closes. */
    private static void obeyParent(Sinks.Empty<Void> done) {
        Thread.ofPlatform().daemon().name("parent-watch").start(() -> {
            try (BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII))) {
                if (DONE.equals(in.readLine())) {
                    done.tryEmitEmpty();
                    return;
                }
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
