// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.simulation;

import io.reactivenetio.connection.LoopContext;
import io.reactivenetio.connection.RdmaDevices;
import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.loop.SimulatedLoop;
import io.reactivenetio.simulated.SimulatedBackend;
import io.reactivenetio.simulated.SimulatedEndpoint;
import io.reactivenetio.simulated.SimulatedNetwork;
import io.reactivenetio.simulated.Surroundings;
import io.reactivenetio.transport.BackendType;
import io.reactivenetio.transport.backend.BackendCallbacks;
import io.reactivenetio.transport.backend.BackendConfig;
import io.reactivenetio.transport.backend.NetworkBackend;
import io.reactivenetio.transport.exceptions.BackendUnavailableException;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import reactor.core.scheduler.Schedulers;

/** What connects the backends of a world, and how well that works, as the world's seed decides. */
public final class WorldNetwork implements Surroundings, SimulatedEndpoint.Observer {
    private static final long LATE_NANOS = 2_000_000;

    /**
     * How the network and the fabric's provider behave.
     *
     * @param latencyNanos the longest that a message takes to the peer; each takes another time, and none overtakes another
     * @param refusedPercent sends that are turned away although there is room
     * @param latePercent receive buffers that are posted again some time after they were given back
     * @param kernelMessages sends that complete before they have arrived, at most; 0 where completion means delivery
     * @param acksBehindData whether what tells a delivery waits behind the peer's messages, as over tcp
     */
    public record Weather(long latencyNanos, int refusedPercent, int latePercent, int kernelMessages, boolean acksBehindData) {
    }

    private final VirtualMachine machine;
    private final Weather weather;
    private final SimulatedNetwork network = new SimulatedNetwork(this, this);
    private final Map<EventLoop, SimulatedLoop> loops = new HashMap<>();
    private final List<SimulatedEndpoint> endpoints = new ArrayList<>();
    private final Growth growth;

    public WorldNetwork(VirtualMachine machine, Weather weather) {
        this.machine = machine;
        this.weather = weather;
        this.growth = new Growth(machine);
    }

    Growth growth() {
        return growth;
    }

    /** The loop of a new context of this world, on a host without RDMA. */
    public LoopContext context(String name) {
        return context(name, () -> RdmaDevices.NONE);
    }

    /** The loop of a new context of this world, on a host that has these devices at a moment. */
    public LoopContext context(String name, Supplier<RdmaDevices> devices) {
        SimulatedLoop loop = machine.newLoop(name);
        loops.put(loop.loop(), loop);
        LoopContext.Backends makes = new LoopContext.Backends() {
            @Override
            public NetworkBackend create(BackendType type, BackendConfig config, EventLoop on, BackendCallbacks callbacks) {
                if (type == BackendType.LIBFABRIC && !devices.get().arePresent()) {
                    throw new BackendUnavailableException("no RDMA device", null);
                }
                return WorldNetwork.this.create(type, config, on, callbacks);
            }

            @Override
            public RdmaDevices devices() {
                return devices.get();
            }

            @Override
            public List<InetAddress> rdmaAddresses() {
                return List.of(InetAddress.ofLiteral("10.0.0.1"), InetAddress.ofLiteral("fd00::1"));
            }
        };
        return LoopContext.on(loop.loop(), makes, Schedulers::boundedElastic); // which the world has replaced
    }

    /** Its ports, names and ways. */
    public SimulatedNetwork ways() {
        return network;
    }

    public SimulatedLoop loop(EventLoop loop) {
        return loops.get(loop);
    }

    NetworkBackend create(BackendType type, BackendConfig config, EventLoop loop, BackendCallbacks callbacks) {
        SimulatedBackend backend = new SimulatedBackend(network, type, config, loop, callbacks);
        machine.attach(loops.get(loop), backend);
        return backend;
    }

    /** All that ever were, in the order in which they were opened. */
    public List<SimulatedEndpoint> endpoints() {
        return endpoints;
    }

    // ---- surroundings

    @Override
    public long now() {
        return machine.now();
    }

    @Override
    public void after(long nanos, Runnable event) {
        machine.after(nanos, event);
    }

    @Override
    public void pause() {
        machine.yield();
    }

    @Override
    public long latencyNanos(boolean toServer) {
        return machine.drawNanos(weather.latencyNanos());
    }

    @Override
    public boolean refusesSend() {
        return machine.chance(weather.refusedPercent());
    }

    @Override
    public long repostNanos() {
        return machine.chance(weather.latePercent()) ? machine.drawNanos(LATE_NANOS) : 0;
    }

    @Override
    public int kernelMessages() {
        return weather.kernelMessages();
    }

    @Override
    public long kernelNanos() {
        return machine.drawNanos(weather.latencyNanos() / 2);
    }

    @Override
    public boolean acknowledgesBehindData() {
        return weather.acksBehindData();
    }

    // ---- what becomes of its connections

    @Override
    public void opened(SimulatedEndpoint endpoint) {
        endpoints.add(endpoint);
    }

    @Override
    public void delivered(SimulatedEndpoint endpoint, int bytes) {
        growth.delivered(endpoint, bytes);
    }
}
