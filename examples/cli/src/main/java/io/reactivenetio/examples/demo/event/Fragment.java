// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.demo.event;

/**
 * What one link saw of one event.
 *
 * @param link the link's number
 * @param event the event's number; with link, crossing and status it is -1 if the header cannot be believed
 * @param crossing the bunch crossing in the orbit of the accelerator, 0 to 3563
 * @param status bit 0: the detector was busy
 * @param hits how many channels were hit; 0 if damaged
 * @param charge the sum of what they measured; 0 if damaged
 * @param fault what is wrong with it
 */
public record Fragment(int link, long event, int crossing, int status, int hits, long charge, Fault fault) {
    /** Bunch crossings in one orbit. */
    public static final int CROSSINGS = 3564;

    public static Fragment unreadable(Fault fault) {
        return new Fragment(-1, -1, -1, -1, 0, 0, fault);
    }

    public boolean headerIntact() {
        return event >= 0;
    }

    /** The crossing that event {@code event} belongs to. */
    public static int crossingOf(long event) {
        return (int) (event * 7 % CROSSINGS);
    }
}
