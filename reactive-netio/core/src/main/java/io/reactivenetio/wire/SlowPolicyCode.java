// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.wire;

/** The codes of a SUBSCRIBE frame for what the subscriber wishes to happen when it is slower than the publisher. */
public final class SlowPolicyCode {
    /** What the publisher is configured to do. */
    public static final int PUBLISHER = 0;
    /** The publisher waits. */
    public static final int BACKPRESSURE = 1;
    /** What comes next is dropped. */
    public static final int DROP_NEWEST = 2;
    /** What has waited longest is dropped. */
    public static final int DROP_OLDEST = 3;
    /** The stream fails. */
    public static final int ERROR = 4;

    private SlowPolicyCode() {
    }

    static boolean isKnown(int code) {
        return code >= PUBLISHER && code <= ERROR;
    }
}
