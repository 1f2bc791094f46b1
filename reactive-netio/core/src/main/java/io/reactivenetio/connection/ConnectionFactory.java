// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.connection;

import io.reactivenetio.access.AccessExchange;
import io.reactivenetio.access.Carrier;
import io.reactivenetio.lease.CheckedBuffer;
import io.reactivenetio.loop.DelayedTask;
import io.reactivenetio.send.SharedSendBudget;
import io.reactivenetio.transport.backend.Addresses;
import io.reactivenetio.transport.backend.BackendCallbacks;
import io.reactivenetio.transport.backend.Capabilities;
import io.reactivenetio.transport.backend.Durations;
import io.reactivenetio.transport.backend.Endpoint;
import io.reactivenetio.transport.backend.ListenEndpoint;
import io.reactivenetio.transport.backend.LogBudget;
import io.reactivenetio.transport.backend.NetworkBackend;
import io.reactivenetio.transport.backend.ReceivedBuffer;
import io.reactivenetio.transport.exceptions.NetioConnectException;
import io.reactivenetio.transport.exceptions.NetioException;
import io.reactivenetio.transport.tls.TlsEngines;
import io.reactivenetio.transport.tls.TlsLayer;
import java.net.SocketAddress;
import java.security.Principal;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.MonoSink;
import reactor.core.scheduler.Scheduler;

/**
 * A backend of a loop, and the callbacks of its endpoints until they are established. Then each becomes a {@link Connection},
 * which is called back from there on.
 */
final class ConnectionFactory implements BackendCallbacks {
    private static final LogBudget REFUSED = LogBudget.ofRefused();

    /** Attached to a listen endpoint. */
    record Acceptor(ConnectionConfig config, Consumer<Connection> onConnection) {
    }

    /** The callbacks of an endpoint that is being opened. */
    private final class Opening implements BackendCallbacks, ConnectQueue.Attempt {
        private final SocketAddress address;
        private final ConnectionConfig config;
        private final MonoSink<Connection> sink;
        private @Nullable Endpoint opening;
        private @Nullable Connection made;
        private volatile boolean cancelled;
        private boolean over;
        private @Nullable DelayedTask patience;

        Opening(SocketAddress address, ConnectionConfig config, MonoSink<Connection> sink) {
            this.address = address;
            this.config = config;
            this.sink = sink;
        }

        /** Begins, now or when others to the same address have ended. It waits for as long as a connect may take. */
        void enqueue() {
            if (!queue.begin(address, this)) {
                long nanos = Durations.nanos(config.backendConfig().connectTimeout());
                try {
                    patience = resources.loop().schedule(this::lose, nanos, TimeUnit.NANOSECONDS);
                } catch (RejectedExecutionException e) {
                    return; // the loop ends: those that are under way reject this one when they are closed
                }
            }
        }

        private void lose() {
            cancelled = true; // it may have been given its turn already, in a task that has not run
            queue.remove(address, this);
            sink.error(new NetioConnectException("connecting to " + Addresses.format(address) + " took longer than "
                    + Durations.millis(config.backendConfig().connectTimeout())
                    + " ms, in which others of this loop were connecting there", null));
        }

        @Override
        public void begin() {
            if (patience != null) {
                patience.cancel();
            }
            try {
                if (cancelled) { // nobody wants it any more, and its buffers would be allocated for nothing
                    over();
                    return;
                }
                Endpoint endpoint = backend().openActiveEndpoint(address, config.endpointParameters(true));
                endpoint.callbacks(this);
                opening = endpoint;
            } catch (RuntimeException | OutOfMemoryError e) { // its place must not stay taken
                over();
                sink.error(e);
            }
        }

        @Override
        public void reject(RejectedExecutionException reason) {
            sink.error(reason);
        }

        /** Gives its place to the next one, once. */
        private void over() {
            ConnectQueue.Attempt next = over ? null : queue.next(address);
            over = true;
            while (next != null) {
                try {
                    resources.loop().execute(next::begin);
                    return;
                } catch (RejectedExecutionException e) { // the loop ends
                    next.reject(e);
                    next = queue.next(address);
                }
            }
        }

        @Override
        public void onConnectionEstablished(Endpoint endpoint, Capabilities capabilities) {
            if (config.isMadeAtOnce() || cancelled) { // else it keeps its place until it is made
                over();
            }
            if (!cancelled) {
                open(endpoint, config, connection -> {
                    over();
                    made = connection;
                    sink.success(connection);
                }, this::fail);
            }
        }

        /** The connection was established, and has failed since. */
        private void fail(Throwable reason) {
            over();
            if (!cancelled) {
                sink.error(reason);
            }
        }

        @Override
        public void onConnectionRefused(Endpoint endpoint, NetioException reason) {
            over();
            sink.error(reason);
        }

        void cancel() {
            cancelled = true;
            try {
                resources.loop().execute(this::giveUp);
            } catch (RejectedExecutionException e) {
                return; // the loop has closed it
            }
        }

        private void giveUp() {
            queue.remove(address, this);
            if (patience != null) {
                patience.cancel();
            }
            if (made != null) {
                made.dispose(); // the connection was established in the same moment, and nobody gets it
            } else if (opening != null) {
                backend().closeActiveEndpoint(opening);
            }
        }
    }

    private final LoopResources resources;
    private final Supplier<Scheduler> workers;
    private final ConnectQueue queue = new ConnectQueue();
    private @Nullable NetworkBackend backend;
    private @Nullable SharedSendBudget budget;

    /** {@code workers} do what must not be done on the loop while a connection is made. */
    ConnectionFactory(LoopResources resources, Supplier<Scheduler> workers) {
        this.resources = resources;
        this.workers = workers;
    }

    /** Says which backend calls here, once that is made. */
    void backend(NetworkBackend made) {
        backend = made;
    }

    NetworkBackend backend() {
        return Objects.requireNonNull(backend, "a connection before its backend");
    }

    /** Connects, and gives {@code sink} the connection. Any thread. */
    void connect(SocketAddress address, ConnectionConfig config, MonoSink<Connection> sink) {
        Opening attempt = new Opening(address, config, sink);
        sink.onCancel(attempt::cancel);
        try {
            resources.loop().execute(attempt::enqueue);
        } catch (RejectedExecutionException e) {
            sink.error(e);
        }
    }

    @Override
    public void onConnectionEstablished(Endpoint endpoint, Capabilities capabilities) {
        ListenEndpoint listener = endpoint.listenEndpoint();
        if (listener != null) {
            Acceptor acceptor = (Acceptor) Objects.requireNonNull(listener.attachment());
            open(endpoint, acceptor.config(), acceptor.onConnection(), this::refused);
        }
    }

    private void refused(Throwable reason) {
        if (reason instanceof NetioException) {
            REFUSED.warn("{}", reason.getMessage());
        } else {
            resources.loop().report(reason);
        }
    }

    private void open(Endpoint endpoint, ConnectionConfig config, Consumer<Connection> then, Consumer<Throwable> otherwise) {
        TlsEngines tls = config.tls();
        boolean connects = endpoint.listenEndpoint() == null;
        try {
            if (!config.isMadeAtOnce()) {
                config.framing().check(endpoint, config);
            }
            if (tls == null) {
                admit(new Carrier(backend(), endpoint, endpoint::callbacks, null), config, then, otherwise);
                return;
            }
            TlsLayer.begin(backend(), endpoint, resources.loop(), task -> workers.get().schedule(task),
                    () -> connects ? tls.connecting(endpoint.remoteAddress()) : tls.accepting(), config.plainParameters(connects),
                    !reusesHandles(), config.backendConfig().connectTimeout(), new TlsLayer.Listener() {
                        @Override
                        public void secured(TlsLayer layer) {
                            admit(new Carrier(layer, endpoint, layer::callbacks, layer.session()), config, then, otherwise);
                        }

                        @Override
                        public void refused(NetioException reason) {
                            otherwise.accept(reason);
                        }
                    });
        } catch (RuntimeException | OutOfMemoryError e) {
            backend().closeActiveEndpoint(endpoint);
            otherwise.accept(e);
        }
    }

    /** Has the client show who it is, if that is asked for. */
    private void admit(Carrier carrier, ConnectionConfig config, Consumer<Connection> then, Consumer<Throwable> otherwise) {
        if (!config.access().hasExchange()) {
            make(carrier, config, null, List.of(), then, otherwise);
            return;
        }
        AccessExchange.Listener listener = new AccessExchange.Listener() {
            @Override
            public void admitted(@Nullable Principal peer, List<ReceivedBuffer> early) {
                make(carrier, config, peer, early, then, otherwise);
            }

            @Override
            public void refused(NetioException reason) {
                otherwise.accept(reason);
            }
        };
        try {
            AccessExchange.begin(carrier, resources.loop(), workers.get(), config.access(),
                    config.plainParameters(carrier.endpoint().listenEndpoint() == null), config.backendConfig().connectTimeout(),
                    listener);
        } catch (RuntimeException e) { // the loop ends
            carrier.backend().closeActiveEndpoint(carrier.endpoint());
            otherwise.accept(e);
        }
    }

    /** Makes the connection on what carries it, and gives it what has arrived for it. */
    private void make(Carrier carrier, ConnectionConfig config, @Nullable Principal shown, List<ReceivedBuffer> early,
            Consumer<Connection> then, Consumer<Throwable> otherwise) {
        Endpoint endpoint = carrier.endpoint();
        Wiretap tap = Wiretap.on(carrier.backend(), endpoint, config);
        Connection engine;
        try {
            engine = new Connection(resources, tap == null ? carrier.backend() : tap, endpoint, config, budget(config),
                    carrier.session(), shown != null ? shown : carrier.subject());
        } catch (Throwable t) { // as a rule the framings of the two sides do not match, and the other side finds the same
            carrier.backend().closeActiveEndpoint(endpoint);
            early.forEach(ReceivedBuffer::release);
            otherwise.accept(t);
            return;
        }
        BackendCallbacks callbacks = tap == null ? engine : tap.before(engine);
        carrier.callbacks().accept(callbacks);
        try {
            then.accept(engine);
            early.forEach(page -> callbacks.onData(endpoint, page));
        } finally {
            early.forEach(ReceivedBuffer::release);
        }
    }

    /** The budget of a new connection: the backend's if its connections share buffers, or else one of its own. */
    private SharedSendBudget budget(ConnectionConfig config) {
        SharedSendBudget all = budget;
        if (all == null || !config.sharesBuffers()) {
            all = config.budget();
            budget = all;
        }
        return all;
    }

    /**
     * Says that handles need not be checked: only this library handles buffers here, and its tests check that with handles that
     * are not reused.
     */
    @Override
    public boolean reusesHandles() {
        return !CheckedBuffer.ENABLED;
    }
}
