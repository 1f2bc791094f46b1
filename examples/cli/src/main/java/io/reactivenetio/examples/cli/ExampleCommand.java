// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.cli;

import io.reactivenetio.examples.ladder.Backend;
import io.reactivenetio.examples.ladder.Ladder;
import io.reactivenetio.examples.ladder.Ladder.Example;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Runs one of the small programs of the ladder, or lists them. */
@Command(name = "example", description = {"Run a small program that shows one thing, or list them all.",
    "Each is a class in examples/ladder, whose comment says what to try."})
public final class ExampleCommand implements Callable<Integer> {
    private static final List<String> BACKENDS = List.of("tcp", "libfabric");

    @Parameters(arity = "0..1", paramLabel = "NAME", description = "Which one. Default: list them.")
    private @Nullable String name;

    @Option(names = "--backend", paramLabel = "NAME", defaultValue = "tcp",
            description = "What carries its messages: tcp, plain TCP sockets, or libfabric. Default: ${DEFAULT-VALUE}.")
    private String backend = "tcp";

    /** Called by picocli. */
    public ExampleCommand() {
    }

    @Override
    public Integer call() throws Exception {
        if (!BACKENDS.contains(backend)) {
            throw CliException.usage("--backend " + backend + " is not available; there are tcp and libfabric");
        }
        String wanted = name;
        if (wanted == null) {
            list();
        } else {
            Example example = Ladder.all().stream().filter(each -> each.name().equals(wanted)).findFirst()
                    .orElseThrow(() -> CliException.usage("there is no example " + wanted + "; there are "
                            + String.join(", ", Ladder.all().stream().map(Example::name).toList())));
            System.setProperty(Backend.PROPERTY, backend);
            example.main().run();
        }
        return 0;
    }

    @SuppressWarnings("SystemOut") // the result of a command
    private static void list() {
        Ladder.all().forEach(example ->
                System.out.println(String.format(Locale.ROOT, "%-16s %s", example.name(), example.about())));
    }
}
