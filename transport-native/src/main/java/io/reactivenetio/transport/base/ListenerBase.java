// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.base;

import io.reactivenetio.transport.backend.AcceptedConnections;
import io.reactivenetio.transport.backend.Addresses;
import io.reactivenetio.transport.backend.BackendChooser;
import io.reactivenetio.transport.backend.ConnectionParameters;
import io.reactivenetio.transport.backend.LogBudget;
import io.reactivenetio.transport.backend.NetworkBackend;
import java.net.SocketAddress;
import java.util.HashSet;
import java.util.Set;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What the backends' listeners have in common: how many connections they have accepted, the backends that these were given to,
 * and the close. Confined to the loop, but for {@link #released}.
 *
 * @param <B> the kind of backend
 */
public abstract class ListenerBase<B extends BackendBase<?, ?>> implements Listener {
    private static final LogBudget REFUSED = LogBudget.ofRefused();

    private final B backend;
    private final Class<B> kind;
    private final ConnectionParameters parameters;
    private final BackendChooser chooser;
    /** Accepted connections that are not over. Those that were given to other loops end there. */
    private final AcceptedConnections connections;
    /** The backends of other loops that connections were given to. */
    private final Set<B> others = new HashSet<>();
    private boolean closed;

    protected ListenerBase(B backend, Class<B> kind, ConnectionParameters parameters, BackendChooser chooser) {
        this.backend = backend;
        this.kind = kind;
        this.parameters = parameters;
        this.chooser = chooser;
        AcceptedConnections shared = chooser.accepted();
        this.connections = shared != null ? shared : new AcceptedConnections(Integer.MAX_VALUE);
    }

    protected final B backend() {
        return backend;
    }

    @Override
    public final BackendContext context() {
        return backend.context();
    }

    /** The parameters of each connection. */
    protected final ConnectionParameters parameters() {
        return parameters;
    }

    protected final boolean isClosed() {
        return closed;
    }

    // ---- connections

    /** The number of accepted connections that are not over. */
    protected final int connections() {
        return connections.number();
    }

    /** Counts a connection as accepted, until {@link #released}. Returns their number. */
    protected final int accepted(SocketAddress remote) {
        return connections.add(remote);
    }

    /** The accepted connection from {@code remote} is over. Any loop. */
    public final void released(SocketAddress remote) {
        connections.remove(remote);
    }

    /** Whether the peer at {@code remote} may have one more beside those that are accepted and {@code others}. Logs it if not. */
    protected final boolean hasRoomFor(SocketAddress remote, IntSupplier others) {
        boolean hasRoom = connections.hasRoomFor(remote, others);
        if (!hasRoom) {
            REFUSED.warn("a connection from {} was refused: {} are open from there; maxConnectionsPerAddress sets how many there"
                    + " may be", Addresses.format(remote), connections.mostOfPeer());
        }
        return hasRoom;
    }

    /** Whether a connection from {@code remote} may be accepted. */
    protected final boolean admits(SocketAddress remote) {
        try {
            return chooser.admits(remote);
        } catch (Throwable t) { // the user's code
            context().report(t);
            return false;
        }
    }

    /**
     * The backend for a connection from {@code remote}. Null if the chooser gave one of another kind. The chooser is the user's
     * code: it may throw anything, and close this listener.
     */
    protected final @Nullable B choose(SocketAddress remote) {
        NetworkBackend choice = chooser.choose(remote);
        return kind.isInstance(choice) ? kind.cast(choice) : null;
    }

    /**
     * Has the loop of {@code other} take a connection over with {@code task}.
     *
     * @throws java.util.concurrent.RejectedExecutionException if that loop has terminated
     */
    protected final void giveTo(B other, Runnable task) {
        others.add(other);
        other.loop().execute(task);
    }

    // ---- the end

    /** Ends the listening. Called once. */
    protected abstract void stop();

    @Override
    public final void close(boolean withConnections) {
        if (!closed) {
            closed = true;
            stop();
        }
        if (withConnections) {
            backend.closeSpawned(handle());
            others.forEach(other -> other.closeSpawned(handle()));
        }
    }
}
