// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.soak;

import java.util.ArrayList;
import java.util.List;

/** What was seen that must not be, of which the first ones are kept. Any thread. */
final class Faults {
    private static final int KEPT = 5;

    private final List<String> first = new ArrayList<>();
    private long count;

    synchronized void add(String what) {
        count++;
        if (first.size() < KEPT) {
            first.add(what);
        }
    }

    synchronized long count() {
        return count;
    }

    @Override
    public synchronized String toString() {
        return count + " faults" + (first.isEmpty() ? "" : ": " + String.join("; ", first));
    }
}
