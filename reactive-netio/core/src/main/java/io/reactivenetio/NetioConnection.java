// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import io.reactivenetio.flow.ConnectionFlow;
import io.reactivenetio.flow.FlowCounters;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.function.Function;
import org.reactivestreams.Publisher;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

/**
 * An established connection, in both directions. All its signals come on one loop thread; its methods are for any thread.
 *
 * <p>Its buffers are native memory: {@link #dispose} gives them back. A connection whose peer has gone keeps the messages that
 * had arrived until they are received or it is disposed of.
 */
public final class NetioConnection implements NetioInbound, NetioOutbound, Disposable {
    private final ConnectionFlow flow;

    NetioConnection(ConnectionFlow flow) {
        this.flow = flow;
    }

    @Override
    public Flux<ByteBuffer> receive() {
        return flow.receive();
    }

    @Override
    public <T> Flux<T> receive(Function<? super ByteBuffer, ? extends T> decoder) {
        return flow.receive(decoder);
    }

    @Override
    public Flux<Lease> receiveLeased() {
        return flow.receiveLeased(Lease::of);
    }

    @Override
    public <R> Flux<R> receiveLeased(Function<? super Flux<Lease>, ? extends Publisher<R>> chain) {
        Publisher<R> result = chain.apply(receiveLeased());
        return DiscardedLeases.closed(flow.staysOnLoop(Flux.from(result)));
    }

    @Override
    public Mono<Void> send(Publisher<? extends ByteBuffer> messages) {
        return flow.send(messages);
    }

    @Override
    public Mono<Void> completeOutbound() {
        return flow.completeOutbound();
    }

    ConnectionFlow flow() {
        return flow;
    }

    /** Where the peer is. */
    public InetSocketAddress remoteAddress() {
        return flow.remoteAddress();
    }

    /** Runs tasks on this connection's loop. Others share it: disposing of it does nothing, its workers are the caller's. */
    public Scheduler scheduler() {
        return flow.context().scheduler();
    }

    /** A snapshot of the counters. */
    public ConnectionStatistics statistics() {
        FlowCounters c = flow.counters();
        return new ConnectionStatistics(c.receivedMessages(), c.receivedBytes(), c.sentMessages(), c.sentBytes(),
                c.noResources(), c.heldBuffers(), flow.config().parameters().receiveBuffers(), c.heldBytes(), c.maxHeldBytes(),
                c.leasedBuffers(), c.leasedCopies(), c.leaseCopies());
    }

    /**
     * Closes the connection now. Sends that have not completed fail, messages that wait for demand are dropped: whoever cares
     * waits for the completion of {@link #send} first.
     */
    @Override
    public void dispose() {
        flow.dispose();
    }

    @Override
    public boolean isDisposed() {
        return flow.isDisposed();
    }

    /** Completes when the connection is over, whichever side ended it. */
    public Mono<Void> onDispose() {
        return flow.onDispose();
    }

    @Override
    public String toString() {
        return "connection with " + flow.remoteAddress();
    }
}
