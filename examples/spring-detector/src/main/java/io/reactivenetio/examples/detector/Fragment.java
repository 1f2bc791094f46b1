// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.detector;

/**
 * What one link has of one event.
 *
 * @param link its number, from 0 on
 * @param event the number of the event
 * @param time when it was triggered, as {@link System#nanoTime} has it
 * @param hits which channels were hit, 0 to 63, in any order
 */
@SuppressWarnings("ArrayRecordComponent") // nobody compares fragments, nor changes their hits
record Fragment(int link, long event, long time, byte[] hits) {
    /** How many links the detector has. */
    static final int LINKS = 8;

    /** How many channels a link has. */
    static final int CHANNELS = 64;
}
