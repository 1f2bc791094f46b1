// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.send;

import io.reactivenetio.counters.ConnectionCounters;

/** Counts how often a connection has run out of send buffers or zero-copy sends. On the loop. */
final class NoResources {
    private final ConnectionCounters counters;
    private boolean starving;

    NoResources(ConnectionCounters counters) {
        this.counters = counters;
    }

    /** Notes that none is free. */
    void starve() {
        if (!starving) {
            starving = true;
            counters.countNoResources();
        }
    }

    /** Notes that some may be free again. */
    void end() {
        starving = false;
    }
}
