// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.eventpage;

import java.util.List;

/**
 * What the page is sent: counts since the start, of which it makes rates.
 *
 * @param seconds when this is, on a clock of its own
 * @param complete events of all links
 * @param incomplete events with some links
 * @param doubled records with a number that was there already
 * @param absent numbers up to the last one that have not come
 * @param lag records that are known to follow
 * @param gaps for each link, how many of the events it is not in
 * @param problem why nothing is read now; empty if something is
 */
record Sample(double seconds, long complete, long incomplete, long doubled, long absent, long lag, List<Long> gaps,
        String problem) {
}
