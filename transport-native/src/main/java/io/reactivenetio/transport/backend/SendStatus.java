// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.backend;

/** The immediate outcome of a send. */
public enum SendStatus {
    /** Accepted; the send-completed callback, or the keys of the closed callback, will tell its end exactly once. */
    OK,

    /**
     * The send was not accepted and nothing changed: the caller keeps the buffer, and {@code onResourcesAvailable} will
     * follow.
     */
    NO_RESOURCES,

    /** The send was not accepted and never will be: the endpoint is closing, closed, or broken. The buffer has gone back. */
    FAILED
}
