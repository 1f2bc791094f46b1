// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Who waits costs no CPU: three pairs of processes that are idle for different reasons, measured at once. */
@Timeout(300)
class IdleCostTest {
    private static final Duration WARM_UP = Duration.ofSeconds(3);
    private static final Duration MEASURED = Duration.ofSeconds(3);
    private static final double TICKS_PER_SECOND = 100;
    private static final int WINDOWS = 20;
    private static final double MOST = 0.05;

    @TempDir
    private Path directory;

    /** Two ends that are idle for one reason, and the smallest share of a core that each has had so far. */
    private static final class Pair implements AutoCloseable {
        private final String name;
        private final List<NetioProcess> ends;
        private final long[] before = new long[2];
        private final double[] least = {1, 1};

        Pair(String name, NetioProcess recv, String source) {
            this.name = name;
            this.ends = List.of(recv, NetioProcess.start("send", "--to", recv.address(), source));
        }

        void begin() throws IOException {
            for (int i = 0; i < before.length; i++) {
                before[i] = ends.get(i).cpuTicks();
            }
        }

        void end(double ticks) throws IOException {
            for (int i = 0; i < before.length; i++) {
                least[i] = Math.min(least[i], (ends.get(i).cpuTicks() - before[i]) / ticks);
            }
        }

        boolean idle() {
            return least[0] < MOST && least[1] < MOST;
        }

        @Override
        public void close() {
            ends.forEach(NetioProcess::close);
        }

        @Override
        public String toString() {
            return String.format(Locale.ROOT, "%s: recv %.1f %%, send %.1f %% of a core", name, least[0] * 100, least[1] * 100);
        }
    }

    @Test
    void shouldCostNothingWithoutDemandAtALowRateAndWithoutData() throws IOException {
        String file = TestFiles.create(directory, 20_000_000).toString();
        try (Pair starved = new Pair("without demand", NetioProcess.receiver("--limit-rate", "0.02"), file);
                Pair slow = new Pair("at one message per second", NetioProcess.receiver("--limit-rate", "1"), file);
                Pair silent = new Pair("when nothing is sent", NetioProcess.receiver(), "-")) {
            List<Pair> all = List.of(starved, slow, silent);
            all.forEach(pair -> pair.ends.getFirst().awaitConnection(pair.ends.getLast()));
            NetioProcess.pause(WARM_UP);
            for (int i = 0; i < WINDOWS && !all.stream().allMatch(Pair::idle); i++) { // a compiler may be at work
                measure(all);
            }
            System.out.println("CPU while idle: " + all);
            assertThat(all).allMatch(Pair::idle);
        }
    }

    private static void measure(List<Pair> all) throws IOException {
        for (Pair pair : all) {
            pair.begin();
        }
        long began = System.nanoTime();
        NetioProcess.pause(MEASURED);
        double ticks = TICKS_PER_SECOND * (System.nanoTime() - began) / 1e9;
        for (Pair pair : all) {
            pair.end(ticks);
        }
    }
}
