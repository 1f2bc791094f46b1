// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.benchmarks;

import picocli.CommandLine;
import picocli.CommandLine.ExitCode;

/** Runs a benchmark command as the whole program. */
public final class BenchMain {

    private BenchMain() {
    }

    /** Runs {@code command} and exits with its code; why it cannot go on is said in a line. */
    public static void run(Object command, String... args) {
        System.exit(new CommandLine(command).setExecutionExceptionHandler((problem, failed, line) -> {
            if (problem instanceof BenchFailedException) {
                failed.getErr().println("netio: " + problem.getMessage());
                return ExitCode.SOFTWARE;
            }
            throw problem;
        }).execute(args));
    }
}
