// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.request;

import io.reactivenetio.transport.exceptions.MessageTooLargeException;
import io.reactivenetio.transport.exceptions.NetioException;
import io.reactivenetio.transport.exceptions.NetioProtocolException;
import io.reactivenetio.transport.exceptions.NetioStreamException;
import io.reactivenetio.wire.ErrorCode;

/** How a request has ended. The outcomes that users are told are the same, and say more of each. */
public enum RequestEnd {
    ANSWERED,
    REFUSED,
    FAILED,
    CANCELLED,
    LOST;

    /** The end of a request whose Mono fails with {@code error}. */
    static RequestEnd of(Throwable error) {
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

    /** The end of a request that is answered with a message of this status. */
    static RequestEnd ofAnswer(int status) {
        return switch (status) {
            case RequestProtocol.ANSWER, RequestProtocol.EMPTY -> ANSWERED;
            case RequestProtocol.CANCELLED -> CANCELLED;
            default -> FAILED;
        };
    }
}
