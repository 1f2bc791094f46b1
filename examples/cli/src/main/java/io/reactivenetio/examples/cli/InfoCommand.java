// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.cli;

import io.reactivenetio.transport.backend.FabricInterface;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Shows what this machine offers. */
@Command(name = "info", description = "Show what this machine offers: libfabric, providers, devices, limits.")
public final class InfoCommand implements Callable<Integer> {
    @Option(names = "--json", description = "One JSON object on stdout.")
    private boolean json;

    /** Called by picocli. */
    public InfoCommand() {
    }

    @Override
    @SuppressWarnings("SystemOut") // the result of a command
    public Integer call() {
        FabricFacts fabric = FabricFacts.collect();
        System.out.println(json ? Json.write(object(fabric)) : table(fabric));
        return fabric.problem() == null ? 0 : CliException.FAILURE;
    }

    private static Map<String, Object> object(FabricFacts fabric) {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("libfabric", fabric.json());
        all.put("providers", fabric.providersJson());
        all.put("rdmaDevices", RdmaDevice.all().stream().map(RdmaDevice::json).toList());
        all.put("limits", pair("lockedMemory", Limit.of(Limit.LOCKED_MEMORY).json(),
                "openFiles", Limit.of(Limit.OPEN_FILES).json()));
        all.put("kernel", KernelFacts.collect().json());
        all.put("jdk", pair("version", Runtime.version(), "vm", System.getProperty("java.vm.name", "")));
        return all;
    }

    /** In this order, unlike Map.of. */
    private static Map<String, Object> pair(String key, Object value, String key2, Object value2) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put(key, value);
        members.put(key2, value2);
        return members;
    }

    private static String table(FabricFacts fabric) {
        StringJoiner rows = new StringJoiner(System.lineSeparator());
        row(rows, "libfabric", fabric.lines());
        row(rows, "providers", fabric.providers().entrySet().stream()
                .flatMap(provider -> lines(provider.getKey(), provider.getValue()).stream()).toList());
        row(rows, "RDMA devices", RdmaDevice.all().stream().map(RdmaDevice::text).toList());
        row(rows, "locked memory", List.of(Limit.of(Limit.LOCKED_MEMORY).text()));
        row(rows, "open files", List.of(Limit.of(Limit.OPEN_FILES).text()));
        KernelFacts kernel = KernelFacts.collect();
        row(rows, "kernel", List.of(kernel.version()));
        row(rows, "io_uring", List.of(kernel.ioUring()));
        row(rows, "JDK", List.of(Runtime.version() + ", " + System.getProperty("java.vm.name")));
        return rows.toString();
    }

    private static List<String> lines(String provider, List<FabricInterface> interfaces) {
        return interfaces.stream().map(i -> String.format("%-16s on %-8s %s",
                i == interfaces.getFirst() ? provider + " " + i.providerVersion() : "", i.domain(), i.address()).stripTrailing())
                .toList();
    }

    private static void row(StringJoiner rows, String label, List<String> values) {
        String first = values.isEmpty() ? "none" : values.getFirst();
        rows.add(String.format("%-14s %s", label, first));
        values.stream().skip(1).forEach(value -> rows.add(" ".repeat(15) + value));
    }
}
