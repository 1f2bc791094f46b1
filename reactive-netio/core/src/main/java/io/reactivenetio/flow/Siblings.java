// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.flow;

import java.util.ArrayDeque;

/**
 * What the sending sides of connections that share buffers have to know of each other: how many send buffers wait for
 * acknowledgements, and who waits for that to change, or for the receive buffers to be used up. A connection whose buffers are
 * all its own is alone in this. Confined to the loop.
 */
final class Siblings {
    private final int mostVouching;
    private final ArrayDeque<Outbound> waiting = new ArrayDeque<>();
    private int vouching;

    /** At most so many send buffers of all together wait for an acknowledgement while more can follow. */
    Siblings(int mostVouching) {
        this.mostVouching = mostVouching;
    }

    /** Whether one more may wait for an acknowledgement. */
    boolean admits() {
        return vouching < mostVouching;
    }

    void vouching(int change) {
        vouching += change;
        if (change < 0) {
            wake();
        }
    }

    /** Schedules {@code outbound} when there is something new. The caller sees to it that it is there once. */
    void await(Outbound outbound) {
        waiting.add(outbound);
    }

    boolean someoneWaits() {
        return !waiting.isEmpty();
    }

    /** Has all look again that wait. */
    void wake() {
        Outbound outbound;
        while ((outbound = waiting.poll()) != null) {
            outbound.wake();
        }
    }
}
