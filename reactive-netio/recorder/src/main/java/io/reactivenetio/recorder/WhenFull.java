// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.recorder;

/**
 * What a recorder does when its limit is reached or its disk is full. Whatever it does, what was acknowledged stays, but for the
 * segments that DELETE_OLDEST deletes.
 */
public enum WhenFull {
    /** Deletes the oldest segments. If only the one that is written is left, and the disk is still full, it waits. */
    DELETE_OLDEST,
    /**
     * Asks its sources for nothing more until there is room: until segments are too old, or somebody has moved some away. It
     * looks again five times per second.
     */
    WAIT,
    /** Fails its recordings. They can be subscribed to again when there is room. */
    FAIL
}
