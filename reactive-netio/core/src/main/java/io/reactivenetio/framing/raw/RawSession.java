// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.framing.raw;

import io.reactivenetio.api.RegionSlice;
import io.reactivenetio.connection.Connection;
import io.reactivenetio.connection.ConnectionConfig;
import io.reactivenetio.connection.RegionSession;
import io.reactivenetio.receive.DemandListener;
import io.reactivenetio.receive.Inbound;
import io.reactivenetio.receive.SingleMessage;
import io.reactivenetio.send.CopySender;
import io.reactivenetio.send.Outbound;
import io.reactivenetio.send.SendMono;
import io.reactivenetio.send.SliceSender;
import io.reactivenetio.transport.SendCompletion;
import io.reactivenetio.transport.backend.ReceivedBuffer;
import io.reactivenetio.transport.backend.SendKind;
import io.reactivenetio.transport.exceptions.NetioException;
import io.reactivenetio.transport.exceptions.NotSupportedException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;

/**
 * The two directions of a connection with RAW framing, in which each message has a buffer of its own: the {@link Inbound} has
 * those that wait for demand, the {@link Outbound} those that are sent. On the loop, unless said otherwise: {@link #inbound},
 * {@link #largestMessage} and what makes a Mono are for any thread.
 */
final class RawSession implements RegionSession {
    private final RawProvider framing;
    private final ConnectionConfig config;
    private final Inbound inbound;
    private final Outbound outbound;
    /** One Mono for all subscribers: each completes when the peer knows. */
    private final Mono<Void> completion;
    /** The message that arrives; one that has to wait is the inbound's. */
    private SingleMessage message = new SingleMessage();

    RawSession(Connection connection, RawProvider framing) {
        this.framing = framing;
        config = connection.config();
        inbound = connection.inbound(DemandListener.NONE, config.receiveBuffers());
        outbound = connection.outbound();
        completion = framing.emptyMessageEnds()
                ? Mono.defer(() -> // made when it is wanted: one that nobody wants is no forgotten send
                copying(Mono.fromSupplier(() -> ByteBuffer.allocate(0)), SendCompletion.DELIVERED, true)).cache()
                : Mono.empty();
    }

    @Override
    public Inbound inbound() {
        return inbound;
    }

    @Override
    public int largestMessage() {
        return outbound.bufferSize();
    }

    @Override
    public Mono<Void> send(Publisher<? extends ByteBuffer> messages, SendCompletion level) {
        return copying(messages, level, !framing.emptyMessageEnds());
    }

    private Mono<Void> copying(Publisher<? extends ByteBuffer> messages, SendCompletion level, boolean emptyAllowed) {
        return new SendMono<>(messages,
                actual -> new CopySender(outbound, actual, level == SendCompletion.DELIVERED, emptyAllowed));
    }

    @Override
    public Mono<Void> sendSlices(Publisher<? extends RegionSlice> slices, SendCompletion level) {
        if (config.parameters().region() == null) {
            return Mono.error(() -> new NotSupportedException("this connection was opened without a region: name one with"
                    + " region(…) of its server or client"));
        }
        return new SendMono<>(slices, actual -> new SliceSender(outbound, actual, level == SendCompletion.DELIVERED,
                !framing.emptyMessageEnds()));
    }

    /** Sends the empty message that ends the stream, if both sides have agreed on that. */
    @Override
    public Mono<Void> completeOutbound() {
        return completion;
    }

    @Override
    public void onData(ReceivedBuffer buffer) {
        if (framing.emptyMessageEnds() && buffer.length() == 0) {
            inbound.end(null);
        } else if (!inbound.onRun(message.begin(buffer))) {
            inbound.hold(message.keep());
            message = new SingleMessage();
        }
        outbound.onMessageReceived();
    }

    @Override
    public void onSendCompleted(SendKind kind, long key) {
        outbound.onSendCompleted(kind, key);
    }

    @Override
    public void onResourcesAvailable() {
        outbound.onResourcesAvailable();
    }

    @Override
    public void resume() {
        inbound.drain();
    }

    @Override
    public void discard() {
        inbound.discard();
    }

    @Override
    public void onClosed(@Nullable NetioException cause, String what, boolean byUs) {
        outbound.close(cause, what);
        boolean complete = cause == null && !byUs && framing.closeEnds();
        inbound.end(complete ? null : Connection.aborted(cause, what));
    }
}
