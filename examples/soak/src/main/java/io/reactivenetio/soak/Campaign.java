// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.soak;

import java.util.Map;

/** Faults of one kind, which are injected while messages flow. */
interface Campaign {
    /** What {@code --only} is compared with. */
    String name();

    /** What is done, in one sentence. */
    String about();

    /** How many of the thirty minutes of a full run it takes. */
    double share();

    /** What its processes do, by names that no other campaign uses. */
    default Map<String, Role> roles() {
        return Map.of();
    }

    /**
     * Injects its faults for {@link Ground#time()}, and tells the ground what came of each kind by {@link Ground#check}.
     *
     * @throws Exception if it cannot go on, which counts as a fault found
     */
    void run(Ground ground) throws Exception;
}
