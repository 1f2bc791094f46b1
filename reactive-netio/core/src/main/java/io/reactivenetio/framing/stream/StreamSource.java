// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.framing.stream;

import org.jspecify.annotations.Nullable;

/** What one subscription of the peer's is served with. All calls are on the connection's loop. */
public interface StreamSource {

    /** It is open. Once, before anything else. */
    void open(StreamSourcePort port);

    /** The peer wants {@code n} messages more; {@link Long#MAX_VALUE} is without end. */
    void requested(long n);

    /** The next message, which the peer has asked for; null if there is none until {@link StreamSourcePort#ready}. */
    @Nullable SharedMessage poll();

    /** Whether it has no end of its own, so that a shutdown need not wait for one. */
    default boolean isEndless() {
        return false;
    }

    /** Nothing more is wanted, whoever has ended it. Once. */
    void closed();
}
