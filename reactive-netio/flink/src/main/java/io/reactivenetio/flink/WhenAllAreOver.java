// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.flink;

import org.apache.flink.api.connector.source.SourceEvent;

/**
 * How the readers of a job without an end agree that it is over all the same, because all streams are complete. One that has
 * nothing to read stays until then: Flink restores no job with a new operator from a state in which some readers have ended.
 */
enum WhenAllAreOver implements SourceEvent {
    /** A reader tells the coordinator: it has no split, and will get none. */
    HAS_NONE,
    /** The coordinator tells the readers: nobody has one. */
    END
}
