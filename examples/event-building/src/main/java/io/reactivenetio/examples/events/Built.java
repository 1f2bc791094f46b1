// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.events;

/**
 * What has become of an event, of a fragment that came too late for it, or of fragments that are missing.
 *
 * @param kind what it is
 * @param event the event; of fragments that are missing, the first one
 * @param links the links whose fragments it has, one bit for each
 * @param fragments how many of each
 */
public record Built(Kind kind, long event, int links, long fragments) {
    /** What there is. */
    public enum Kind { COMPLETE, INCOMPLETE, LATE, MISSING }
}
