// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.request;

import io.reactivenetio.api.RequestOutcome;
import io.reactivenetio.wire.PeerText;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The messages of requesters and responders. The status of a message says what it is, its tag is the number of the request:
 * docs/wire-format.md, "Requests".
 */
final class RequestProtocol {
    // of a requester
    static final int REQUEST = 0;
    static final int CANCEL = 1;
    /** A request with headers before its payload, if both sides can read them. */
    static final int REQUEST_WITH_HEADERS = 6;

    // of a responder; they differ from a requester's, so that two requesters do not take each other's requests for answers
    static final int ANSWER = 2;
    static final int EMPTY = 3;
    static final int ERROR = 4;
    static final int CANCELLED = 5;

    static final ByteBuffer NOTHING = ByteBuffer.allocate(0);
    static final byte[] NO_HEADERS = {};

    private static final int MAX_TEXT = 512;

    private RequestProtocol() {
    }

    /** The payload of an ERROR, cut off after {@value #MAX_TEXT} bytes. */
    static ByteBuffer text(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.wrap(bytes.length <= MAX_TEXT ? bytes : Arrays.copyOf(bytes, MAX_TEXT));
    }

    /** How a request has ended that is answered with a message of this status. */
    static RequestOutcome outcome(int status) {
        return switch (status) {
            case ANSWER, EMPTY -> RequestOutcome.ANSWERED;
            case CANCELLED -> RequestOutcome.CANCELLED;
            default -> RequestOutcome.FAILED;
        };
    }

    /** The text of a peer's ERROR, as it may be shown. */
    static String text(ByteBuffer payload) {
        return PeerText.shown(StandardCharsets.UTF_8.decode(payload).toString());
    }
}
