// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.backend;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.testing.TestSettings;
import io.reactivenetio.transport.SendCompletion;
import java.time.Duration;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Credits seen from the sender: where nothing buffers in between, as many sends complete as receives are posted. */
@OverEveryCombination
class CreditsContractTest extends Contract {
    private static final int POSTED = 8;
    /** More than any provider has in its transmit queue. */
    private static final ConnectionParameters WIDE = SMALL.withSendBuffers(64, 1_000);
    private static final long SETTLING = TestSettings.patient(Duration.ofMillis(100)).toMillis();

    CreditsContractTest(Combination combination) {
        super(combination);
    }

    @BeforeEach
    void assumeNothingBuffers() {
        Assumptions.assumeTrue(combination.completesAtThePeer(SendCompletion.DELIVERED), "of libfabric only");
        restart(SMALL, WIDE);
        server.onEstablished = peer -> peer.hold = true;
    }

    /** What a completion means without asking for more, if that is the same: on verbs it is. */
    private SendCompletion level() {
        return combination.completesAtThePeer(SendCompletion.TRANSMITTED) ? SendCompletion.TRANSMITTED
                : SendCompletion.DELIVERED;
    }

    @Test
    void shouldCompleteExactlyAsManySendsAsReceivesArePosted() {
        Party.Pair pair = client.connect(server, server.listen(SMALL), WIDE);
        Peer sender = pair.opened();
        Peer receiver = pair.accepted();
        sender.stream(1_000_000, 64, level());
        Party.await(() -> sender.completed >= POSTED && sender.out.turnedAway > 0);
        client.settle(); // a sender that goes on with the last buffer may have to wait for a CPU
        Party.sleep(SETTLING); // for what must not come, there is nothing to wait for
        client.settle();
        long queue = sender.out.accepted - POSTED;
        assertThat(queue).as("the provider's transmit queue").isBetween(1L, 999L);
        // so it was sendBuffer that said NO_RESOURCES, and not that there was no buffer to send
        assertThat(client.on(() -> client.backend.freeSendBuffers(sender.endpoint))).isPositive();
        int credits = POSTED;
        expectExactly(pair, credits, queue);
        for (int n : new int[] {1, 3, 7, 2, 8}) {
            credits += n;
            server.run(() -> receiver.release(n));
            int all = credits;
            Party.await(() -> sender.completed >= all && sender.out.accepted >= all + queue);
            Party.sleep(SETTLING);
            expectExactly(pair, credits, queue);
        }
        client.closeEndpoint(sender);
        Party.await(() -> sender.closed == 1);
        assertThat(sender.cancelled).isEqualTo((int) queue);
        receiver.hold = false;
        receiver.release(POSTED); // tcp does not see the end without a receive
        Party.await(() -> receiver.closed == 1);
    }

    private static void expectExactly(Party.Pair pair, int credits, long queue) {
        Party.await(() -> pair.accepted().received >= credits); // what was completed may wait for the receiver's next turn
        assertThat(pair.accepted().received).as("received").isEqualTo(credits);
        assertThat(pair.opened().completed).as("completed").isEqualTo(credits);
        assertThat(pair.opened().out.accepted).as("accepted").isEqualTo(credits + queue);
    }

    /** A receiver that is not ready is no error, however long it takes: on verbs the number of tries has no limit. */
    @Test
    void shouldWaitForAReceiverThatIsNotReady() {
        Party.Pair pair = client.connect(server, server.listen(SMALL), WIDE);
        pair.opened().stream(20, 64, level());
        Party.await(() -> pair.opened().completed == POSTED);
        Party.sleep(3_000); // thousands of tries
        assertThat(pair.opened().closed + pair.accepted().closed).isZero();
        assertThat(pair.opened().completed).isEqualTo(POSTED);
        pair.accepted().hold = false;
        pair.accepted().release(POSTED);
        Party.await(() -> pair.accepted().received == 20 && pair.opened().completed == 20);
    }
}
