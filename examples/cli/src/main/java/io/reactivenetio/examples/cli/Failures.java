// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.cli;

import java.util.List;
import java.util.function.BooleanSupplier;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * Runs a program of commands: every failure is one line on stderr, and an exit code.
 *
 * @param verbose whether stack traces are wanted, asked when something has failed
 */
public record Failures(BooleanSupplier verbose) {
    private static final String UNWRITTEN = "the result could not be written to standard output: it is full, or closed";

    /** Runs what the arguments ask for, and returns the exit code: a result that could not be written is a failure, too. */
    @SuppressWarnings("SystemOut") // stdout is where a command's results go
    public int run(Object program, String... args) {
        CommandLine line = new CommandLine(program)
                .setParameterExceptionHandler((problem, given) -> usage(problem))
                .setExecutionExceptionHandler((problem, command, parsed) -> failed(problem));
        try {
            int code = line.execute(args);
            return code == 0 && System.out.checkError() ? failed(new CliException(CliException.FAILURE, UNWRITTEN, null)) : code;
        } catch (OutOfMemoryError e) {
            return failed(e);
        }
    }

    private int usage(ParameterException problem) {
        String what = problem instanceof UnmatchedArgumentException unmatched
                ? "no such command or option here: " + String.join(" ", strangers(unmatched.getUnmatched()))
                : Problems.describe(problem);
        report(problem, what + " (see: " + problem.getCommandLine().getCommandSpec().qualifiedName()
                + " --help)");
        return CliException.USAGE;
    }

    /** The options among what is unmatched, if there are any: what follows them may be theirs. */
    private static List<String> strangers(List<String> unmatched) {
        List<String> options = unmatched.stream().filter(word -> word.startsWith("-") && word.length() > 1).toList();
        return options.isEmpty() ? unmatched : options;
    }

    private int failed(Throwable problem) {
        Throwable cause = Problems.unwrap(problem);
        report(cause, Problems.describe(cause));
        return cause instanceof CliException known ? known.exitCode() : CliException.FAILURE;
    }

    @SuppressWarnings("SystemOut") // stderr is where a command's failures go
    private void report(Throwable problem, String line) {
        System.out.flush();
        System.err.println("netio: " + line);
        if (verbose.getAsBoolean()) {
            problem.printStackTrace();
        }
    }
}
