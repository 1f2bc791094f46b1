// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.flow;

import io.reactivenetio.transport.ConnectionParameters;
import io.reactivenetio.transport.NetioException;
import io.reactivenetio.transport.ReceivedBuffer;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;

/** The two directions of a connection with RAW framing. */
final class RawTraffic implements Traffic {
    private final RawFraming framing;
    private final Inbound inbound;
    private final Outbound outbound;

    RawTraffic(ConnectionFlow connection, RawFraming framing) {
        this.framing = framing;
        ConnectionParameters users = connection.config().parameters();
        inbound = new Inbound(connection, Upstream.NONE, framing.emptyMessageEnds(), users.receiveBuffers());
        outbound = new Outbound(connection.loop(), connection.backend(), connection.endpoint(), connection.counters(),
                framing.parameters(users, true).sendBuffers(), users.sendBufferSize());
    }

    @Override
    public Inbound inbound() {
        return inbound;
    }

    @Override
    public Mono<Void> send(Publisher<? extends ByteBuffer> messages) {
        return new SendMono(outbound, messages, !framing.emptyMessageEnds());
    }

    /** Sends the empty message that ends the stream, where there is one. */
    @Override
    public Mono<Void> completeOutbound() {
        return framing.emptyMessageEnds()
                ? new SendMono(outbound, Mono.fromSupplier(() -> ByteBuffer.allocate(0)), true)
                : Mono.empty();
    }

    /** There is no way to say so. */
    @Override
    public Mono<Void> failOutbound(Throwable reason) {
        return Mono.empty();
    }

    @Override
    public void onData(ReceivedBuffer buffer) {
        inbound.onData(buffer);
        outbound.onMessageReceived();
    }

    @Override
    public void onSendCompleted(int key) {
        outbound.onSendCompleted(key);
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
        inbound.end(complete ? null : ConnectionFlow.aborted(cause, what));
    }
}
