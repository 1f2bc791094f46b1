// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.api;

/** What a peer may do with a tag, see {@link NetioAuthorizer}. */
public enum Right {
    /** It receives what is published here with the tag, or sent to its stream. */
    SUBSCRIBE,
    /** This side receives what the peer sends or publishes with the tag. */
    SEND,
    /** The peer's requesters ask this side's responder of the tag. */
    REQUEST,
    /** The peer's responders answer this side's requester of the tag. */
    RESPOND
}
