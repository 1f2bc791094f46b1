// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.conformance;

import org.jspecify.annotations.Nullable;

/** A case has failed, or cannot be run: the message says why, in one line. */
final class CaseFailedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final boolean offered;

    private CaseFailedException(String message, boolean offered, @Nullable Throwable cause) {
        super(message, cause);
        this.offered = offered;
    }

    CaseFailedException(String message) {
        this(message, true, null);
    }

    static CaseFailedException because(Throwable cause) {
        return new CaseFailedException(cause.toString(), true, cause);
    }

    /** The end does not offer what the case needs. */
    static CaseFailedException notOffered(String what) {
        return new CaseFailedException(what, false, null);
    }

    boolean isOffered() {
        return offered;
    }
}
