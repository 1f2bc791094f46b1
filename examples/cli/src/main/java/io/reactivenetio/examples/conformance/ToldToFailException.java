// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.conformance;

/** What a source or responder fails with that was told to. */
final class ToldToFailException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    ToldToFailException() {
        super("failed");
    }
}
