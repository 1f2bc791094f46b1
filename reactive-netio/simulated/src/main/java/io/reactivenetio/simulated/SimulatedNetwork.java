// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.simulated;

import io.reactivenetio.transport.BackendType;
import io.reactivenetio.transport.backend.Addresses;
import io.reactivenetio.transport.exceptions.NetioBindException;
import java.net.InetAddress;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * What connects simulated backends: listeners by port, connections, and the two ways between them. Each type of backend has
 * ports of its own, as RDMA and TCP have. What goes one way while that is held waits, in order, until it is not. Methods are for
 * whoever drives the loops, unless they say otherwise.
 */
public final class SimulatedNetwork {
    private static final int FIRST_PORT = 7000;

    /** What becomes of a request to connect to an address. */
    public enum Reach {
        /** It comes to the listener there is. */
        ANSWERS,
        /** It is refused, as if nobody listened. */
        REFUSES,
        /** It is lost. */
        SILENT
    }

    private record Port(BackendType type, int number) {
    }

    private record Host(BackendType type, InetAddress address) {
    }

    /** One of the two ways. */
    private static final class Way {
        private final Deque<Runnable> waiting = new ArrayDeque<>();
        private boolean held;
    }

    private final Surroundings surroundings;
    private final SimulatedEndpoint.Observer observer;
    private final Map<Port, SimulatedBackend.Listener> listeners = new ConcurrentHashMap<>();
    private final Map<Host, Reach> reaches = new ConcurrentHashMap<>();
    private final Map<String, List<InetAddress>> names = new ConcurrentHashMap<>();
    private final Set<SimulatedEndpoint> open = Collections.synchronizedSet(new LinkedHashSet<>());
    private final AtomicInteger ports = new AtomicInteger(FIRST_PORT);
    private final Way toServer = new Way();
    private final Way toClient = new Way();

    public SimulatedNetwork(Surroundings surroundings) {
        this(surroundings, new SimulatedEndpoint.Observer() { });
    }

    /** {@code observer} is told of all connections. */
    public SimulatedNetwork(Surroundings surroundings, SimulatedEndpoint.Observer observer) {
        this.surroundings = surroundings;
        this.observer = observer;
    }

    Surroundings surroundings() {
        return surroundings;
    }

    SimulatedEndpoint.Observer observer() {
        return observer;
    }

    /** A port that nobody has had. Any thread. */
    int freePort(BackendType type) {
        int port;
        do {
            port = ports.getAndIncrement();
        } while (listeners.containsKey(new Port(type, port)));
        return port;
    }

    /** Any thread. */
    void listen(BackendType type, int port, SimulatedBackend.Listener listener) {
        if (listeners.putIfAbsent(new Port(type, port), listener) != null) {
            throw new NetioBindException("cannot listen on " + listener.endpoint().localAddress() + ": the port is in use", null);
        }
    }

    /** Any thread. */
    void stopListening(BackendType type, SimulatedBackend.Listener listener) {
        listeners.remove(new Port(type, Addresses.port(listener.endpoint().localAddress())), listener);
    }

    SimulatedBackend.@Nullable Listener listener(BackendType type, int port) {
        return listeners.get(new Port(type, port));
    }

    /** From now on {@code name} stands for these addresses. All are the same host. Any thread. */
    public void name(String name, List<InetAddress> addresses) {
        names.put(name, List.copyOf(addresses));
    }

    /** The addresses of a name; an unknown name is this host. Any thread. */
    List<InetAddress> addresses(String name) {
        return names.getOrDefault(name, List.of(InetAddress.getLoopbackAddress()));
    }

    /** From now on requests to connect to {@code address} by backends of this type fare so; ANSWERS unless said. Any thread. */
    public void reach(BackendType type, InetAddress address, Reach how) {
        reaches.put(new Host(type, address), how);
    }

    Reach reach(BackendType type, InetAddress address) {
        return reaches.getOrDefault(new Host(type, address), Reach.ANSWERS);
    }

    void opened(SimulatedEndpoint endpoint) {
        open.add(endpoint);
        observer.opened(endpoint);
    }

    void closed(SimulatedEndpoint endpoint) {
        open.remove(endpoint);
    }

    /** The ends of all connections that are open or being opened, in the order in which they were opened. */
    public List<SimulatedEndpoint> open() {
        synchronized (open) {
            return List.copyOf(open);
        }
    }

    /** {@code arrival} happens after so many nanoseconds, or when that way is not held any more. */
    void carry(boolean toServer, long nanos, Runnable arrival) {
        surroundings.after(nanos, () -> arrive(way(toServer), arrival));
    }

    private static void arrive(Way way, Runnable arrival) {
        if (way.held) {
            way.waiting.add(arrival);
        } else {
            arrival.run();
        }
    }

    /** Whether anything that goes this way waits, or will. */
    boolean isHeld(boolean toServer) {
        return way(toServer).held;
    }

    /** From now on nothing arrives that way. Nothing is lost. */
    public void hold(boolean toServer) {
        way(toServer).held = true;
    }

    /** What has waited arrives now, and what comes later arrives as it comes. */
    public void resume(boolean toServer) {
        Way way = way(toServer);
        way.held = false;
        Runnable arrival;
        while (!way.held && (arrival = way.waiting.poll()) != null) {
            arrival.run();
        }
    }

    private Way way(boolean toServer) {
        return toServer ? this.toServer : toClient;
    }
}
