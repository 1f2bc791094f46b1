// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.server;

import io.reactivenetio.NetioServer;
import io.reactivenetio.api.DisposableServer;
import io.reactivenetio.spring.NetioKeepAlive;
import io.reactivenetio.spring.NetioPhases;
import io.reactivenetio.spring.settings.ContradictingSettingsException;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Binds the server when everything else is set up, and stops listening first of all. {@link NetioServerDrain} then ends its
 * connections, when consumers have stopped. A context that is started again has a server that is bound anew.
 */
public final class NetioServerLifecycle implements SmartLifecycle {
    private static final Logger LOG = LoggerFactory.getLogger(NetioServerLifecycle.class);

    /** What the server does. */
    public enum Status { NOT_STARTED, LISTENING, STOPPING, LOST }

    /** What the server does, since when. */
    public record View(Status status, Instant since) {
    }

    private final NetioServer server;
    private final NetioKeepAlive keepAlive;
    private final LocalPort localPort;
    private final NetioServerDrain drain;
    private volatile @Nullable DisposableServer listening;
    private volatile boolean stopped;
    private volatile View view = new View(Status.NOT_STARTED, Instant.now());

    NetioServerLifecycle(NetioServer server, NetioKeepAlive keepAlive, LocalPort localPort, NetioServerDrain drain) {
        this.server = server;
        this.keepAlive = keepAlive;
        this.localPort = localPort;
        this.drain = drain;
    }

    /**
     * The server that listens.
     *
     * @throws IllegalStateException if it has not been started, or was stopped
     */
    public DisposableServer server() {
        DisposableServer current = listening;
        if (current == null) {
            throw new IllegalStateException("netio.server does not listen: it has not been started, or was stopped");
        }
        return current;
    }

    @Override
    public synchronized void start() {
        if (isRunning()) {
            return;
        }
        DisposableServer bound = bind();
        listening = bound;
        stopped = false;
        view = new View(Status.LISTENING, Instant.now());
        drain.opened(bound, () -> over(bound));
        localPort.set(bound.port());
        keepAlive.hold(this);
        bound.onDispose().subscribe(nothing -> { }, error -> { }, () -> unbound(bound));
        LOG.info("netio.server listens on {}", bound.address());
    }

    private DisposableServer bind() {
        try {
            return server.bindNow();
        } catch (IllegalArgumentException e) { // what a framing says of its limits
            throw new ContradictingSettingsException("netio.server.", e);
        }
    }

    /** The server no longer listens: it was stopped here, or somebody has disposed of it, or its loop has ended. */
    private void unbound(DisposableServer bound) {
        if (listening == bound && view.status() == Status.LISTENING) {
            view = new View(Status.LOST, Instant.now());
            LOG.warn("netio.server no longer listens on {}, and nothing here has stopped it", bound.address());
        }
    }

    /** The application begins to stop: it is told before anything stops. */
    void stopping() {
        if (listening != null) {
            view = new View(Status.STOPPING, Instant.now());
        }
    }

    @Override
    public synchronized void stop() {
        DisposableServer current = listening;
        if (current != null) {
            stopping();
            stopped = true;
            current.dispose();
        }
    }

    @Override
    public boolean isRunning() {
        return listening != null && !stopped;
    }

    /** The server, also while it stops; null if it is not started. */
    public @Nullable DisposableServer listening() {
        return listening;
    }

    /** The server and its connections are over. Another one may listen already, if the context was started again meanwhile. */
    private void over(DisposableServer which) {
        if (listening == which) {
            listening = null;
            view = new View(Status.NOT_STARTED, Instant.now());
            keepAlive.release(this);
        }
    }

    /** What is known of the server now. */
    public View view() {
        return view;
    }

    @Override
    public int getPhase() {
        return NetioPhases.LISTEN;
    }

    @Override
    public boolean isPauseable() {
        return false;
    }
}
