// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.flink;

import java.util.List;
import java.util.Set;

/**
 * What a checkpoint holds of the enumerator.
 *
 * @param known the ids of all splits that there ever were; those that are not among {@code unassigned} are in the readers'
 *     states, or complete
 * @param unassigned the splits that no reader has
 */
public record NetioEnumeratorState(Set<String> known, List<NetioSplit> unassigned) {

    /** Copies both. */
    public NetioEnumeratorState {
        known = Set.copyOf(known);
        unassigned = List.copyOf(unassigned);
    }
}
