// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.test;

import io.reactivenetio.NetioClient;
import io.reactivenetio.NetioServer;
import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.pubsub.NetioPublisher;
import io.reactivenetio.pubsub.NetioSubscriber;
import io.reactivenetio.transport.BackendType;
import io.reactivenetio.transport.backend.ConnectionParameters;
import io.reactivenetio.transport.exceptions.NetioException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A server and a client that are connected, for tests of your own pipelines. {@link #server} and {@link #client} are the two ends
 * of the connection. {@link #close} ends everything, and fails the test if something is left.
 *
 * <p>{@link #loopback} is plain TCP on 127.0.0.1. Each end has a loop and a thread of its own, and everything is as it is in
 * earnest. {@link #inMemory} has no sockets and no threads. Whatever can happen at once happens within the call that brings it
 * about, on the caller's thread: when {@code subscribe} returns, what the peer sends has arrived. What takes time, a time-out or
 * a back-off, happens when time is moved: by {@link #advance}, or by Reactor's {@code VirtualTimeScheduler} while a test has
 * enabled that, as {@code StepVerifier.withVirtualTime} does. So ten minutes take milliseconds, and each run is like the other.
 * Neither needs libfabric; both need {@code --enable-native-access}, as the library does.
 *
 * <p>All methods may be called on any thread. A pair in memory, like Reactor's virtual time, is best used by one: signals come on
 * the thread that has given a loop work, and callbacks must not wait for another call of the test. What is held by a lock of
 * yours while you call the library may be entered again by a callback, because it comes on the same thread.
 */
public final class NetioTestPair implements AutoCloseable {

    /** One of the two ends. */
    public enum Side { SERVER, CLIENT }

    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final Ground ground;
    private final Queue<Throwable> errors;
    private final PairConnections connections = new PairConnections();
    private final Duration closeTimeout;
    private final boolean publishes;
    private final DisposableServer listening;
    private final NetioClient connecting;
    private final NetioConnection server;
    private final NetioConnection client;
    private final AtomicBoolean closed = new AtomicBoolean();
    private volatile boolean broken;

    private NetioTestPair(Builder plan) {
        errors = new ConcurrentLinkedQueue<>();
        closeTimeout = plan.closeTimeout;
        publishes = plan.publisher != null;
        ground = plan.inMemory ? new MemoryGround(errors::add) : new LoopbackGround(plan.faults, errors::add);
        try {
            listening = listen(plan).bindNow();
            connecting = connect(plan, ground.portOf(listening));
            client = connecting.connectNow();
            if (!ground.await(() -> connections.firstOfServer() != null, PATIENCE)) {
                throw new NetioException("the server has not accepted the connection of the pair");
            }
            server = Objects.requireNonNull(connections.firstOfServer());
        } catch (Throwable t) { // settings of the user's
            takeErrors().forEach(t::addSuppressed);
            ground.close(PATIENCE);
            throw t;
        }
    }

    private NetioServer listen(Builder plan) {
        NetioServer made = NetioServer.create();
        if (plan.serverCredits > 0) {
            made = made.receiveBuffers(ConnectionParameters.DEFAULT_BUFFER_SIZE, plan.serverCredits);
        }
        made = Objects.requireNonNull(plan.server.apply(made), "configure(…): the function for the server has returned null");
        if (plan.publisher != null) {
            made = plan.publisher.serve(made);
        }
        return made.backend(BackendType.TCP).host("127.0.0.1").port(0).runOn(ground.loops(PairSide.SERVER))
                .doOnConnection(connection -> connections.add(PairSide.SERVER, connection));
    }

    private NetioClient connect(Builder plan, int port) {
        NetioClient made = NetioClient.create();
        if (plan.clientCredits > 0) {
            made = made.receiveBuffers(ConnectionParameters.DEFAULT_BUFFER_SIZE, plan.clientCredits);
        }
        made = Objects.requireNonNull(plan.client.apply(made), "configure(…): the function for the client has returned null");
        return made.backend(BackendType.TCP).host("127.0.0.1").port(port).runOn(ground.loops(PairSide.CLIENT))
                .doOnConnected(connection -> connections.add(PairSide.CLIENT, connection));
    }

    /** A pair over plain TCP on 127.0.0.1, with default settings. */
    public static NetioTestPair loopback() {
        return builder().loopback().open();
    }

    /** A pair in memory, on virtual time, with default settings. */
    public static NetioTestPair inMemory() {
        return builder().inMemory().open();
    }

    /** A pair over loopback with default settings, to be changed. */
    public static Builder builder() {
        return new Builder();
    }

    /** The server's end of the connection. */
    public NetioConnection server() {
        return server;
    }

    /** The client's end of the connection. */
    public NetioConnection client() {
        return client;
    }

    /**
     * A client of the pair's server, with the settings of the pair's client: for further connections. They have to be over when
     * the pair is closed.
     */
    public NetioClient newClient() {
        return connecting;
    }

    /**
     * A subscriber to the pair's publisher. It makes a connection of its own when it is subscribed to.
     *
     * @throws IllegalStateException if the pair has no publisher
     */
    public NetioSubscriber subscriber() {
        if (!publishes) {
            throw new IllegalStateException("this pair has no publisher: open it with builder().publisher(publisher)");
        }
        return NetioSubscriber.create(connecting);
    }

    /**
     * In memory: moves the time. What is due meanwhile happens at its time, on this thread. While Reactor's virtual time is
     * enabled this moves that, and all that waits for it.
     *
     * @throws UnsupportedOperationException over loopback
     * @throws IllegalStateException within a callback of a loop
     * @throws IllegalArgumentException if {@code by} is negative, or the times of a pair exceed 292 years together
     */
    public void advance(Duration by) {
        ground.advance(positive(by));
    }

    private static Duration positive(Duration time) {
        if (time.isNegative()) {
            throw new IllegalArgumentException("a time must not be negative: " + time);
        }
        return time;
    }

    /**
     * Breaks all connections of the pair as a network does: both ends are told at once, and what was on its way is lost. New
     * connections can be made.
     *
     * @throws UnsupportedOperationException over loopback without {@link Builder#faults}
     */
    public void disconnect() {
        ground.disconnect(null);
    }

    /**
     * Breaks all connections of the pair as they break when the host of the other side vanishes: {@code told} notices at once;
     * the other end hears nothing any more, and notices when its {@code keepAlive} is over. New connections can be made.
     *
     * @throws UnsupportedOperationException over loopback without {@link Builder#faults}
     */
    public void disconnect(Side told) {
        broken = true;
        ground.disconnect(internal(Objects.requireNonNull(told, "told")));
    }

    /**
     * Lets the network stand still in both directions until {@link #resume}. Nothing is lost. A new connection cannot be made
     * meanwhile: its {@code connectTimeout} goes by.
     *
     * @throws UnsupportedOperationException over loopback without {@link Builder#faults}
     */
    public void hold() {
        hold(Side.SERVER);
        hold(Side.CLIENT);
    }

    /**
     * Holds up what {@code from} sends until {@link #resume}.
     *
     * @throws UnsupportedOperationException over loopback without {@link Builder#faults}
     */
    public void hold(Side from) {
        ground.hold(internal(Objects.requireNonNull(from, "from")));
    }

    /**
     * What was held up arrives, in order, and the network goes on.
     *
     * @throws UnsupportedOperationException over loopback without {@link Builder#faults}
     */
    public void resume() {
        ground.resume();
    }

    /**
     * In memory: how long each message takes from now on that {@code from} sends, acknowledgements included. It is zero unless
     * set. Nothing overtakes what was sent before.
     *
     * @throws UnsupportedOperationException over loopback
     * @throws IllegalArgumentException if it is negative
     */
    public void delay(Side from, Duration by) {
        ground.delay(internal(Objects.requireNonNull(from, "from")), positive(by));
    }

    /**
     * What the loops have reported so far: what callbacks have thrown on them. It is forgotten, so that {@link #close} does not
     * fail because of it: for tests in which callbacks are to throw.
     */
    public List<Throwable> takeErrors() {
        List<Throwable> taken = new ArrayList<>();
        Throwable error;
        while ((error = errors.poll()) != null) {
            taken.add(error);
        }
        return taken;
    }

    /**
     * Ends the connection, the server and the loops. Does nothing the second time. It takes a few times
     * {@link Builder#closeTimeout} at most.
     *
     * @throws AssertionError if after that time other connections of the pair are open, or leases have not been given back; if a
     *         loop does not end, because a callback does not return; or if loops have reported errors
     * @throws IllegalStateException within a callback of a loop, which would wait for itself
     */
    @Override
    public void close() {
        if (EventLoop.isLoopThread(Thread.currentThread())) {
            throw new IllegalStateException("a pair cannot be closed within a callback of a loop: do it in the test's thread");
        }
        if (closed.getAndSet(true)) {
            return;
        }
        List<String> left = new ArrayList<>();
        try {
            listening.dispose();
            client.dispose();
            server.dispose();
            ground.calm(); // so that ends hear of each other's end
            ground.await(connections::areQuiet, closeTimeout);
            left.addAll(connections.left(broken));
        } finally {
            if (!ground.close(closeTimeout)) {
                left.add("the loops do not end: a callback on one of them does not return");
            }
        }
        List<Throwable> thrown = takeErrors();
        thrown.forEach(error -> left.add("a loop has reported " + error));
        if (!left.isEmpty()) {
            AssertionError failure = new AssertionError("when the pair was closed, this was left:\n  - "
                    + String.join("\n  - ", left));
            thrown.forEach(failure::addSuppressed);
            throw failure;
        }
    }

    @Override
    public String toString() {
        return "pair of " + listening + " and " + client;
    }

    private static PairSide internal(Side side) {
        return side == Side.SERVER ? PairSide.SERVER : PairSide.CLIENT;
    }

    /** How a pair is to be. Immutable: each method returns a changed copy. Any thread. */
    public static final class Builder {
        private boolean inMemory;
        private boolean faults;
        private int serverCredits;
        private int clientCredits;
        private UnaryOperator<NetioServer> server = UnaryOperator.identity();
        private UnaryOperator<NetioClient> client = UnaryOperator.identity();
        private @Nullable NetioPublisher publisher;
        private Duration closeTimeout = Duration.ofSeconds(5);

        private Builder() {
        }

        private Builder copy() {
            Builder copy = new Builder();
            copy.inMemory = inMemory;
            copy.faults = faults;
            copy.serverCredits = serverCredits;
            copy.clientCredits = clientCredits;
            copy.server = server;
            copy.client = client;
            copy.publisher = publisher;
            copy.closeTimeout = closeTimeout;
            return copy;
        }

        /** Plain TCP on 127.0.0.1, which it is unless said otherwise. */
        public Builder loopback() {
            Builder copy = copy();
            copy.inMemory = false;
            return copy;
        }

        /** In memory, on virtual time. */
        public Builder inMemory() {
            Builder copy = copy();
            copy.inMemory = true;
            return copy;
        }

        /**
         * Over loopback: puts a relay between the two ends, which {@link #disconnect()}, {@link #hold()} and {@link #resume} are
         * done with. A message counts as delivered when the relay has it. In memory nothing has to be said.
         */
        public Builder faults() {
            Builder copy = copy();
            copy.faults = true;
            return copy;
        }

        /**
         * Settings, handlers and hooks of both sides. The pair itself sets the backend, host, port and loops. Of several calls
         * all count, in order.
         */
        public Builder configure(UnaryOperator<NetioServer> ofServer, UnaryOperator<NetioClient> ofClient) {
            Builder copy = copy();
            UnaryOperator<NetioServer> serverBefore = server;
            UnaryOperator<NetioClient> clientBefore = client;
            copy.server = made -> ofServer.apply(serverBefore.apply(made));
            copy.client = made -> ofClient.apply(clientBefore.apply(made));
            return copy;
        }

        /** Lets the server serve {@code publisher}, with STREAM framing. Whoever has made the publisher disposes of it. */
        public Builder publisher(NetioPublisher served) {
            Builder copy = copy();
            copy.publisher = Objects.requireNonNull(served, "publisher");
            return copy;
        }

        /**
         * How many receive buffers a side has, of the usual 60 KiB: its peer's credits. With few of them the side is a slow peer.
         *
         * @throws IllegalArgumentException if it is less than 1
         */
        public Builder credits(Side side, int number) {
            if (number < 1) {
                throw new IllegalArgumentException("at least one credit: " + number);
            }
            Builder copy = copy();
            if (side == Side.SERVER) {
                copy.serverCredits = number;
            } else {
                copy.clientCredits = number;
            }
            return copy;
        }

        /**
         * How long {@link NetioTestPair#close} waits for what should be over: 5 s unless set. In memory that is virtual time
         * first, and then as much for other threads.
         *
         * @throws IllegalArgumentException if it is negative
         */
        public Builder closeTimeout(Duration limit) {
            Builder copy = copy();
            copy.closeTimeout = positive(limit);
            return copy;
        }

        /**
         * Makes the loops, binds the server and connects the client.
         *
         * @throws NetioException if the two do not go together, for instance because of their framings
         * @throws IllegalArgumentException if settings contradict each other
         */
        public NetioTestPair open() {
            return new NetioTestPair(this);
        }
    }
}
