// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.connection;

import io.reactivenetio.api.Network;
import io.reactivenetio.transport.backend.FabricInterface;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The RDMA devices that the kernel has, as sysfs tells. Where there is none, nobody has to load libfabric to find that out.
 *
 * @param names such as mlx5_0; empty if there is none
 * @param takesTcpPorts whether one of them is an iWARP device, whose listeners need a port that no TCP listener has
 */
public record RdmaDevices(List<String> names, boolean takesTcpPorts) {
    /** What a machine without RDMA has. */
    public static final RdmaDevices NONE = new RdmaDevices(List.of(), false);

    private static final Path SYSFS = Path.of("/sys/class/infiniband");
    /** The node type of iWARP devices: RDMA NIC. InfiniBand and RoCE are 1, channel adapter. */
    private static final String RNIC = "4:";

    /** Returns the devices of this machine at this moment. They come and go. */
    public static RdmaDevices ofThisMachine() {
        return in(SYSFS);
    }

    /** Returns at which addresses verbs is, of the interfaces that libfabric lists. */
    static List<InetAddress> addresses(List<FabricInterface> interfaces) {
        return interfaces.stream().filter(one -> one.provider().equals(Network.VERBS.provider()) && !one.address().isEmpty())
                .map(one -> InetAddress.ofLiteral(one.address().replaceAll("[\\[\\]]", ""))).distinct().toList();
    }

    static RdmaDevices in(Path sysfs) {
        List<String> names = new ArrayList<>();
        boolean iwarp = false;
        try (DirectoryStream<Path> devices = Files.newDirectoryStream(sysfs)) {
            for (Path device : devices) {
                names.add(device.getFileName().toString());
                iwarp |= Files.readString(device.resolve("node_type")).startsWith(RNIC);
            }
        } catch (IOException e) { // no such directory, or the device has just gone
            return names.isEmpty() ? NONE : new RdmaDevices(List.copyOf(names), iwarp);
        }
        return new RdmaDevices(List.copyOf(names), iwarp);
    }

    /** Whether there is one. */
    public boolean arePresent() {
        return !names.isEmpty();
    }
}
