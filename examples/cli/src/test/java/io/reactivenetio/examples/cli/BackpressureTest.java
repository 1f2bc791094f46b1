// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.testing.AtFullScale;
import io.reactivenetio.testing.TestSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A slow receiver slows the sender down, and neither grows: processes of their own, whose memory can be told. */
@Timeout(180)
class BackpressureTest {
    /** With C2, without which the digests of so many bytes take most of the time. */
    private static final List<String> SMALL_HEAP = List.of("-Xmx64m", "-XX:TieredStopAtLevel=4");
    private static final int SIZE = 61_440;
    private static final int BUFFERS = 32;
    private static final int PREFETCH = 8;
    /**
     * A stream asks ahead by what its subscriber takes in two round trips, which take long on a busy machine. This is the limit
     * that a stream has in any case.
     */
    private static final long AHEAD_BYTES = 16 << 20;
    /** Bytes, several times what memory may grow by. */
    private static final int BIG = 120_000_000;
    /** Messages per second: less than a slow machine manages, so that it is the receiver who holds the sender back. */
    private static final int RATE = 500;

    @TempDir
    private Path directory;

    private record Result(JsonReport sent, JsonReport received, long sendKib, long recvKib) {
    }

    private Result transfer(String framing, int bytes, int perSecond) throws IOException {
        Path file = TestFiles.create(directory, bytes);
        try (NetioProcess recv = NetioProcess.receiver(SMALL_HEAP, "--framing", framing, "--json",
                "--limit-rate", Integer.toString(perSecond), "--out", directory.resolve("copy").toString());
                NetioProcess send = NetioProcess.start(SMALL_HEAP, Map.of(), "send", "--framing", framing, "--json", "--to",
                        recv.address(), "--message-size", Integer.toString(SIZE), file.toString())) {
            long[] recvKib = new long[1];
            Thread watcher = Thread.ofVirtual().start(() -> recvKib[0] = recv.peakResidentKib());
            long sendKib = send.peakResidentKib();
            send.expectSuccess();
            recv.expectSuccess();
            watcher.join();
            return new Result(JsonReport.of(send), JsonReport.of(recv), sendKib, recvKib[0]);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"raw", "stream"})
    void shouldHoldSenderBackWithoutGrowing(String framing) throws IOException {
        Assumptions.assumeTrue(TestSettings.FULL || framing.equals("raw"), AtFullScale.REASON);
        Result small = transfer(framing, 20_000_000, RATE / 4); // longer, or its peak might be missed
        Result big = transfer(framing, BIG, RATE);
        System.out.printf("20 MB: %s%n120 MB: %s%n", small, big);

        if (framing.equals("raw")) { // with streams it is the receiver's demand that the sender runs out of
            assertThat(small.sent.noResources() + big.sent.noResources())
                    .as("in one of them the sender was faster, however busy the machine").isPositive();
        }
        assertThat(big.received.maxBufferedBytes()).isPositive()
                .isLessThanOrEqualTo(framing.equals("stream") ? AHEAD_BYTES : (BUFFERS + PREFETCH) * (long) SIZE);
        assertThat(big.received.sha256()).isEqualTo(big.sent.sha256());
        assertThat(big.received.seconds()).as("the rate is kept").isGreaterThan((double) BIG / SIZE / RATE * 0.95);
        assertThat(big.sendKib).as("sender's peak RSS in KiB").isLessThan(small.sendKib + 50_000);
        assertThat(big.recvKib).as("receiver's peak RSS in KiB").isLessThan(small.recvKib + 50_000);
    }

    @Test
    void shouldKeepLowRate() throws IOException {
        Path file = TestFiles.create(directory, 30);
        try (NetioCall recv = NetioCall.receiver("--json", "--limit-rate", "10", "--buffers", "1");
                NetioCall send = NetioCall.start("send", "--to", recv.address(), "--message-size", "1", file.toString())) {
            send.expectSuccess();
            recv.expectSuccess();
            assertThat(JsonReport.of(recv).seconds()).isBetween(2.5, 60.0);
        }
    }
}
