// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.annotation.listener;

import io.reactivenetio.spring.security.PeerScope;

/** One message that is to be worked on, and the stream that is asked for another one when it is done. Made as it arrives. */
final class PendingMessage {
    final Message message;
    final MessageStream stream;
    /** Who has published it. */
    final PeerScope peer;
    int attempts;
    /** When the work on it has begun, if somebody wants to know. */
    long begunNanos;

    PendingMessage(Message message, MessageStream stream) {
        this.message = message;
        this.stream = stream;
        this.peer = stream.peer();
    }
}
