// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.demo.event;

/**
 * What all links saw of one event.
 *
 * @param number its number, or -1 if no fragment has a readable header
 * @param hits hits on all links
 * @param charge what they measured
 * @param damaged fragments that are truncated, corrupted or missing
 * @param aligned whether the readable fragments are of the same event and bunch crossing
 */
public record Event(long number, int hits, long charge, int damaged, boolean aligned) {

    /** Builds the event from one {@link Fragment} of each link. */
    public static Event of(Object[] fragments) {
        long number = -1;
        int crossing = -1;
        int hits = 0;
        long charge = 0;
        int damaged = 0;
        boolean aligned = true;
        for (Object part : fragments) {
            Fragment fragment = (Fragment) part;
            hits += fragment.hits();
            charge += fragment.charge();
            if (fragment.fault() != Fault.NONE) {
                damaged++;
            }
            if (fragment.headerIntact()) {
                aligned &= number < 0 || number == fragment.event() && crossing == fragment.crossing();
                number = fragment.event();
                crossing = fragment.crossing();
            }
        }
        return new Event(number, hits, charge, damaged, aligned);
    }

    public boolean complete() {
        return damaged == 0 && aligned;
    }
}
