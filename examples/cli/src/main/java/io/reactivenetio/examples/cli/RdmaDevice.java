// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * An RDMA device of this machine and its first port.
 *
 * @param state of the port, as the kernel says it, for instance {@code 4: ACTIVE}
 * @param linkLayer {@code InfiniBand} or {@code Ethernet}
 */
record RdmaDevice(String name, String state, String linkLayer) {
    private static final Path DEVICES = Path.of("/sys/class/infiniband");

    static List<RdmaDevice> all() {
        try (Stream<Path> devices = Files.list(DEVICES)) {
            return devices.sorted().map(RdmaDevice::of).toList();
        } catch (IOException e) {
            return List.of();
        }
    }

    private static RdmaDevice of(Path device) {
        Path port = device.resolve("ports/1");
        return new RdmaDevice(device.getFileName().toString(), KernelFacts.read(port.resolve("state")),
                KernelFacts.read(port.resolve("link_layer")));
    }

    String text() {
        return (name + " " + state + " " + linkLayer).stripTrailing();
    }

    Map<String, Object> json() {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("name", name);
        members.put("state", state);
        members.put("linkLayer", linkLayer);
        return members;
    }
}
