// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.benchmarks;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** How many rounds, how long, and in which form they are told: what all commands that measure take. For picocli's Mixin. */
public final class RoundOptions {
    @Option(names = "--rounds", paramLabel = "N", description = "Rounds of each. Default: 5.")
    private @Nullable Integer rounds;

    @Option(names = "--seconds", paramLabel = "S", description = "Measured in each round, after a warm-up. Default: 1.")
    private @Nullable Double seconds;

    @Option(names = "--quick", description = "Only see that it works: short rounds, few of them.")
    private boolean quick;

    @Option(names = "--json", description = "JSON on stdout, with every round, and nothing else there; null where nothing was"
            + " measured.")
    private boolean json;

    @Spec(Spec.Target.MIXEE)
    private @Nullable CommandSpec spec;

    /** Creates options of which none is given yet. */
    public RoundOptions() {
        // picocli fills the fields
    }

    public boolean quick() {
        return quick;
    }

    public boolean json() {
        return json;
    }

    /** One where it is quick, unless said otherwise. */
    public int rounds() {
        check(rounds == null || rounds >= 1 && rounds <= 1000, "--rounds must be between 1 and 1000");
        return rounds != null ? rounds : quick ? 1 : 5;
    }

    /** Returns the milliseconds of each round; where it is quick, {@code otherwise} unless said. */
    public long millis(long otherwise) {
        check(seconds == null || seconds >= 0.01 && seconds <= 600, "--seconds must be between 0.01 and 600");
        return seconds != null ? Math.round(seconds * 1000) : quick ? otherwise : 1000;
    }

    /** Ends the command with exit code 2 and {@code problem} unless {@code holds}. */
    public void check(boolean holds, String problem) {
        if (!holds && spec != null) {
            throw new ParameterException(spec.commandLine(), problem);
        }
    }

    /** A line for people. */
    public void say(String line) {
        if (!json) {
            print(line);
        }
    }

    /** A line of the result. */
    @SuppressWarnings("SystemOut") // the result of a command
    public void print(String line) {
        System.out.println(line);
        System.out.flush();
    }
}
