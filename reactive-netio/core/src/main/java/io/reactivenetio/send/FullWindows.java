// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.send;

import java.util.ArrayDeque;

/**
 * The connections whose window is full, of all that share buffers. They wait for acknowledgements, which cannot arrive while no
 * receive is posted. A connection with buffers of its own has an object of its own. Confined to the loop.
 */
public final class FullWindows {
    private final ArrayDeque<Runnable> waiting = new ArrayDeque<>();

    /** Calls back, once, when {@link #wake} is called. The caller must not wait twice. */
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
