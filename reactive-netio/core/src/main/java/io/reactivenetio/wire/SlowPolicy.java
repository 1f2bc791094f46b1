// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.wire;

/** What a subscriber wishes to happen when it is slower than the publisher. */
public enum SlowPolicy {
    /** As the publisher is configured. */
    PUBLISHER(0),
    /** The publisher waits. */
    BACKPRESSURE(1),
    /** What comes next is dropped. */
    DROP_NEWEST(2),
    /** What has waited longest is dropped. */
    DROP_OLDEST(3),
    /** The stream fails. */
    ERROR(4);

    private static final SlowPolicy[] ALL = {PUBLISHER, BACKPRESSURE, DROP_NEWEST, DROP_OLDEST, ERROR};

    final int code;

    SlowPolicy(int code) {
        this.code = code;
    }

    static SlowPolicy of(int code) throws ProtocolException {
        if (code >= ALL.length) {
            throw new ProtocolException("SUBSCRIBE with unknown policy " + code + "; known are 0 to " + (ALL.length - 1));
        }
        return ALL[code];
    }
}
