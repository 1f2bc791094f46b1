// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.examples.SpareTime;
import io.reactivenetio.testing.AtFullScale;
import io.reactivenetio.testing.TestSettings;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** When one side is killed, which is a process of its own, the other says so, and does not hang. */
@Timeout(240)
class KilledPeerTest {
    /** Whoever hangs does so for ever. */
    private static final Duration LIMIT = TestSettings.patient(Duration.ofSeconds(60));
    private static final long SEED = System.nanoTime();
    private static final Random RANDOM = new Random(SEED);

    /** Until it is connected with {@code other}, plus a random time, in which buffers fill that nobody empties. */
    private static void letItRun(NetioProcess side, NetioRun other) {
        side.awaitConnection(other);
        NetioProcess.pause(Duration.ofMillis(500 + RANDOM.nextInt(500)));
    }

    private static void killAndExpectFailure(NetioProcess victim, NetioRun survivor) {
        assertThat(survivor.isAlive()).as(survivor.err()).isTrue();
        victim.kill();
        long start = System.nanoTime();
        int code = survivor.exitCode(LIMIT);
        System.out.printf("after %d ms: %s%n", (System.nanoTime() - start) / 1_000_000, survivor.problems());
        assertThat(code).as("seed %d, %s", SEED, survivor.err()).isEqualTo(1);
        assertThat(survivor.problems()).as("seed %d", SEED).hasSize(1);
        assertThat(survivor.problems().getFirst()).startsWith("netio: ");
        assertThat(survivor.out()).isEmpty();
    }

    private static NetioProcess silentSender(NetioRun recv) {
        return NetioProcess.start("send", "--to", recv.address(), "-");
    }

    @AtFullScale
    @Test
    void shouldNoticeKilledReceiverBeforeData() {
        try (NetioProcess recv = NetioProcess.receiver(); NetioProcess send = silentSender(recv)) {
            letItRun(recv, send);
            killAndExpectFailure(recv, send);
        }
    }

    @Test
    void shouldNoticeKilledSenderBeforeData() {
        try (NetioCall recv = NetioCall.receiver(); NetioProcess send = silentSender(recv)) {
            letItRun(send, recv);
            killAndExpectFailure(send, recv);
        }
    }

    @RepeatedTest(2)
    void shouldNoticeKilledReceiverInMidTransfer(RepetitionInfo repetition) {
        SpareTime.require(repetition);
        try (NetioProcess recv = NetioProcess.receiver(); NetioCall send = NetioCall.endlessSender(recv)) {
            letItRun(recv, send);
            killAndExpectFailure(recv, send);
        }
    }

    @RepeatedTest(2)
    void shouldNoticeKilledSenderInMidTransfer(RepetitionInfo repetition) {
        SpareTime.require(repetition);
        try (NetioCall recv = NetioCall.receiver(); NetioProcess send = NetioProcess.endlessSender(recv)) {
            letItRun(send, recv);
            killAndExpectFailure(send, recv);
        }
    }

    @Test
    void shouldNoticeKilledReceiverThatWasStarved() {
        try (NetioProcess recv = NetioProcess.receiver("--limit-rate", "1");
                NetioCall send = NetioCall.endlessSender(recv)) {
            letItRun(recv, send);
            killAndExpectFailure(recv, send);
        }
    }

    /** What had arrived, in buffers and in the kernel, is received first: some 300 messages here. */
    @Test
    void shouldNoticeKilledSenderWhenStarvedReceiverHasTakenWhatArrived() {
        try (NetioCall recv = NetioCall.receiver("--limit-rate", "300", "--buffers", "4");
                NetioProcess send = NetioProcess.endlessSender(recv)) {
            letItRun(send, recv);
            killAndExpectFailure(send, recv);
        }
    }
}
