// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.pubsub;

import io.reactivenetio.api.Tags;

/**
 * How far a reader has come in the messages of a source. A reader that keeps it can go on from there, see {@link
 * NetioSubscriber#subscribeSequenced(Tags, Position)}.
 *
 * @param run the run of the source; not 0
 * @param sequence the number of the last message that the reader has; -1 if it has none of this run
 */
public record Position(long run, long sequence) {

    /** @throws IllegalArgumentException if the run is 0, or the sequence below -1 */
    public Position {
        if (run == 0 || sequence < -1) {
            throw new IllegalArgumentException("a position has a run other than 0, and a sequence of -1 or more: run " + run
                    + ", sequence " + sequence);
        }
    }
}
