// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

/** Which side of a request is meant. */
public enum RequestSide {
    /** The side that asks, with a {@link NetioRequester}. */
    REQUESTER,

    /** The side that answers, see {@link NetioConnection#respond}. */
    RESPONDER
}
