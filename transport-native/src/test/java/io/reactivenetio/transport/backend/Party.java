// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.backend;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.testing.TestSettings;
import io.reactivenetio.transport.BackendType;
import io.reactivenetio.transport.exceptions.NetioException;
import java.lang.ref.WeakReference;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.WeakHashMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One side of a test: a loop, a backend on it, and callbacks that watch over the contract. What is against it is collected and
 * fails the test in {@link #close}. Every wait is bounded.
 *
 * <p>A SAFE backend is called by the test's own thread and by two senders, each peer having one of them; an UNSAFE one on its
 * loop.
 */
final class Party implements BackendCallbacks, AutoCloseable {
    static final Duration BOUND = TestSettings.patient(Duration.ofSeconds(30));

    final String name;
    final EventLoop loop;
    final BackendConfig config;
    final NetworkBackend backend;
    final boolean safe;
    final Queue<Peer> peers = new ConcurrentLinkedQueue<>();
    final Queue<String> violations = new ConcurrentLinkedQueue<>();
    final Queue<Throwable> reported = new ConcurrentLinkedQueue<>();
    volatile Consumer<Peer> onEstablished = peer -> { };
    volatile Consumer<Peer> onClosed = peer -> { };
    volatile Consumer<Peer> onData = peer -> { };
    volatile Consumer<Peer> onCompleted = peer -> { };
    volatile Consumer<Peer> onResources = peer -> { };
    /** Keeps neither: what is left of a connection that is over and that no test knows must be found to be garbage. */
    private final Map<Endpoint, WeakReference<Peer>> byEndpoint = Collections.synchronizedMap(new WeakHashMap<>());
    private final List<ExecutorService> senders = new ArrayList<>();

    Party(String name, BackendType type, BackendConfig config) {
        this(name, type, config, Combination.Io.EPOLL);
    }

    Party(String name, BackendType type, BackendConfig config, Combination.Io io) {
        this.name = name;
        this.config = config;
        safe = config.threadSafety() == ThreadSafetyModel.SAFE;
        loop = io.loop(name);
        loop.onError(reported::add);
        try {
            backend = NetworkBackend.create(type, config, loop, this);
        } catch (RuntimeException e) {
            loop.close();
            throw e;
        }
        loop.start();
        for (int i = 0; i < 2 && safe; i++) {
            senders.add(Executors.newSingleThreadExecutor(Thread.ofPlatform().daemon().name(name + "-sender-" + i).factory()));
        }
    }

    ListenEndpoint listen(ConnectionParameters parameters) {
        return listen(new InetSocketAddress(TestSettings.ADDRESS, 0), parameters);
    }

    ListenEndpoint listen(SocketAddress address, ConnectionParameters parameters) {
        return backend.openListenEndpoint(address, translate(parameters), null);
    }

    ListenEndpoint listen(ConnectionParameters parameters, BackendChooser chooser) {
        return backend.openListenEndpoint(new InetSocketAddress(TestSettings.ADDRESS, 0), translate(parameters), null, chooser);
    }

    /** With the connections it has spawned; all is done when this returns. */
    void closeListener(ListenEndpoint listener) {
        run(() -> backend.closeListenEndpoint(listener));
        settle();
    }

    /** Waits until the loop has done what it was asked for by calls from this thread, and the senders what the loop asked for. */
    void settle() {
        onLoop(() -> true);
        for (ExecutorService sender : senders) {
            CompletableFuture.runAsync(() -> { }, sender).orTimeout(BOUND.toMillis(), TimeUnit.MILLISECONDS).join();
        }
    }

    /** Where buffers are shared, a connection asks for none of its own. */
    ConnectionParameters translate(ConnectionParameters parameters) {
        ConnectionParameters asked = config.sharedReceiveBuffers() == null ? parameters : parameters.withReceiveBuffers(0, 0);
        return config.sharedSendBuffers() == null ? asked : asked.withSendBuffers(0, 0);
    }

    Peer open(SocketAddress address, ConnectionParameters parameters) {
        if (!safe || loop.inEventLoop()) {
            return on(() -> peer(backend.openActiveEndpoint(address, translate(parameters))));
        }
        Endpoint endpoint = backend.openActiveEndpoint(address, translate(parameters));
        return onLoop(() -> peer(endpoint)); // unless a callback made it already
    }

    Peer connect(SocketAddress address, ConnectionParameters parameters) {
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

    /** A connection to {@code listener}, a listener of {@code other}, and what it is there. */
    Pair connect(Party other, ListenEndpoint listener, ConnectionParameters parameters) {
        List<Peer> before = List.copyOf(other.peers);
        Peer opened = connect(listener, parameters);
        await(() -> other.peers.size() > before.size());
        Peer accepted = other.accepted();
        await(() -> accepted.established == 1);
        return new Pair(opened, accepted);
    }

    /** Both ends of a connection. */
    record Pair(Peer opened, Peer accepted) {
    }

    /** Calls the backend as its thread model allows: from here, or on the loop. */
    <T extends @Nullable Object> T on(Supplier<T> code) {
        return safe || loop.inEventLoop() ? code.get() : onLoop(code);
    }

    void run(Runnable code) {
        on(() -> {
            code.run();
            return true;
        });
    }

    <T extends @Nullable Object> T onLoop(Supplier<T> code) {
        try {
            return CompletableFuture.supplyAsync(code, loop).orTimeout(BOUND.toMillis(), TimeUnit.MILLISECONDS).join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException thrown ? thrown : e;
        }
    }

    /** Has what the stream of a peer does done where it always is: on the loop, at once, or by the peer's sender. */
    void send(Peer peer, Runnable code) {
        if (safe) {
            senders.get((int) (peer.endpoint.id() % senders.size())).execute(() -> watch(code));
        } else {
            code.run();
        }
    }

    private void watch(Runnable code) {
        try {
            code.run();
        } catch (Throwable t) {
            reported.add(t);
        }
    }

    /** Runs {@code code}, which sends to {@code peer}, and may be called on any thread. */
    void sendFromAnywhere(Peer peer, Runnable code) {
        if (safe || loop.inEventLoop()) {
            send(peer, code);
        } else {
            run(code);
        }
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
            Thread.sleep(millis); // a step of a random life
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    void check(boolean holds, String what) {
        if (!holds) {
            violations.add(name + ": " + what);
        }
    }

    private Peer peer(Endpoint endpoint) {
        check(loop.inEventLoop(), "callback on " + Thread.currentThread().getName());
        WeakReference<Peer> known = byEndpoint.get(endpoint);
        Peer peer = known == null ? null : known.get();
        if (peer == null) {
            peer = new Peer(this, endpoint);
            byEndpoint.put(endpoint, new WeakReference<>(peer));
            peers.add(peer);
        }
        return peer;
    }

    @Override
    public void onConnectionEstablished(Endpoint endpoint, Capabilities capabilities) {
        Peer peer = peer(endpoint);
        check(peer.refused == 0 && peer.closed == 0 && peer.established == 0, "established: " + peer);
        peer.capabilities = capabilities;
        peer.established++;
        onEstablished.accept(peer);
        send(peer, peer.out::pump);
    }

    @Override
    public void onConnectionRefused(Endpoint endpoint, NetioException reason) {
        Peer peer = peer(endpoint);
        check(peer.established == 0 && peer.closed == 0 && peer.refused == 0, "refused: " + peer);
        check(endpoint.listenEndpoint() == null, "refused, but accepted: " + peer);
        peer.reason = reason;
        peer.refused++;
    }

    @Override
    public void onConnectionClosed(Endpoint endpoint, List<SendKey> cancelled, @Nullable NetioException cause) {
        Peer peer = peer(endpoint);
        check(peer.established == 1 && peer.closed == 0 && peer.refused == 0, "closed: " + peer);
        for (SendKey key : cancelled) {
            check(peer.out.told(key), "cancelled but not in flight: " + key + " of " + peer);
        }
        check(safe || peer.out.isEmpty(), "never told: " + peer.out + " of " + peer); // a sender may be about to be told FAILED
        peer.cancelled = cancelled.size();
        peer.cause = cause;
        peer.closed++;
        send(peer, peer.out::giveUp);
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
    public void onSendCompleted(Endpoint endpoint, SendKind kind, long key) {
        Peer peer = peer(endpoint);
        check(peer.established == 1 && peer.closed == 0, "completed: " + peer);
        check(peer.out.told(new SendKey(kind, key)), "completed but not in flight: " + key + " of " + peer);
        peer.completed++;
        onCompleted.accept(peer);
    }

    @Override
    public void onResourcesAvailable(Endpoint endpoint) {
        Peer peer = peer(endpoint);
        check(peer.established == 1 && peer.closed == 0, "resources: " + peer);
        peer.resources++;
        onResources.accept(peer);
        send(peer, peer.out::pump);
    }

    @Override
    public void close() {
        loop.close();
        for (ExecutorService sender : senders) {
            sender.shutdown();
            try {
                assertThat(sender.awaitTermination(BOUND.toSeconds(), TimeUnit.SECONDS)).as("senders end").isTrue();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
        assertThat(violations).isEmpty();
        assertThat(reported).isEmpty();
        for (Peer peer : peers) {
            assertThat(peer.refused + peer.closed).as("told its end once: " + peer).isEqualTo(1);
            assertThat(peer.out.isEmpty()).as("every key told: " + peer.out + " of " + peer).isTrue();
        }
    }
}
