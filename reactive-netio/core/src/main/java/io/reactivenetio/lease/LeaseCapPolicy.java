// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.lease;

/** What becomes of a message that is asked for as a lease when no further receive buffer may be leased. */
public enum LeaseCapPolicy {
    /** The lease is on a copy, and the receive buffer is posted again. */
    COPY,

    /** The message waits in its receive buffer until a lease is given back. */
    WAIT,

    /** The stream fails. */
    ERROR
}
