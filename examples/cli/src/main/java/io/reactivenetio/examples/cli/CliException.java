// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.cli;

import org.jspecify.annotations.Nullable;

/** Ends a command with one line for the user and an exit code. */
public final class CliException extends RuntimeException {
    /** The exit code when something failed. */
    public static final int FAILURE = 1;

    /** The exit code when the command line makes no sense. */
    public static final int USAGE = 2;

    private static final long serialVersionUID = 1L;

    private final int exitCode;

    /** The message is shown as it is. */
    public CliException(int exitCode, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.exitCode = exitCode;
    }

    /** The command line makes no sense. */
    public static CliException usage(String message) {
        return new CliException(USAGE, message, null);
    }

    /** Something failed. */
    public static CliException failure(String message, Throwable cause) {
        return new CliException(FAILURE, message, cause);
    }

    /** {@link #FAILURE} or {@link #USAGE}. */
    public int exitCode() {
        return exitCode;
    }
}
