// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.examples.SpareTime;
import io.reactivenetio.testing.TestSettings;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** When one side is killed the other says so, and does not hang. */
@Timeout(240)
class KilledPeerTest {
    /** Whoever hangs does so for ever. */
    private static final Duration LIMIT = TestSettings.patient(Duration.ofSeconds(60));
    private static final long SEED = System.nanoTime();
    private static final Random RANDOM = new Random(SEED);

    /** Until it is connected, plus a random time, in which buffers fill that nobody empties. */
    private static void letItRun(NetioProcess recv) {
        recv.awaitConnection();
        NetioProcess.pause(Duration.ofMillis(1_500 + RANDOM.nextInt(1000)));
    }

    private static void killAndExpectFailure(NetioProcess victim, NetioProcess survivor, Duration limit) {
        assertThat(survivor.isAlive()).as(survivor.err()).isTrue();
        victim.kill();
        long start = System.nanoTime();
        int code = survivor.exitCode(limit);
        System.out.printf("after %d ms: %s%n", (System.nanoTime() - start) / 1_000_000, survivor.problems());
        assertThat(code).as("seed %d, %s", SEED, survivor.err()).isEqualTo(1);
        assertThat(survivor.problems()).as("seed %d", SEED).hasSize(1);
        assertThat(survivor.problems().getFirst()).startsWith("netio: ");
        assertThat(survivor.out()).isEmpty();
    }

    private static NetioProcess silentSender(NetioProcess recv) {
        return NetioProcess.start("send", "--to", recv.address(), "-");
    }

    @Test
    void shouldNoticeKilledReceiverBeforeData() {
        try (NetioProcess recv = NetioProcess.receiver(); NetioProcess send = silentSender(recv)) {
            letItRun(recv);
            killAndExpectFailure(recv, send, LIMIT);
        }
    }

    @Test
    void shouldNoticeKilledSenderBeforeData() {
        try (NetioProcess recv = NetioProcess.receiver(); NetioProcess send = silentSender(recv)) {
            letItRun(recv);
            killAndExpectFailure(send, recv, LIMIT);
        }
    }

    @RepeatedTest(2)
    void shouldNoticeKilledReceiverInMidTransfer(RepetitionInfo repetition) {
        SpareTime.require(repetition);
        try (NetioProcess recv = NetioProcess.receiver(); NetioProcess send = NetioProcess.endlessSender(recv)) {
            letItRun(recv);
            killAndExpectFailure(recv, send, LIMIT);
        }
    }

    @RepeatedTest(2)
    void shouldNoticeKilledSenderInMidTransfer(RepetitionInfo repetition) {
        SpareTime.require(repetition);
        try (NetioProcess recv = NetioProcess.receiver(); NetioProcess send = NetioProcess.endlessSender(recv)) {
            letItRun(recv);
            killAndExpectFailure(send, recv, LIMIT);
        }
    }

    @Test
    void shouldNoticeKilledReceiverThatWasStarved() {
        try (NetioProcess recv = NetioProcess.receiver("--limit-rate", "1");
                NetioProcess send = NetioProcess.endlessSender(recv)) {
            letItRun(recv);
            killAndExpectFailure(recv, send, LIMIT);
        }
    }

    /** What had arrived, in buffers and in the kernel, is received first: some 300 messages here. */
    @Test
    void shouldNoticeKilledSenderWhenStarvedReceiverHasTakenWhatArrived() {
        try (NetioProcess recv = NetioProcess.receiver("--limit-rate", "300", "--buffers", "4");
                NetioProcess send = NetioProcess.endlessSender(recv)) {
            letItRun(recv);
            killAndExpectFailure(send, recv, LIMIT);
        }
    }
}
