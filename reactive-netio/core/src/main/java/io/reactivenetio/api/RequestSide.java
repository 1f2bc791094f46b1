// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.api;

/** Which side of a request is meant. */
public enum RequestSide {
    /** The side that asks, with a {@link io.reactivenetio.api.NetioRequester}. */
    REQUESTER,

    /** The side that answers, see {@link io.reactivenetio.api.NetioConnection#respond}. */
    RESPONDER
}
