// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.simulated;

import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.loop.LoopPoller;
import io.reactivenetio.simulated.SimulatedNetwork.Reach;
import io.reactivenetio.transport.BackendType;
import io.reactivenetio.transport.SendCompletion;
import io.reactivenetio.transport.backend.Addresses;
import io.reactivenetio.transport.backend.BackendCallbacks;
import io.reactivenetio.transport.backend.BackendChooser;
import io.reactivenetio.transport.backend.BackendConfig;
import io.reactivenetio.transport.backend.ConnectionParameters;
import io.reactivenetio.transport.backend.Endpoint;
import io.reactivenetio.transport.backend.GatherList;
import io.reactivenetio.transport.backend.ListenEndpoint;
import io.reactivenetio.transport.backend.NetworkBackend;
import io.reactivenetio.transport.backend.SendBuffer;
import io.reactivenetio.transport.backend.SendStatus;
import io.reactivenetio.transport.backend.SharedBuffers;
import io.reactivenetio.transport.exceptions.InvalidEndpointAddressException;
import io.reactivenetio.transport.exceptions.NetioConnectException;
import io.reactivenetio.transport.exceptions.NotSupportedException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A backend whose network is played: a {@link SimulatedNetwork}. It checks that it is called as its interface says. Whatever the
 * address, a port is that of the one listener that has it. It is never exclusive, limits neither the connections nor the
 * handshakes of a listener, and ends no connection that keeps shared buffers from others.
 */
public final class SimulatedBackend implements NetworkBackend, LoopPoller {
    private static final int COMPLETIONS_PER_POLL = 16;

    record Listener(SimulatedBackend backend, ListenEndpoint endpoint, ConnectionParameters parameters, BackendChooser chooser) {
    }

    private final SimulatedNetwork network;
    private final BackendType type;
    private final BackendConfig config;
    private final EventLoop loop;
    private final BackendCallbacks callbacks;
    private final Deque<Runnable> completions = new ArrayDeque<>();
    private final Set<SimulatedEndpoint> endpoints = new LinkedHashSet<>();
    private final Map<ListenEndpoint, Listener> listeners = new ConcurrentHashMap<>();
    private final @Nullable SendPool sharedSends;
    private final @Nullable ReceivePool sharedReceives;

    /** A backend on {@code loop}, for whose turns somebody else has to see, also while {@link #isPending}. */
    public SimulatedBackend(SimulatedNetwork network, BackendType type, BackendConfig config, EventLoop loop,
            BackendCallbacks callbacks) {
        this.network = network;
        this.type = type;
        this.config = config;
        this.loop = loop;
        this.callbacks = callbacks;
        SharedBuffers sends = config.sharedSendBuffers();
        sharedSends = sends == null ? null : new SendPool(loop, sends.size(), sends.number());
        SharedBuffers receives = config.sharedReceiveBuffers();
        sharedReceives = receives == null ? null
                : new ReceivePool(network.surroundings(), loop, receives.size(), receives.number());
        loop.onClose(this::close);
        loop.execute(() -> loop.addPoller(this));
    }

    SimulatedNetwork network() {
        return network;
    }

    BackendConfig config() {
        return config;
    }

    EventLoop loop() {
        return loop;
    }

    BackendCallbacks callbacks() {
        return callbacks;
    }

    /** Whether its loop has something to poll. */
    public boolean isPending() {
        return !completions.isEmpty();
    }

    /** Has {@code completion} called back in some turn of the loop. */
    void complete(Runnable completion) {
        boolean first = completions.isEmpty();
        completions.add(completion);
        if (first) {
            network.surroundings().pending(loop);
        }
    }

    @Override
    public int poll() {
        int polled = 0;
        Runnable completion;
        while (polled < COMPLETIONS_PER_POLL && (completion = completions.poll()) != null) {
            polled++;
            completion.run();
            network.surroundings().pause();
        }
        return polled;
    }

    @Override
    public boolean mayWait() {
        return completions.isEmpty();
    }

    SendPool sends(ConnectionParameters parameters) {
        return sharedSends != null ? sharedSends : new SendPool(loop, parameters.sendBufferSize(), parameters.sendBuffers());
    }

    ReceivePool receives(ConnectionParameters parameters) {
        return sharedReceives != null ? sharedReceives
                : new ReceivePool(network.surroundings(), loop, parameters.receiveBufferSize(), parameters.receiveBuffers());
    }

    @Override
    public ListenEndpoint openListenEndpoint(SocketAddress asked, ConnectionParameters parameters,
            @Nullable Object attachment, BackendChooser chooser) {
        InetSocketAddress address = Addresses.inet(asked);
        int port = address.getPort() == 0 ? network.freePort(type) : address.getPort();
        InetAddress host = address.isUnresolved() ? network.addresses(address.getHostString()).getFirst() : address.getAddress();
        ListenEndpoint endpoint = new ListenEndpoint(new InetSocketAddress(host, port), this, attachment);
        Listener listener = new Listener(this, endpoint, parameters, chooser);
        network.listen(type, port, listener);
        listeners.put(endpoint, listener);
        return endpoint;
    }

    @Override
    public Endpoint openActiveEndpoint(SocketAddress asked, ConnectionParameters parameters) {
        requireLoop();
        InetSocketAddress address = Addresses.inet(asked);
        if (address.getPort() == 0) {
            throw new InvalidEndpointAddressException("no port to connect to in " + Addresses.format(address));
        }
        SimulatedEndpoint opened = new SimulatedEndpoint(this, address, null, parameters);
        endpoints.add(opened);
        opened.limitTime();
        network.carry(true, network.surroundings().latencyNanos(true), () -> arrive(opened, parameters));
        return opened.handle();
    }

    @Override
    public CompletableFuture<List<InetSocketAddress>> addressesOf(InetSocketAddress address) {
        return CompletableFuture.completedFuture(network.addresses(address.getHostString()).stream()
                .map(found -> new InetSocketAddress(found, address.getPort())).toList());
    }

    /** The connection request is at the listener. */
    private void arrive(SimulatedEndpoint client, ConnectionParameters parameters) {
        InetSocketAddress to = Addresses.inet(client.handle().remoteAddress());
        Listener listener = network.listener(type, to.getPort());
        Reach reach = to.isUnresolved() ? Reach.ANSWERS : network.reach(type, to.getAddress());
        if (client.isClosed() || reach == Reach.SILENT) {
            return;
        }
        if (listener == null || reach == Reach.REFUSES || listener.backend().loop.isTerminated()) {
            complete(() -> client.close(new NetioConnectException("nobody listens on "
                    + Addresses.format(client.handle().remoteAddress()), null)));
            return;
        }
        listener.backend().complete(() -> listener.backend().accept(listener, client, parameters));
    }

    private void accept(Listener listener, SimulatedEndpoint client, ConnectionParameters parameters) {
        SimulatedBackend chosen = (SimulatedBackend) listener.chooser().choose(client.handle().remoteAddress());
        chosen.complete(() -> {
            if (client.isClosed()) {
                return;
            }
            SimulatedEndpoint accepted = new SimulatedEndpoint(chosen,
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), network.freePort(type)), listener.endpoint(),
                    listener.parameters());
            chosen.endpoints.add(accepted);
            accepted.handle().boundTo(client.handle().remoteAddress());
            client.handle().boundTo(accepted.handle().remoteAddress());
            accepted.pairWith(client);
            accepted.handle().peerSaid(parameters.data());
            client.handle().peerSaid(listener.parameters().data());
            accepted.established();
            accepted.answer();
        });
    }

    void closed(SimulatedEndpoint endpoint) {
        endpoints.remove(endpoint);
        network.closed(endpoint);
    }

    @Override
    public @Nullable SendBuffer getBuffer(Endpoint endpoint) {
        requireLoop();
        return of(endpoint).lend();
    }

    @Override
    public SendStatus sendBuffer(Endpoint endpoint, SendBuffer buffer, SendCompletion level) {
        requireLoop();
        return of(endpoint).send((SendPool.Buffer) buffer, level);
    }

    @Override
    public SendStatus sendZeroCopy(Endpoint endpoint, GatherList message, long key, SendCompletion level) {
        requireLoop();
        return of(endpoint).send(message, key, level);
    }

    @Override
    public SendStatus sendCopy(Endpoint endpoint, ByteBuffer data) {
        throw new NotSupportedException("only the plain TCP backend has sendCopy");
    }

    @Override
    public int freeSendBuffers(Endpoint endpoint) {
        requireLoop();
        return of(endpoint).freeSendBuffers();
    }

    @Override
    public int creditsPosted(Endpoint endpoint) {
        requireLoop();
        return of(endpoint).receives().posted();
    }

    @Override
    public void closeActiveEndpoint(Endpoint endpoint) {
        requireLoop();
        of(endpoint).close(null);
    }

    @Override
    public void closeListenEndpoint(ListenEndpoint endpoint) {
        stopListening(endpoint);
        List.copyOf(endpoints).stream().filter(each -> each.handle().listenEndpoint() == endpoint)
                .forEach(each -> each.close(null));
    }

    @Override
    public void stopListening(ListenEndpoint endpoint) {
        requireLoop();
        Listener listener = listeners.remove(endpoint);
        if (listener != null) {
            network.stopListening(type, listener);
        }
    }

    @Override
    public void close() {
        requireLoop();
        List.copyOf(listeners.keySet()).forEach(this::stopListening);
        List.copyOf(endpoints).forEach(each -> each.close(null));
        loop.atEndOfTurn(() -> loop.removePoller(this));
    }

    private static SimulatedEndpoint of(Endpoint endpoint) {
        return (SimulatedEndpoint) endpoint.implementation();
    }

    private void requireLoop() {
        if (!loop.inEventLoop()) {
            throw new IllegalStateException("a call of the backend from outside its loop");
        }
    }

    @Override
    public String toString() {
        return "simulated backend of " + loop + " with " + config;
    }
}
