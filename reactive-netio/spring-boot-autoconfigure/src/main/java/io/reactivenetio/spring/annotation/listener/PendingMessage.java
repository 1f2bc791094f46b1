// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.annotation.listener;

import io.reactivenetio.spring.security.PeerScope;
import org.jspecify.annotations.Nullable;

/** One message that is to be worked on, and the stream that is asked for another one when it is done. Made as it arrives. */
final class PendingMessage {
    /** Counts messages that are done at once. On the loop. */
    interface Counter {
        void done(boolean handled);
    }

    final Message message;
    final MessageStream stream;
    /** Who has published it. */
    final PeerScope peer;
    /** The turn of the loop that counts it; null once it has left that. */
    @Nullable Counter turn;

    PendingMessage(Message message, MessageStream stream, PeerScope peer) {
        this.message = message;
        this.stream = stream;
        this.peer = peer;
    }
}
