// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.kafka;

/**
 * What a sink may request of its upstream: what fits beside what it has taken and what is on its way. How large messages are
 * that have not come is estimated by those that have, the largest of late. So no more than {@value #MOST_EXPECTED} are ever on
 * their way.
 */
final class SinkWindow {
    static final int MOST_EXPECTED = 1_024;

    private static final int FIRST = 64;
    private static final int FORGET = 7;

    private final int mostMessages;
    private final long mostBytes;
    private long outstanding;
    private long held;
    private long heldBytes;
    private long arrived;
    private long estimate = 1_024;

    SinkWindow(int mostMessages, long mostBytes) {
        this.mostMessages = mostMessages;
        this.mostBytes = mostBytes;
    }

    void arrived(int bytes) {
        arrived++;
        held++;
        heldBytes += bytes;
        estimate = Math.max(Math.max(bytes, 1), estimate - (estimate >> FORGET));
    }

    void released(int bytes) {
        outstanding--;
        held--;
        heldBytes -= bytes;
    }

    /** How many to request now; counts them as requested. */
    long next() {
        long expected = outstanding - held;
        long room = Math.min(mostMessages - outstanding, (mostBytes - heldBytes - expected * estimate) / estimate);
        long free = Math.min(room, Math.min(MOST_EXPECTED, FIRST + arrived) - expected);
        if (outstanding == 0 && free < 1) {
            free = 1; // larger than all that may be in flight: then it is alone
        }
        long worthwhile = Math.max(1, Math.min(MOST_EXPECTED, Math.min(mostMessages, mostBytes / estimate)) / 4);
        if (free < 1 || free < worthwhile && expected > 0) {
            return 0;
        }
        outstanding += free;
        return free;
    }

    /** Whether nothing more comes before something is released. */
    boolean isExhausted() {
        return outstanding > 0 && outstanding == held;
    }
}
