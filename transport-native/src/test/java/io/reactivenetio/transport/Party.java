// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.loop.EventLoop;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One side of a test: a loop, a backend on it, and callbacks that watch over the contract. What is against it is collected and
 * fails the test in {@link #close}. Every wait is bounded.
 */
final class Party implements BackendCallbacks, AutoCloseable {
    static final Duration BOUND = Duration.ofSeconds(30);

    final EventLoop loop;
    final NetworkBackend backend;
    final Queue<Peer> peers = new ConcurrentLinkedQueue<>();
    final Queue<String> violations = new ConcurrentLinkedQueue<>();
    final Queue<Throwable> reported = new ConcurrentLinkedQueue<>();
    volatile Consumer<Peer> onEstablished = peer -> { };
    volatile Consumer<Peer> onClosed = peer -> { };
    volatile Consumer<Peer> onData = peer -> { };
    volatile Consumer<Peer> onCompleted = peer -> { };

    Party(String name, BackendType type, BackendConfig config) {
        loop = EventLoop.create(name);
        loop.onError(reported::add);
        backend = NetworkBackend.create(type, config, loop, this);
        loop.start();
    }

    ListenEndpoint listen(ConnectionParameters parameters) {
        return backend.openListenEndpoint(new InetSocketAddress(TestSettings.ADDRESS, 0), parameters, null);
    }

    Peer open(InetSocketAddress address, ConnectionParameters parameters) {
        return on(() -> {
            Endpoint endpoint = backend.openActiveEndpoint(address, parameters);
            Peer peer = new Peer(this, endpoint);
            endpoint.attach(peer);
            peers.add(peer);
            return peer;
        });
    }

    Peer connect(InetSocketAddress address, ConnectionParameters parameters) {
        Peer peer = open(address, parameters);
        await(() -> peer.established > 0 || peer.refused > 0);
        assertThat(peer.reason).isNull();
        return peer;
    }

    Peer connect(ListenEndpoint listener, ConnectionParameters parameters) {
        return connect(listener.localAddress(), parameters);
    }

    /** The connection accepted last. */
    Peer accepted() {
        await(() -> !peers.isEmpty());
        Peer last = null;
        for (Peer peer : peers) {
            last = peer;
        }
        return Objects.requireNonNull(last);
    }

    void closeEndpoint(Peer peer) {
        run(() -> backend.closeActiveEndpoint(peer.endpoint));
    }

    <T> T on(Supplier<T> code) {
        if (loop.inEventLoop()) {
            return code.get();
        }
        return CompletableFuture.supplyAsync(code, loop).orTimeout(BOUND.toMillis(), TimeUnit.MILLISECONDS).join();
    }

    void run(Runnable code) {
        on(() -> {
            code.run();
            return true;
        });
    }

    static void await(BooleanSupplier condition) {
        long deadline = System.nanoTime() + BOUND.toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime() - deadline).as("in time").isNegative();
            sleep(1);
        }
    }

    static void sleep(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    void check(boolean holds, String what) {
        if (!holds) {
            violations.add(what);
        }
    }

    private Peer peer(Endpoint endpoint) {
        check(loop.inEventLoop(), "callback on " + Thread.currentThread().getName());
        if (endpoint.attachment() == null) {
            Peer peer = new Peer(this, endpoint);
            endpoint.attach(peer);
            peers.add(peer);
        }
        return (Peer) Objects.requireNonNull(endpoint.attachment());
    }

    @Override
    public void onConnectionEstablished(Endpoint endpoint) {
        Peer peer = peer(endpoint);
        check(peer.refused == 0 && peer.closed == 0 && peer.established == 0, "established: " + peer);
        peer.established++;
        onEstablished.accept(peer);
        peer.pump();
    }

    @Override
    public void onConnectionRefused(Endpoint endpoint, NetioException reason) {
        Peer peer = peer(endpoint);
        check(peer.established == 0 && peer.closed == 0 && peer.refused == 0, "refused: " + peer);
        peer.reason = reason;
        peer.refused++;
    }

    @Override
    public void onConnectionClosed(Endpoint endpoint, List<Integer> cancelled, @Nullable NetioException cause) {
        Peer peer = peer(endpoint);
        check(peer.established == 1 && peer.closed == 0 && peer.refused == 0, "closed: " + peer);
        for (int key : cancelled) {
            check(peer.inFlight.remove(key), "cancelled but not in flight: " + key + " of " + peer);
        }
        check(peer.inFlight.isEmpty(), "never told: " + peer.inFlight + " of " + peer);
        peer.cancelled = cancelled.size();
        peer.cause = cause;
        peer.closed++;
        onClosed.accept(peer);
    }

    @Override
    public void onData(Endpoint endpoint, ReceivedBuffer buffer) {
        Peer peer = peer(endpoint);
        check(peer.established == 1 && peer.closed == 0, "data: " + peer);
        peer.arrived(buffer);
        onData.accept(peer);
    }

    @Override
    public void onSendCompleted(Endpoint endpoint, int key) {
        Peer peer = peer(endpoint);
        check(peer.established == 1 && peer.closed == 0, "completed: " + peer);
        check(peer.inFlight.remove(key), "completed but not in flight: " + key + " of " + peer);
        peer.completed++;
        onCompleted.accept(peer);
    }

    @Override
    public void onResourcesAvailable(Endpoint endpoint) {
        Peer peer = peer(endpoint);
        check(peer.established == 1 && peer.closed == 0, "resources: " + peer);
        peer.resources++;
        peer.pump();
    }

    @Override
    public void close() {
        loop.close();
        assertThat(violations).isEmpty();
        assertThat(reported).isEmpty();
        for (Peer peer : peers) {
            assertThat(peer.refused + peer.closed).as("told its end once: " + peer).isEqualTo(1);
        }
    }
}
