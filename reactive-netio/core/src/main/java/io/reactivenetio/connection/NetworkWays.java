// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.connection;

import io.reactivenetio.connection.ConnectAttempts.Way;
import io.reactivenetio.transport.exceptions.NetioConnectException;
import io.reactivenetio.transport.exceptions.NetioException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import reactor.core.publisher.Mono;

/**
 * Connects once: to an address, or to the addresses of a name, over the networks that this machine has at that moment. What may
 * block is done on a worker thread. The counterpart of {@link Listeners}.
 */
final class NetworkWays {
    private final LoopContext context;
    private final ConnectionConfig config;
    private final RdmaDevices devices;

    NetworkWays(LoopContext context, ConnectionConfig config) {
        this.context = context;
        this.config = config;
        this.devices = config.isAuto() ? context.makes().devices() : RdmaDevices.NONE;
    }

    /**
     * Makes the backends of all networks that connections may go over. It blocks.
     *
     * @throws NetioException if there is no backend for the one that every connection can have
     */
    void makeBackends() {
        context.backend(config.overPlainTcp());
        if (devices.arePresent()) {
            make(config.overVerbs());
        }
    }

    /** Loads libraries before there is a head start that this would take time of. A failure comes back with the attempt. */
    private void make(ConnectionConfig network) {
        try {
            context.backend(network);
        } catch (RuntimeException e) {
            return; // the attempt fails in the same way, and says so
        }
    }

    Mono<Connection> connect(SocketAddress to) {
        if (!(to instanceof InetSocketAddress address)) {
            return attempt(to, config.overPlainTcp());
        }
        if (!address.isUnresolved()) {
            List<ConnectionConfig> networks = config.networks(address, devices);
            return networks.size() == 1 ? attempt(address, networks.getFirst())
                    : byAny(address, Mono.fromSupplier(() -> to(List.of(address))).subscribeOn(context.workers()));
        }
        return Mono.fromCallable(() -> context.backend(config.overPlainTcp())).subscribeOn(context.workers())
                .flatMap(any -> byAny(address, Mono.fromFuture(() -> any.backend().addressesOf(address))
                        .publishOn(context.workers()).map(this::to)));
    }

    private Mono<Connection> byAny(InetSocketAddress address, Mono<List<Way<Connection>>> ways) {
        return ConnectAttempts.byAny(address, ways, Connection::dispose, config.backendConfig().connectTimeout(),
                context.scheduler());
    }

    /** The ways to {@code addresses}: the fastest network to each of them, then plain TCP to each. It may block. */
    private List<Way<Connection>> to(List<InetSocketAddress> addresses) {
        List<Way<Connection>> faster = new ArrayList<>();
        List<Way<Connection>> others = new ArrayList<>();
        for (InetSocketAddress address : addresses) {
            List<ConnectionConfig> networks = config.networks(address, devices);
            boolean isChoice = networks.size() > 1;
            if (isChoice) {
                ConnectionConfig first = networks.getFirst();
                make(first);
                faster.add(way(address, first, true, attempt(address, first).onErrorMap(NetworkWays::mayBeOfOneNetwork,
                        error -> new NetioConnectException(String.valueOf(error.getMessage()), error))));
            }
            others.add(way(address, networks.getLast(), isChoice, attempt(address, networks.getLast())));
        }
        faster.addAll(others);
        return faster;
    }

    private static Way<Connection> way(InetSocketAddress address, ConnectionConfig network, boolean isChoice,
            Mono<Connection> attempt) {
        return new Way<>(address, isChoice ? network.network().toString() : "", attempt);
    }

    /** Whether a failure is unexpected, and perhaps one of this network alone. */
    private static boolean mayBeOfOneNetwork(Throwable error) {
        return error instanceof RuntimeException && !(error instanceof NetioException)
                && !(error instanceof RejectedExecutionException);
    }

    private Mono<Connection> attempt(SocketAddress address, ConnectionConfig network) {
        return Mono.fromCallable(() -> context.backend(network)).subscribeOn(context.workers())
                .flatMap(backend -> Mono.create(sink -> backend.connect(address, network, sink)));
    }
}
