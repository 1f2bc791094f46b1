// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.flow;

import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.transport.CompletionLevel;
import io.reactivenetio.transport.Endpoint;
import io.reactivenetio.transport.NetioAbortedException;
import io.reactivenetio.transport.NetioException;
import io.reactivenetio.transport.NetioFabricException;
import io.reactivenetio.transport.NetioSocketException;
import io.reactivenetio.transport.NetworkBackend;
import io.reactivenetio.transport.NotSupportedException;
import io.reactivenetio.transport.ReceivedBuffer;
import io.reactivenetio.transport.SendKind;
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

    ConnectionFlow(LoopContext context, NetworkBackend backend, Endpoint endpoint, FlowConfig config, Siblings siblings) {
        this.context = context;
        this.backend = backend;
        this.endpoint = endpoint;
        this.config = config;
        EventLoop loop = context.loop();
        inbound = new Inbound(loop, counters, this::dispose, context.unread(), config.emptyMessageEnds(),
                config.receiveBuffers());
        leases = new LeaseWindow(loop, counters, config.atLeaseCap(), config.receiveBuffers(), endpoint,
                inbound::drain);
        outbound = new Outbound(loop, backend, endpoint, counters, config.sendBuffers(), config.sendBufferSize(),
                new SliceSlots(config.endpointParameters()), siblings, config.sharesSendBuffers());
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

    /** Done at {@code level}. */
    public Mono<Void> send(Publisher<? extends ByteBuffer> messages, CompletionLevel level) {
        return copying(messages, level, !config.emptyMessageEnds());
    }

    private Mono<Void> copying(Publisher<? extends ByteBuffer> messages, CompletionLevel level, boolean emptyAllowed) {
        return new SendMono<>(messages,
                actual -> new SendSubscriber(outbound, actual, level == CompletionLevel.DELIVERY_COMPLETE, emptyAllowed));
    }

    /** Sends what {@code states} finds in each element, from where it is. */
    public <T> Mono<Void> sendSlices(Publisher<? extends T> slices, CompletionLevel level,
            Function<? super T, SliceState> states) {
        if (config.parameters().region() == null) {
            return Mono.error(() -> new NotSupportedException("this connection was opened without a region: name one with"
                    + " region(…) of its server or client"));
        }
        return new SendMono<>(slices, actual -> new SliceSender<>(outbound, actual, level == CompletionLevel.DELIVERY_COMPLETE,
                !config.emptyMessageEnds(), states));
    }

    /** Sends the empty message that ends the stream, where there is one. */
    public Mono<Void> completeOutbound() {
        return config.emptyMessageEnds()
                ? copying(Mono.fromSupplier(() -> ByteBuffer.allocate(0)), CompletionLevel.DELIVERY_COMPLETE, true)
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

    void onSendCompleted(SendKind kind, long key) {
        outbound.onSendCompleted(kind, key);
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
