// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import io.reactivenetio.transport.exceptions.MessageTooLargeException;
import io.reactivenetio.transport.exceptions.NetioException;
import io.reactivenetio.transport.exceptions.NetioProtocolException;
import io.reactivenetio.transport.exceptions.NetioStreamException;
import io.reactivenetio.wire.ErrorCode;

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

    /** The requester has cancelled it, which is also what {@code timeout} does. */
    CANCELLED,

    /** The connection or the other side has ended first. */
    LOST;

    /** The outcome of a request whose Mono fails with {@code error}. */
    static RequestOutcome of(Throwable error) {
        if (error instanceof NetioStreamException ended) {
            return switch (ended.code()) {
                case ErrorCode.NOT_SERVED, ErrorCode.LIMIT -> REFUSED;
                case ErrorCode.SHUT_DOWN -> LOST;
                default -> FAILED;
            };
        }
        if (error instanceof MessageTooLargeException || error instanceof IllegalStateException) { // with overflows
            return REFUSED;
        }
        return error instanceof NetioException && !(error instanceof NetioProtocolException) ? LOST : FAILED;
    }

    /** The outcome of a request that is answered with a message of this status. */
    static RequestOutcome ofAnswer(int status) {
        return switch (status) {
            case RequestProtocol.ANSWER, RequestProtocol.EMPTY -> ANSWERED;
            case RequestProtocol.CANCELLED -> CANCELLED;
            default -> FAILED;
        };
    }
}
