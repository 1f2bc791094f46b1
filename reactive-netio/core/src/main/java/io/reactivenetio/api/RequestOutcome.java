// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.api;

/** How a request has ended. */
public enum RequestOutcome {
    /** With an answer, which may be empty. */
    ANSWERED,

    /**
     * Without anybody having worked on it: nobody responds to the tag, too many requests wait, the message is too large, or the
     * tag is used otherwise. Requesters only.
     */
    REFUSED,

    /** The responder's function has failed, or one side has broken the rules. */
    FAILED,

    /** The requester has cancelled it, which is also what {@code timeout} does, or its deadline was over. */
    CANCELLED,

    /** The connection or the other side has ended first. */
    LOST
}
