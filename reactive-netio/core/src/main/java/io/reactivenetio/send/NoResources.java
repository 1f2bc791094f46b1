// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.send;

import io.reactivenetio.counters.ConnectionCounters;

/** Counts each time that a connection has no send buffer, or no zero-copy send, where it had some before. On the loop. */
final class NoResources {
    private final ConnectionCounters counters;
    private boolean starving;

    NoResources(ConnectionCounters counters) {
        this.counters = counters;
    }

    /** There is none at the moment. */
    void starve() {
        if (!starving) {
            starving = true;
            counters.countNoResources();
        }
    }

    /** There may be some again. */
    void end() {
        starving = false;
    }
}
