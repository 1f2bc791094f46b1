// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.flow;

import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.transport.Endpoint;
import io.reactivenetio.transport.NetioAbortedException;
import io.reactivenetio.transport.NetioException;
import io.reactivenetio.transport.NetioFabricException;
import io.reactivenetio.transport.NetioSocketException;
import io.reactivenetio.transport.NetworkBackend;
import io.reactivenetio.transport.ReceivedBuffer;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** One established connection: its two directions, and its end. What is not said to be for any thread is for the loop's. */
public final class ConnectionFlow {
    private final LoopContext context;
    private final NetworkBackend backend;
    private final Endpoint endpoint;
    private final FlowConfig config;
    private final FlowCounters counters = new FlowCounters();
    private final Inbound inbound;
    private final LeaseWindow leases;
    private final Outbound outbound;
    private final Sinks.Empty<Void> closed = Sinks.empty();
    private volatile boolean disposed;
    private volatile boolean over;

    ConnectionFlow(LoopContext context, NetworkBackend backend, Endpoint endpoint, FlowConfig config) {
        this.context = context;
        this.backend = backend;
        this.endpoint = endpoint;
        this.config = config;
        EventLoop loop = context.loop();
        inbound = new Inbound(loop, counters, this::dispose, context.unread(), config.emptyMessageEnds(),
                config.parameters().receiveBuffers());
        leases = new LeaseWindow(loop, counters, config.atLeaseCap(), config.parameters().receiveBuffers(), endpoint,
                inbound::drain);
        outbound = new Outbound(loop, backend, endpoint, counters,
                config.endpointParameters().sendBuffers(), config.parameters().sendBufferSize());
    }

    // ---- any thread

    public InetSocketAddress remoteAddress() {
        return endpoint.remoteAddress();
    }

    public LoopContext context() {
        return context;
    }

    public FlowConfig config() {
        return config;
    }

    public FlowCounters counters() {
        return counters;
    }

    /** Owned copies of the messages. */
    public Flux<ByteBuffer> receive() {
        return inbound.flux(new Decoding<>(ConnectionFlow::copy));
    }

    /** The messages, decoded on the loop while they are in their receive buffers. */
    public <T> Flux<T> receive(Function<? super ByteBuffer, ? extends T> decoder) {
        return inbound.flux(new Decoding<>(CheckedBuffer.guard(decoder)));
    }

    /** Each message as what {@code factory} makes of the state of a lease on it. */
    public <T> Flux<T> receiveLeased(Function<LeaseState, T> factory) {
        return inbound.flux(new Leasing<>(leases, factory, "receiveLeased() at " + CallSite.find()));
    }

    /** The same Flux, whose operators see demand and cancel on the loop, wherever they come from. */
    public <T> Flux<T> staysOnLoop(Flux<T> chain) {
        return StayOnLoop.of(chain, context.loop());
    }

    public Mono<Void> send(Publisher<? extends ByteBuffer> messages) {
        return new SendMono(outbound, messages, !config.emptyMessageEnds());
    }

    /** Sends the empty message that ends the stream, where there is one. */
    public Mono<Void> completeOutbound() {
        return config.emptyMessageEnds()
                ? new SendMono(outbound, Mono.fromSupplier(() -> ByteBuffer.allocate(0)), true)
                : Mono.empty();
    }

    /** Closes the connection if it is not over; sends that are not done fail, messages that wait for demand are dropped. */
    public void dispose() {
        if (disposed) {
            return;
        }
        disposed = true;
        try {
            context.loop().execute(() -> {
                backend.closeActiveEndpoint(endpoint);
                inbound.discard();
            });
        } catch (RejectedExecutionException e) {
            return; // the loop gives back everything when it ends
        }
    }

    public boolean isDisposed() {
        return disposed || over;
    }

    /** Completes when the connection is over, whoever ended it. */
    public Mono<Void> onDispose() {
        return closed.asMono();
    }

    private static ByteBuffer copy(ByteBuffer message) {
        return ByteBuffer.allocate(message.remaining()).put(message).flip();
    }

    // ---- what the backend says, on the loop

    int creditsPosted() {
        return over ? 0 : backend.creditsPosted(endpoint);
    }

    void onData(ReceivedBuffer buffer) {
        if (!disposed) {
            inbound.onData(buffer);
            outbound.onMessageReceived();
        }
    }

    void onSendCompleted(int key) {
        outbound.onSendCompleted(key);
    }

    void onResourcesAvailable() {
        outbound.onResourcesAvailable();
    }

    void onClosed(@Nullable NetioException cause) {
        boolean byUs = disposed;
        over = true;
        String what = endpoint + (cause != null ? " broke" : byUs ? " was closed here" : " was closed by the peer");
        try {
            outbound.close(cause, what);
            endInbound(cause, what, byUs);
        } finally {
            closed.tryEmitEmpty();
        }
    }

    private void endInbound(@Nullable NetioException cause, String what, boolean byUs) {
        if (cause == null && !byUs && config.closeEnds()) {
            inbound.end(null);
        } else {
            boolean broke = cause instanceof NetioFabricException || cause instanceof NetioSocketException;
            inbound.end(cause != null && !broke ? cause
                    : new NetioAbortedException(what + " before the end of the stream", 0, cause));
        }
    }
}
