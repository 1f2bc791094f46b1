// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.simulation;

import io.reactivenetio.connection.LoopContext;
import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.loop.SimulatedLoop;
import io.reactivenetio.transport.BackendCallbacks;
import io.reactivenetio.transport.BackendConfig;
import io.reactivenetio.transport.BackendType;
import io.reactivenetio.transport.NetworkBackend;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What connects the backends of a world: listeners by port, connections, and how well they work. */
final class SimulatedNetwork implements LoopContext.Backends {
    /**
     * How the network and the fabric's provider behave.
     *
     * @param latencyNanos the longest that a message takes to the peer; each takes another time, and none overtakes another
     * @param refusedPercent sends that are turned away although there is room
     * @param latePercent receive buffers that are posted again some time after they were given back
     * @param kernelMessages sends that complete before they have arrived, at most; 0 where completion means delivery
     * @param acksBehindData whether what tells a delivery waits behind the peer's messages, as over tcp
     */
    record Weather(long latencyNanos, int refusedPercent, int latePercent, int kernelMessages, boolean acksBehindData) {
    }

    private final VirtualMachine machine;
    private final Weather weather;
    private final Map<EventLoop, SimulatedLoop> loops = new HashMap<>();
    private final Map<Integer, SimulatedBackend.Listener> listeners = new HashMap<>();
    private final List<SimulatedEndpoint> endpoints = new ArrayList<>();
    private final Growth growth;
    private int ports = 7000;

    SimulatedNetwork(VirtualMachine machine, Weather weather) {
        this.machine = machine;
        this.weather = weather;
        this.growth = new Growth(machine);
    }

    Growth growth() {
        return growth;
    }

    VirtualMachine machine() {
        return machine;
    }

    Weather weather() {
        return weather;
    }

    /** The loop of a new context of this world. */
    LoopContext context(String name) {
        SimulatedLoop loop = machine.newLoop(name);
        loops.put(loop.loop(), loop);
        return LoopContext.on(loop.loop(), this);
    }

    SimulatedLoop loop(EventLoop loop) {
        return loops.get(loop);
    }

    @Override
    public NetworkBackend create(BackendType type, BackendConfig config, EventLoop loop, BackendCallbacks callbacks) {
        SimulatedBackend backend = new SimulatedBackend(this, config, loop, callbacks);
        machine.attach(loops.get(loop), backend);
        return backend;
    }

    int freePort() {
        return ports++;
    }

    void listen(int port, SimulatedBackend.Listener listener) {
        listeners.put(port, listener);
    }

    void stopListening(int port) {
        listeners.remove(port);
    }

    SimulatedBackend.@Nullable Listener listener(int port) {
        return listeners.get(port);
    }

    void opened(SimulatedEndpoint endpoint) {
        endpoints.add(endpoint);
    }

    /** All that ever were, in the order in which they were opened. */
    List<SimulatedEndpoint> endpoints() {
        return endpoints;
    }
}
