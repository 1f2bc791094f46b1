// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.connection;

import io.reactivenetio.lease.CheckedBuffer;
import io.reactivenetio.send.SharedSendBudget;
import io.reactivenetio.transport.BackendCallbacks;
import io.reactivenetio.transport.Capabilities;
import io.reactivenetio.transport.Endpoint;
import io.reactivenetio.transport.ListenEndpoint;
import io.reactivenetio.transport.LogBudget;
import io.reactivenetio.transport.NetworkBackend;
import io.reactivenetio.transport.ReceivedBuffer;
import io.reactivenetio.transport.SendKey;
import io.reactivenetio.transport.SendKind;
import io.reactivenetio.transport.exceptions.NetioException;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.MonoSink;

/**
 * Passes each callback of a backend to the connection, listener or attempt to connect that it is for: the attachment of its
 * endpoint. On the loop.
 */
final class CallbackDispatch implements BackendCallbacks {
    /** Logs the peers that were refused, of which no callback tells. */
    private static final LogBudget REFUSED = LogBudget.of("io.reactivenetio.refused");

    /** Attached to a listen endpoint. */
    record Acceptor(ConnectionConfig config, Consumer<Connection> onConnection) {
    }

    /** Attached to an endpoint that is being opened. */
    static final class ConnectAttempt {
        private final ConnectionConfig config;
        private final MonoSink<Connection> sink;
        private volatile boolean cancelled;

        ConnectAttempt(ConnectionConfig config, MonoSink<Connection> sink) {
            this.config = config;
            this.sink = sink;
        }

        void cancel() {
            cancelled = true;
        }
    }

    private final LoopResources resources;
    private @Nullable NetworkBackend backend;
    private @Nullable SharedSendBudget budget;

    CallbackDispatch(LoopResources resources) {
        this.resources = resources;
    }

    /** Says which backend calls here, once that is made. */
    void backend(NetworkBackend made) {
        backend = made;
    }

    @Override
    public void onConnectionEstablished(Endpoint endpoint, Capabilities capabilities) {
        ListenEndpoint listener = endpoint.listenEndpoint();
        if (listener != null && listener.attachment() instanceof Acceptor acceptor) {
            open(endpoint, acceptor.config(), acceptor.onConnection(), this::refused);
        } else if (endpoint.attachment() instanceof ConnectAttempt attempt && !attempt.cancelled) {
            open(endpoint, attempt.config, attempt.sink::success, attempt.sink::error);
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
        NetworkBackend of = Objects.requireNonNull(backend, "a connection before its backend");
        Connection engine;
        try {
            engine = new Connection(resources, of, endpoint, config, budget(config));
        } catch (Throwable t) { // as a rule the framings of the two sides do not match, and the other side finds the same
            of.closeActiveEndpoint(endpoint);
            otherwise.accept(t);
            return;
        }
        endpoint.attach(engine);
        then.accept(engine);
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

    @Override
    public void onConnectionRefused(Endpoint endpoint, NetioException reason) {
        if (endpoint.attachment() instanceof ConnectAttempt attempt) {
            attempt.sink.error(reason);
        }
    }

    @Override
    public void onConnectionClosed(Endpoint endpoint, List<SendKey> cancelled, @Nullable NetioException cause) {
        if (endpoint.attachment() instanceof Connection engine) {
            engine.onClosed(cause);
        }
    }

    /**
     * Says that handles need not be checked: only this library handles buffers here, and its tests check that with handles that
     * are not reused.
     */
    @Override
    public boolean reusesHandles() {
        return !CheckedBuffer.ENABLED;
    }

    @Override
    public void onData(Endpoint endpoint, ReceivedBuffer buffer) {
        if (endpoint.attachment() instanceof Connection engine) {
            engine.onData(buffer);
        }
    }

    @Override
    public void onSendCompleted(Endpoint endpoint, SendKind kind, long key) {
        if (endpoint.attachment() instanceof Connection engine) {
            engine.onSendCompleted(kind, key);
        }
    }

    @Override
    public void onResourcesAvailable(Endpoint endpoint) {
        if (endpoint.attachment() instanceof Connection engine) {
            engine.onResourcesAvailable();
        }
    }
}
