// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.cli;

import io.reactivenetio.benchmarks.BenchFailedException;
import io.reactivenetio.transport.exceptions.NetioException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ParameterException;
import reactor.core.Exceptions;

/** Failures in one line each. */
public final class Problems {

    private Problems() {
    }

    /** What Reactor wrapped, if it did. */
    public static Throwable unwrap(Throwable problem) {
        return Exceptions.unwrap(problem);
    }

    /** One line, whatever the message looks like. */
    public static String describe(Throwable problem) {
        String message = problem.getMessage();
        boolean forPeople = problem instanceof NetioException || problem instanceof CliException
                || problem instanceof BenchFailedException || problem instanceof ParameterException;
        String text = message == null ? problem.getClass().getSimpleName()
                : forPeople ? message : problem.getClass().getSimpleName() + ": " + message;
        return text.strip().replaceAll("\\s*\\R\\s*", "; ");
    }

    /** What is wrong with a file, without its name. */
    static String reason(Exception problem) {
        if (problem instanceof NoSuchFileException) {
            return "no such file or directory";
        }
        if (problem instanceof AccessDeniedException) {
            return "permission denied";
        }
        @Nullable String reason = problem instanceof FileSystemException f ? f.getReason() : problem.getMessage();
        return reason == null ? problem.getClass().getSimpleName() : reason;
    }
}
