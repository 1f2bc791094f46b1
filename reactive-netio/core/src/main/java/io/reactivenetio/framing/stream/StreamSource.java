// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.framing.stream;

import org.jspecify.annotations.Nullable;

/**
 * Serves one subscription of the peer. All calls are on the connection's loop. The payloads of its messages must not change after
 * {@link #poll}.
 */
public interface StreamSource {

    /** Called once, before anything else, when the stream is open. */
    void open(StreamSourcePort port);

    /** Called when the peer asks for {@code n} messages more; {@link Long#MAX_VALUE} is without end. */
    void requested(long n);

    /**
     * The next message. Called only if the peer has asked for one. Returns null if there is none until {@link
     * StreamSourcePort#ready}.
     */
    @Nullable SharedMessage poll();

    /** Whether the source has no end of its own, so that a shutdown need not wait for one. */
    default boolean isEndless() {
        return false;
    }

    /**
     * Takes back a message that was polled and is not whole in pages, because the stream ends. Called before {@link #closed}.
     *
     * @param refused whether it is what the stream ends for: the peer cannot take it
     */
    default void unsent(SharedMessage message, boolean refused) {
        // most have nobody else to give it to
    }

    /**
     * Called when this side closes the connection in order, before the peer is told so, and before {@link #closed}. The source
     * says what it has not sent: {@link StreamSourcePort#dropped}.
     */
    default void cut() {
        // most have nothing that anybody counts
    }

    /** Called once when the stream has ended, whoever has ended it. */
    void closed();
}
