// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.benchmarks;

import org.jspecify.annotations.Nullable;

/** Why the benchmark cannot be run to its end, for people. */
public final class BenchFailedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    BenchFailedException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
