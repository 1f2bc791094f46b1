// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.connection;

import io.reactivenetio.access.AllowedNetworks;
import io.reactivenetio.connection.ListenerHandle.Listening;
import io.reactivenetio.transport.backend.AcceptedConnections;
import io.reactivenetio.transport.backend.Addresses;
import io.reactivenetio.transport.backend.BackendChooser;
import io.reactivenetio.transport.backend.LogBudget;
import io.reactivenetio.transport.backend.NetworkBackend;
import io.reactivenetio.transport.exceptions.NetioBindException;
import io.reactivenetio.transport.exceptions.NetioException;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens the listen endpoints of one server, on each network that it has, all on the same port. Connections go to the loops in
 * turn, whatever their network, and count against one limit. It blocks, so it is not for a loop's thread.
 */
final class Listeners {
    private static final Logger LOG = LoggerFactory.getLogger(Listeners.class);
    private static final LogBudget REFUSED = LogBudget.ofRefused();
    /** How many free ports of plain TCP are tried until one is free on the other network, too. */
    private static final int PORTS = 16;

    private final LoopContext context;
    private final List<LoopContext> accepting;
    private final Consumer<Connection> onConnection;
    private final AtomicInteger turn = new AtomicInteger();
    private final AcceptedConnections accepted;

    /** {@code mostOfAddress} is how many connections each address may have. */
    Listeners(LoopContext context, List<LoopContext> accepting, Consumer<Connection> onConnection, int mostOfAddress) {
        this.context = context;
        this.accepting = accepting;
        this.onConnection = onConnection;
        accepted = new AcceptedConnections(mostOfAddress);
    }

    /** Gives accepted connections to the backends in turn. */
    private record InTurn(List<NetworkBackend> backends, AtomicInteger turn, AcceptedConnections accepted,
            AllowedNetworks networks) implements BackendChooser {
        @Override
        public boolean admits(SocketAddress remote) {
            boolean isAllowed = networks.contains(remote);
            if (!isAllowed) {
                REFUSED.warn("a connection from {} was refused: it is in none of the networks of allow(…)",
                        Addresses.format(remote));
            }
            return isAllowed;
        }

        @Override
        public NetworkBackend choose(SocketAddress remote) {
            return backends.get(Math.floorMod(turn.getAndIncrement(), backends.size()));
        }
    }

    /**
     * Listens on {@code address}. AUTO is plain TCP, and the faster networks there are, too.
     *
     * @return the listen endpoints, that of the fastest network first
     * @throws NetioBindException if plain TCP, or the network that is asked for, cannot listen there, or if another program has
     *     the port of the faster network, since clients would come to that
     */
    List<Listening> open(SocketAddress address, ConnectionConfig config) {
        for (int tried = 1;; tried++) {
            Listening base = listen(address, config.overPlainTcp());
            try {
                List<Listening> all = withFaster(base, config, Addresses.port(address) == 0 && tried < PORTS);
                if (!all.isEmpty()) {
                    return all;
                }
            } catch (Throwable t) {
                stop(base);
                throw t;
            }
            stop(base);
        }
    }

    /** {@code base}, and what listens on the faster network beside it. Nothing if another port has to be tried, as it may. */
    private List<Listening> withFaster(Listening base, ConnectionConfig config, boolean mayChangePort) {
        RdmaDevices devices = context.makes().devices();
        List<ConnectionConfig> networks = config.networks(base.endpoint().localAddress(), devices);
        if (networks.size() == 1 || !(base.endpoint().localAddress() instanceof InetSocketAddress bound)) {
            return List.of(base);
        }
        ConnectionConfig faster = networks.getFirst();
        String where = Addresses.format(bound);
        if (devices.takesTcpPorts()) {
            LOG.info("listening on {} over {} only: an iWARP device ({}) has its ports in common with TCP; name the backend to"
                    + " listen over {}", where, base.network(), devices.names(), faster.network());
            return List.of(base);
        }
        List<Listening> all = new ArrayList<>();
        try {
            for (InetAddress address : addresses(bound.getAddress())) {
                all.add(listen(new InetSocketAddress(address, bound.getPort()), faster));
            }
        } catch (NetioException e) {
            all.forEach(this::stop);
            if (!canListen(bound.getAddress(), faster)) { // no device for the address, no library, …
                LOG.info("listening on {} over {} only: {}", where, base.network(), e.getMessage());
                return List.of(base);
            }
            if (!mayChangePort) {
                throw new NetioBindException("cannot listen on " + where + " over " + faster.network() + ", where another program"
                        + " has the port and would get this server's clients: " + e.getMessage(), e);
            }
            return List.of();
        }
        LOG.info("listening on {} over {} and {}", where, faster.network(), base.network());
        all.add(base);
        return all;
    }

    /** The addresses that stand for {@code bound} over RDMA, where nobody can listen on all of them at once. */
    private List<InetAddress> addresses(InetAddress bound) {
        if (!bound.isAnyLocalAddress()) {
            return List.of(bound);
        }
        List<InetAddress> found = context.makes().rdmaAddresses().stream()
                .filter(address -> bound instanceof Inet6Address || address instanceof Inet4Address).toList();
        if (found.isEmpty()) {
            throw new NetioBindException("no RDMA device has an address", null);
        }
        return found;
    }

    /** Whether it is the port that is in the way. */
    private boolean canListen(InetAddress bound, ConnectionConfig network) {
        try {
            stop(listen(new InetSocketAddress(addresses(bound).getFirst(), 0), network));
            return true;
        } catch (NetioException e) {
            return false;
        }
    }

    private Listening listen(SocketAddress address, ConnectionConfig config) {
        NetworkBackend backend = context.backend(config).backend();
        List<NetworkBackend> backends = accepting.stream().map(other -> other.backend(config).backend()).toList();
        return new Listening(config.network(), backend, backend.openListenEndpoint(address, config.endpointParameters(false),
                new ConnectionFactory.Acceptor(config, onConnection),
                new InTurn(backends, turn, accepted, config.access().networks())));
    }

    /** Soon. What fails is reported by the loop. */
    private void stop(Listening listening) {
        try {
            context.loop().execute(() -> listening.backend().stopListening(listening.endpoint()));
        } catch (RejectedExecutionException e) {
            return; // the loop has ended, and closed it
        }
    }
}
