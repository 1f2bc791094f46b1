// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.wire;

/** The codes of an ERROR frame. Others mean what the text of the frame says. */
public final class ErrorCode {
    /** The answer to CANCEL. */
    public static final int CANCELLED = 1;
    /** The sender's source failed; the text says how. */
    public static final int SOURCE_FAILED = 2;
    /** Nobody serves this tag, or not with this policy. */
    public static final int NOT_SERVED = 3;
    /** A limit is reached; the text says which. */
    public static final int LIMIT = 4;
    /** The subscriber is too slow; the text says for what. */
    public static final int TOO_SLOW = 5;
    /** The peer broke the rules: of a connection only. */
    public static final int BROKEN_RULES = 6;
    /** The side shuts down: nobody has done anything wrong. */
    public static final int SHUT_DOWN = 7;

    private ErrorCode() {
    }
}
