// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.demo.event;

/** What is wrong with a fragment. */
public enum Fault {
    NONE,

    /** Shorter than it says, or than a header. */
    TRUNCATED,

    /** Bits are not as they were sent. */
    CORRUPTED,

    /** It never arrived. */
    MISSING
}
