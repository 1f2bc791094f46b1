// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.send;

import java.util.ArrayDeque;

/**
 * What the sending sides of connections that share buffers have to know of each other: how many send buffers wait for
 * acknowledgements, and who waits for that to change, or for the receive buffers to be used up. A connection whose buffers are
 * all its own is alone in this. Confined to the loop.
 */
public final class SharedSendBudget {
    private final int mostUnacknowledged;
    private final ArrayDeque<Runnable> waiting = new ArrayDeque<>();
    private int unacknowledged;

    /** At most so many send buffers of all together wait for an acknowledgement while more can follow. */
    public SharedSendBudget(int mostUnacknowledged) {
        this.mostUnacknowledged = mostUnacknowledged;
    }

    /** Whether one more may wait for an acknowledgement. */
    boolean admits() {
        return unacknowledged < mostUnacknowledged;
    }

    void waitForAcknowledgement(int change) {
        unacknowledged += change;
        if (change < 0) {
            wake();
        }
    }

    /** Calls back when there is something new. The caller sees to it that it waits once. */
    void await(Runnable wake) {
        waiting.add(wake);
    }

    boolean someoneWaits() {
        return !waiting.isEmpty();
    }

    /** Has all look again that wait. */
    void wake() {
        Runnable next;
        while ((next = waiting.poll()) != null) {
            next.run();
        }
    }
}
