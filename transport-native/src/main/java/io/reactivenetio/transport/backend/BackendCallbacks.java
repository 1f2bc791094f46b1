// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.backend;

import io.reactivenetio.transport.exceptions.NetioException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a backend tells its owner, always on the loop's thread. An endpoint calls those of its backend until it has its own:
 * {@link Endpoint#callbacks(BackendCallbacks)}. A callback that throws is reported to the loop and ends its own connection,
 * never the loop.
 */
public interface BackendCallbacks {
    /** Takes no notice. */
    BackendCallbacks NONE = new BackendCallbacks() { };

    /** The connection is up, in both directions. */
    default void onConnectionEstablished(Endpoint endpoint, Capabilities capabilities) {
    }

    /** An endpoint opened from here will not be established. The last callback for it. */
    default void onConnectionRefused(Endpoint endpoint, NetioException reason) {
    }

    /**
     * The connection is over; the last callback for it.
     *
     * @param cancelled the sends that were outstanding and will not complete
     * @param cause what broke it, or null when either side closed it
     */
    default void onConnectionClosed(Endpoint endpoint, List<SendKey> cancelled, @Nullable NetioException cause) {
    }

    /** A message arrived. {@code buffer} is valid until this returns, longer only if retained. */
    default void onData(Endpoint endpoint, ReceivedBuffer buffer) {
    }

    /**
     * A send is over, as the level it was sent with defines. Its buffer is free again; in the SAFE model as soon as this returns,
     * so that no other thread uses the key before it is told.
     *
     * @param key the buffer's index or the caller's key, as {@code kind} says
     */
    default void onSendCompleted(Endpoint endpoint, SendKind kind, long key) {
    }

    /**
     * Whether there may be one {@link SendBuffer} and one {@link ReceivedBuffer} for each slot, as long as that lives, instead of
     * a new one of 16 bytes for each loan, and of 24 for each message. It saves that garbage, but whoever keeps one too long then
     * sends, releases or reads what is the next one's. Asked when a connection is made.
     */
    default boolean reusesHandles() {
        return false;
    }

    /** Follows every {@code NO_RESOURCES}, and every {@code getBuffer} that returned null, as soon as trying again can help. */
    default void onResourcesAvailable(Endpoint endpoint) {
    }
}
