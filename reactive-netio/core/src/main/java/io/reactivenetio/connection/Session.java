// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.connection;

import io.reactivenetio.receive.Inbound;
import io.reactivenetio.transport.CompletionLevel;
import io.reactivenetio.transport.ReceivedBuffer;
import io.reactivenetio.transport.SendKind;
import io.reactivenetio.transport.exceptions.NetioException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;

/**
 * What goes over one connection, in both directions, by the rules of its framing. What only some framings can do is asked of
 * {@link TaggedSession}, {@link RegionSession} or the framing's own class. On the loop unless said otherwise.
 */
public interface Session {

    /** The messages for whoever receives on the connection itself. Any thread. */
    Inbound inbound();

    /** Sends on the connection itself, done at {@code level}. Any thread. */
    Mono<Void> send(Publisher<? extends ByteBuffer> messages, CompletionLevel level);

    /** Nothing more will be sent on the connection itself: tells the peer where both sides have agreed on how. Any thread. */
    Mono<Void> completeOutbound();

    void onData(ReceivedBuffer buffer);

    void onSendCompleted(SendKind kind, long key);

    void onResourcesAvailable();

    /** Leases were given back that messages wait for. */
    void resume();

    /** The user has closed the connection: what waits for demand is dropped. */
    void discard();

    /** The connection is over. {@code cause} is null where a side closed it, {@code byUs} where that was this one. */
    void onClosed(@Nullable NetioException cause, String what, boolean byUs);
}
