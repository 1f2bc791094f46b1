// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.detector;

import java.util.List;

/**
 * What the links have of one event.
 *
 * @param fragments one of each link; less if the event is incomplete, but at least one
 */
record Event(long number, List<Fragment> fragments) {

    boolean isComplete() {
        return fragments.size() == Fragment.LINKS;
    }

    /** How many hits it has. */
    int size() {
        return fragments.stream().mapToInt(fragment -> fragment.hits().length).sum();
    }

    /** When it was triggered, as {@link System#nanoTime} has it. */
    long time() {
        return fragments.getFirst().time();
    }
}
