// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.ffm.fabric;

import io.reactivenetio.ffm.LibC;
import io.reactivenetio.ffm.SockAddr;
import java.io.PrintStream;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.TreeSet;
import java.util.stream.Stream;

/** Runs in a child JVM of {@link FabricLoadingTest}: loads libfabric and does what is asked. */
@SuppressWarnings("restricted")
public final class LoadingMain {
    private static final PrintStream OUT = System.out;
    private static int sink;

    private LoadingMain() {
    }

    public static void main(String[] arguments) throws Throwable {
        try {
            switch (arguments[0]) {
                case "hazard" -> hazard();
                case "allocation" -> allocation();
                case "name" -> {
                    System.setProperty("netio.libfabric", libc().toString());
                    load();
                }
                case "version" -> {
                    LibFabric library = LibFabric.load();
                    OUT.println("version " + library.versionString() + " of " + library.path());
                }
                case "listen" -> listen();
                case "variable" -> {
                    LibFabric.setVariable("FI_PROVIDER", "none");
                    load();
                    LibFabric.setVariable("FI_PROVIDER", "none");
                }
                default -> load();
            }
        } catch (FabricUnavailableException e) {
            OUT.println("unavailable: " + e.getMessage());
        }
    }

    private static Path libc() throws Exception {
        try (Stream<String> maps = Files.lines(Path.of("/proc/self/maps"))) {
            return Path.of(maps.filter(line -> line.endsWith("libc.so.6")).findFirst().orElseThrow().replaceFirst("^[^/]*", ""));
        }
    }

    private static void load() throws Throwable {
        LibFabric library = LibFabric.load();
        OUT.println("loaded " + library.versionString());
        TreeSet<String> providers = new TreeSet<>();
        try (FiInfo hints = library.hints(); FiInfo all = library.getInfo(null, null, 0, hints)) {
            all.list().forEach(info -> providers.add(info.providerName().replaceAll(";.*", "")));
        } catch (FabricException e) {
            if (e.code() != Fi.FI_ENODATA) {
                throw e;
            }
        }
        OUT.println("providers " + providers);
        OUT.println("monitor " + nativeVariable("FI_MR_CACHE_MONITOR"));
    }

    private static void listen() {
        try (Loopback loopback = new Loopback(); FiPassiveEndpoint listener = loopback.listener()) {
            OUT.println("listens at " + SockAddr.text(listener.name()));
        }
    }

    private static String nativeVariable(String name) throws Throwable {
        var getenv = Linker.nativeLinker().downcallHandle(Linker.nativeLinker().defaultLookup().findOrThrow("getenv"),
                FunctionDescriptor.of(ValueLayout.ADDRESS, ValueLayout.ADDRESS));
        try (Arena arena = Arena.ofConfined()) {
            return LibC.cString((MemorySegment) getenv.invokeExact(arena.allocateFrom(name)));
        }
    }

    /** The JVM turns SIGSEGV into NullPointerException and uses it for safepoints: both must still work. */
    private static void hazard() {
        LibFabric library = LibFabric.load();
        try (FiInfo hints = library.hints(); FiInfo all = library.getInfo(null, null, 0, hints)) {
            sink += all.list().size();
        }
        int caught = 0;
        for (int i = 0; i < 200_000; i++) {
            try {
                sink += length(i % 10 == 0 ? null : "text");
            } catch (NullPointerException e) {
                caught++;
            }
            if (i % 10_000 == 0) {
                System.gc();
            }
        }
        OUT.println(caught == 20_000 ? "survived" : "caught " + caught);
    }

    /**
     * Bytes allocated by 50,000 messages after a warm-up of as many; less than a byte each counts as nothing. A warm-up is not
     * over before the JIT compiler is done, which may have to wait for a CPU.
     */
    private static void allocation() throws Exception {
        try (ConnectedPair pair = new ConnectedPair()) {
            exchange(pair, 50_000);
            long allocated = Long.MAX_VALUE;
            for (int i = 0; i < 10 && allocated >= 50_000; i++) {
                long before = allocatedBytes();
                exchange(pair, 50_000);
                allocated = allocatedBytes() - before;
            }
            OUT.println(allocated < 50_000 ? "allocated nothing" : "allocated " + allocated);
        }
    }

    private static void exchange(ConnectedPair pair, int messages) {
        Loopback loopback = pair.loopback;
        long descriptor = pair.region.descriptor();
        FiMessage gathered = new FiMessage(2);
        for (int i = 0; i < messages; i++) {
            sink += pair.server.recv(pair.at(4096), 64, descriptor, 1);
            sink += switch (i % 3) {
                case 0 -> pair.client.send(pair.at(0), 64, descriptor, 2);
                case 1 -> pair.client.sendMessage(pair.at(0), 64, descriptor, 2, Fi.FI_COMPLETION);
                default -> pair.client.sendMessage(gathered.clear().add(pair.at(0), 16, descriptor)
                        .add(pair.at(1024), 48, descriptor), 2, Fi.FI_COMPLETION);
            };
            int completed = 0;
            while (completed < 2) {
                int count = loopback.completions.read(8);
                for (int c = 0; c < count; c++) {
                    sink += (int) (loopback.completions.context(c) + loopback.completions.length(c));
                    sink += (int) loopback.completions.flags(c);
                }
                completed += Math.max(0, count);
                sink += loopback.fabric.tryWait(loopback.completions);
            }
            sink += loopback.events.read();
        }
    }

    /** com.sun.management.ThreadMXBean, by reflection: the module under test does not read java.management. */
    private static long allocatedBytes() throws Exception {
        Object bean = Class.forName("java.lang.management.ManagementFactory").getMethod("getThreadMXBean").invoke(null);
        return (long) Class.forName("com.sun.management.ThreadMXBean").getMethod("getCurrentThreadAllocatedBytes").invoke(bean);
    }

    private static int length(String text) {
        return text.length();
    }
}
