// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.soak;

import io.reactivenetio.transport.BackendType;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;

/** Connections through a proxy that delays, changes or cuts what passes. */
final class Wire implements Campaign {
    private static final int AT_A_TIME = 8;
    /** A peer that says nothing for three times 2 s is dead, and an end may be found late on a machine that is busy. */
    private static final Duration ROUND = Duration.ofSeconds(30);
    private static final Duration HOME = Duration.ofSeconds(5);

    @Override
    public String name() {
        return "wire";
    }

    @Override
    public String about() {
        return "bytes that are late, changed, cut off, or come one at a time, and connects in another order";
    }

    @Override
    public double share() {
        return 3;
    }

    @Override
    public void run(Ground ground) throws Exception {
        warmUp();
        int all = Arrays.stream(WireFault.values()).mapToInt(fault -> fault.backends().size()).sum();
        for (WireFault fault : WireFault.values()) {
            for (BackendType backend : fault.backends()) {
                run(ground, fault, backend, ground.time().dividedBy(all));
            }
        }
        ground.check("bytes that are changed, libfabric", "where it survives them",
                "not tried: its releases can crash on them, see SECURITY.md", true);
    }

    /** Has the JVM open what it keeps open, such as its poller of sockets. */
    static void warmUp() throws IOException, InterruptedException {
        try (WireTransfers transfers = new WireTransfers(BackendType.TCP, WireFault.ONE_BYTE);
                WireProxy proxy = new WireProxy(transfers.port(), WireFault.ONE_BYTE, 1)) {
            transfers.open(proxy.port());
            Waiting.within(ROUND, transfers::areOver);
        }
    }

    static void run(Ground ground, WireFault fault, BackendType backend, Duration time)
            throws IOException, InterruptedException {
        int before = ProcessFacts.ofThisProcess().descriptors();
        long begin = System.nanoTime();
        boolean inTime = true;
        boolean again = true;
        String seen;
        boolean holds;
        try (WireTransfers transfers = new WireTransfers(backend, fault)) {
            do {
                try (WireProxy proxy = new WireProxy(transfers.port(), fault, ground.random().nextLong())) {
                    for (int i = 0; i < AT_A_TIME; i++) {
                        transfers.open(proxy.port());
                    }
                    ground.progress(fault + ", " + backend + ": " + transfers.opened() + " connections");
                    again &= transfers.again();
                    inTime = Waiting.within(ROUND, transfers::areOver);
                }
            } while (inTime && System.nanoTime() - begin < time.toNanos());
            seen = transfers.toString();
            holds = transfers.holds();
        }
        boolean home = Waiting.within(HOME, () -> ProcessFacts.ofThisProcess().descriptors() <= before);
        ground.check(fault + ", " + backend,
                expected(fault) + "; nothing is left after 5 s, and a new connection is served within 1 s",
                seen + (inTime ? "" : ", not over after " + ROUND.toSeconds() + " s")
                        + (again ? "" : ", a new connection failed")
                        + (home ? "" : ", " + before + " descriptors are " + ProcessFacts.ofThisProcess().descriptors()),
                holds && again && home && inTime);
    }

    private static String expected(WireFault fault) {
        if (fault.completes()) {
            return "everything arrives, in order";
        }
        return fault.isUnseen() ? "one end on each side" : "an exact beginning arrives, and one end on each side";
    }
}
