// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Who waits costs no CPU. */
@Timeout(300)
class IdleCostTest {
    private static final Duration WARM_UP = Duration.ofSeconds(3);
    private static final Duration MEASURED = Duration.ofSeconds(3);
    private static final double TICKS_PER_SECOND = 100;
    private static final int WINDOWS = 20;
    private static final double MOST = 0.05;

    @TempDir
    private Path directory;

    private static void expectIdle(NetioProcess recv, NetioProcess send) throws IOException {
        recv.awaitConnection();
        NetioProcess.pause(WARM_UP);
        double recvShare = 1;
        double sendShare = 1;
        for (int i = 0; i < WINDOWS && (recvShare >= MOST || sendShare >= MOST); i++) { // a compiler may be at work
            long recvBefore = recv.cpuTicks();
            long sendBefore = send.cpuTicks();
            long began = System.nanoTime();
            NetioProcess.pause(MEASURED);
            double ticks = TICKS_PER_SECOND * (System.nanoTime() - began) / 1e9;
            recvShare = Math.min(recvShare, (recv.cpuTicks() - recvBefore) / ticks);
            sendShare = Math.min(sendShare, (send.cpuTicks() - sendBefore) / ticks);
        }
        System.out.printf("CPU while idle: recv %.1f %%, send %.1f %% of a core%n", recvShare * 100, sendShare * 100);
        assertThat(recvShare).as("receiver").isLessThan(MOST);
        assertThat(sendShare).as("sender").isLessThan(MOST);
    }

    @Test
    void shouldCostNothingWithoutDemand() throws IOException {
        Path file = TestFiles.create(directory, 20_000_000);
        try (NetioProcess recv = NetioProcess.receiver("--limit-rate", "0.02");
                NetioProcess send = NetioProcess.start("send", "--to", recv.address(), file.toString())) {
            expectIdle(recv, send);
        }
    }

    @Test
    void shouldCostLittleAtOneMessagePerSecond() throws IOException {
        Path file = TestFiles.create(directory, 20_000_000);
        try (NetioProcess recv = NetioProcess.receiver("--limit-rate", "1");
                NetioProcess send = NetioProcess.start("send", "--to", recv.address(), file.toString())) {
            expectIdle(recv, send);
        }
    }

    @Test
    void shouldCostNothingWhenNothingIsSent() throws IOException {
        try (NetioProcess recv = NetioProcess.receiver();
                NetioProcess send = NetioProcess.start("send", "--to", recv.address(), "-")) {
            expectIdle(recv, send);
        }
    }
}
