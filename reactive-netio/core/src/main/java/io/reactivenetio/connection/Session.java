// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.connection;

import io.reactivenetio.receive.Inbound;
import io.reactivenetio.transport.SendCompletion;
import io.reactivenetio.transport.backend.ReceivedBuffer;
import io.reactivenetio.transport.backend.SendKind;
import io.reactivenetio.transport.exceptions.NetioException;
import io.reactivenetio.wire.ProtocolException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;

/**
 * The two directions of one connection, by the rules of its framing. What only some framings can do has interfaces of its own,
 * {@link TaggedSession} and {@link RegionSession}, or is in the framing's own class. On the loop, unless said otherwise.
 */
public interface Session {

    /** The messages that arrive for the connection itself, and not for one of its streams. Any thread. */
    Inbound inbound();

    /** The size of the largest message that can be sent, in bytes; its status is 0 if it has one. Any thread. */
    int largestMessage();

    /** Sends on the connection itself. The Mono completes at {@code level}. The elements are copied. Any thread. */
    Mono<Void> send(Publisher<? extends ByteBuffer> messages, SendCompletion level);

    /** Tells the peer that nothing more will be sent on the connection itself, if both sides have agreed on how. Any thread. */
    Mono<Void> completeOutbound();

    void onData(ReceivedBuffer buffer);

    /**
     * Tells {@code frames} of all that {@code buffer} has between position and limit: what was received or is to be sent. Without
     * frames, that is one message. Any thread.
     *
     * @throws ProtocolException if the rest cannot be read
     */
    default void describe(ByteBuffer buffer, FrameListener frames) throws ProtocolException {
        frames.frame("message", buffer.position(), buffer.remaining());
    }

    void onSendCompleted(SendKind kind, long key);

    void onResourcesAvailable();

    /** Called when leases were given back, which messages may have waited for. */
    void resume();

    /** Called when the user has closed the connection: drops the messages that wait for demand. */
    void discard();

    /**
     * Called when the connection is over. {@code cause} is null if a side closed it, {@code byUs} is true if that was this side.
     */
    void onClosed(@Nullable NetioException cause, String what, boolean byUs);

    /** Why the connection is over: what the session knows of it, or else {@code cause}. */
    default @Nullable NetioException reason(@Nullable NetioException cause) {
        return cause;
    }
}
