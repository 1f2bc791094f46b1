// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.simulation;

import io.reactivenetio.api.Network;
import io.reactivenetio.connection.RdmaDevices;
import io.reactivenetio.simulated.SimulatedNetwork.Reach;
import io.reactivenetio.simulation.Step.Side;
import io.reactivenetio.transport.BackendType;
import java.net.InetAddress;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** The networks between the hosts of a world, as they are at a moment. */
final class WorldWays {
    /** What clients call the server. */
    static final String NAME = "detector";
    /** The first address of the name. */
    static final String HOST = "10.0.0.1";

    private final Scenario.Ways ways;
    private final WorldNetwork network;
    private final List<InetAddress> addresses;
    private final Map<Side, RdmaDevices> devices = new EnumMap<>(Side.class);
    private boolean unplugged;

    WorldWays(Scenario.Ways ways, WorldNetwork network) {
        this.ways = ways;
        this.network = network;
        devices.put(Side.SERVER, ways.serverHasRdma() ? new RdmaDevices(List.of("mlx5_0"), false) : RdmaDevices.NONE);
        devices.put(Side.CLIENT, ways.clientHasRdma() ? new RdmaDevices(List.of("mlx5_1"), false) : RdmaDevices.NONE);
        addresses = IntStream.rangeClosed(1, ways.tcp().size())
                .mapToObj(i -> InetAddress.ofLiteral("10.0.0." + i)).toList();
        network.ways().name(NAME, addresses);
        for (int i = 0; i < addresses.size(); i++) {
            network.ways().reach(BackendType.LIBFABRIC, addresses.get(i), ways.verbs().get(i));
            network.ways().reach(BackendType.TCP, addresses.get(i), ways.tcp().get(i));
        }
    }

    RdmaDevices devices(Side side) {
        return devices.getOrDefault(side, RdmaDevices.NONE);
    }

    void unplug(Side side) {
        devices.put(side, RdmaDevices.NONE);
        addresses.forEach(address -> network.ways().reach(BackendType.LIBFABRIC, address, Reach.SILENT));
        unplugged = true;
    }

    boolean isUnplugged() {
        return unplugged;
    }

    /** What a new connection is to be carried by. */
    Network fastest(boolean oneLoop) {
        boolean both = devices(Side.SERVER).arePresent() && (oneLoop || devices(Side.CLIENT).arePresent());
        return both && ways.verbs().contains(Reach.ANSWERS) ? Network.VERBS : Network.PLAIN_TCP;
    }
}
