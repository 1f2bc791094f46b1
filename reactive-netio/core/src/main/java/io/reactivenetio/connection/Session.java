// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.connection;

import io.reactivenetio.receive.Inbound;
import io.reactivenetio.send.MessageFields;
import io.reactivenetio.send.SliceState;
import io.reactivenetio.transport.CompletionLevel;
import io.reactivenetio.transport.ReceivedBuffer;
import io.reactivenetio.transport.SendKind;
import io.reactivenetio.transport.exceptions.NetioException;
import java.nio.ByteBuffer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;

/** What goes over one connection, in both directions, by the rules of its framing. On the loop unless said otherwise. */
public interface Session {

    /** The messages for whoever receives on the connection itself. Any thread. */
    Inbound inbound();

    /** Sends on the connection itself, done at {@code level}. Any thread. */
    Mono<Void> send(Publisher<? extends ByteBuffer> messages, CompletionLevel level);

    /** Sends each element under its tag and with its status. Any thread. */
    <T> Mono<Void> sendTagged(Publisher<? extends T> messages, CompletionLevel level, MessageFields<? super T> packing);

    /** Sends what {@code states} finds in each element, from where it is. Any thread. */
    <T> Mono<Void> sendSlices(Publisher<? extends T> slices, CompletionLevel level, Function<? super T, SliceState> states);

    /** Nothing more will be sent on the connection itself. Any thread. */
    Mono<Void> completeOutbound();

    /** As {@link #completeOutbound}, but for a reason, which the peer is told where the framing can. Any thread. */
    Mono<Void> failOutbound(Throwable reason);

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
