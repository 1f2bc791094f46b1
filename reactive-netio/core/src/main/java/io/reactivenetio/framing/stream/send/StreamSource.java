// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.framing.stream.send;

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

    /** Called once when the stream has ended, whoever has ended it. */
    void closed();
}
