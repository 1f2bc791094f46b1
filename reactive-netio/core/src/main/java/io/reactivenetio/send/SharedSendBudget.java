// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.send;

import java.util.ArrayDeque;

/**
 * What the sending sides of connections with shared buffers have to know of each other: how many send buffers wait for
 * acknowledgements, and which connections wait until there are fewer, or until no receive is posted. A connection with buffers of
 * its own has a budget of its own. Confined to the loop.
 */
public final class SharedSendBudget {
    private final int mostUnacknowledged;
    private final ArrayDeque<Runnable> waiting = new ArrayDeque<>();
    private int unacknowledged;

    /**
     * Lets at most {@code mostUnacknowledged} send buffers of all connections wait for an acknowledgement while more messages can
     * follow.
     */
    public SharedSendBudget(int mostUnacknowledged) {
        this.mostUnacknowledged = mostUnacknowledged;
    }

    /** Whether one more buffer may wait for an acknowledgement. */
    boolean admits() {
        return unacknowledged < mostUnacknowledged;
    }

    void waitForAcknowledgement(int change) {
        unacknowledged += change;
        if (change < 0) {
            wake();
        }
    }

    /** Calls back, once, when fewer buffers wait or {@link #wake} is called. The caller must not wait twice. */
    void await(Runnable wake) {
        waiting.add(wake);
    }

    boolean someoneWaits() {
        return !waiting.isEmpty();
    }

    /** Calls back all that wait. */
    void wake() {
        Runnable next;
        while ((next = waiting.poll()) != null) {
            next.run();
        }
    }
}
