// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.soak;

import java.util.concurrent.atomic.AtomicLong;

/** Decides when a planted fault shows. Any thread. */
final class PlantedFaults {
    static final String NONE = "NONE";

    private final String plant;
    private final int oneIn;
    private final AtomicLong asked = new AtomicLong();
    private final AtomicLong planted = new AtomicLong();

    /** Plants the fault of that name, or {@link #NONE}, once in so many. */
    PlantedFaults(String plant, int oneIn) {
        this.plant = plant;
        this.oneIn = oneIn;
    }

    boolean loses() {
        return shows(Plant.LOSS);
    }

    boolean leaks() {
        return shows(Plant.LEAK);
    }

    boolean forgets() {
        return shows(Plant.FORGOTTEN);
    }

    private boolean shows(Plant one) {
        if (!one.name().equals(plant) || asked.incrementAndGet() % oneIn != 0) {
            return false;
        }
        planted.incrementAndGet();
        return true;
    }

    /** Returns how many faults there were. */
    long planted() {
        return planted.get();
    }
}
