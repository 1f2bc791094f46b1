// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** Questions for an acknowledgement without a message: what they tell, and what they take from the peer, which is nothing. */
@OverEveryCombination
class AcknowledgementContractTest extends Contract {

    AcknowledgementContractTest(Combination combination) {
        super(combination);
    }

    private boolean asks() {
        return !combination.isVerbs();
    }

    private static boolean ask(Peer peer) {
        return peer.party.onLoop(() -> peer.party.backend.askForAcknowledgement(peer.endpoint));
    }

    /** Asks on the loop, again and again. */
    private static void askAgain(Peer peer, int times) {
        peer.party.onAcknowledged = each -> {
            if (each.acknowledged < times) {
                each.party.check(each.party.backend.askForAcknowledgement(each.endpoint), "asks again");
            }
        };
    }

    @Test
    void shouldSayWhetherItCanAsk() {
        Peer peer = client.connect(server.listen(SMALL), SMALL);
        assertThat(client.on(() -> client.backend.canAskForAcknowledgement(peer.endpoint))).isEqualTo(asks());
        assertThatThrownBy(() -> client.backend.askForAcknowledgement(peer.endpoint)).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("not on the event loop");
        assertThat(ask(peer)).isEqualTo(asks());
        Party.await(() -> peer.acknowledged == (asks() ? 1 : 0));
    }

    @Test
    void shouldAcknowledgeOnlyWhatWasReceived() {
        Assumptions.assumeTrue(asks() && !combination.isPlainTcp(), "of libfabric's tcp only: a kernel acknowledges for itself");
        server.onEstablished = accepted -> accepted.hold = true;
        Party.Pair pair = client.connect(server, server.listen(SMALL), SMALL);
        pair.opened().stream(20, 100); // and the server has eight receive buffers
        Party.await(() -> pair.accepted().received == 8 && pair.opened().completed >= 12);
        assertThat(ask(pair.opened())).isTrue();
        client.settle();
        server.settle();
        assertThat(pair.opened().acknowledged).isZero();
        server.run(() -> {
            pair.accepted().hold = false;
            pair.accepted().release(8);
        });
        Party.await(() -> pair.opened().acknowledged == 1);
        assertThat(pair.accepted().received).isEqualTo(20);
    }

    @Test
    void shouldTakeNothingFromThePeer() {
        Assumptions.assumeTrue(asks(), "not of verbs");
        Party.Pair pair = client.connect(server, server.listen(SMALL), SMALL);
        int credits = server.on(() -> server.backend.creditsPosted(pair.accepted().endpoint));
        askAgain(pair.opened(), 1_000);
        askAgain(pair.accepted(), 1_000);
        assertThat(ask(pair.opened()) && ask(pair.accepted())).isTrue();
        pair.opened().stream(1_000, 100);
        pair.accepted().stream(1_000, 100);
        Party.await(() -> pair.opened().acknowledged == 1_000 && pair.accepted().acknowledged == 1_000);
        Party.await(() -> pair.accepted().received == 1_000 && pair.opened().received == 1_000);
        Party.await(() -> server.on(() -> server.backend.creditsPosted(pair.accepted().endpoint)) == credits);
    }

    @Test
    void shouldAnswerAPeerThatReceivesNothing() {
        Assumptions.assumeTrue(asks() && client.config.sharedReceiveBuffers() == null, "not of verbs, unless shared");
        ConnectionParameters sending = SMALL.withReceiveBuffers(0, 0);
        restart(sending, SMALL);
        Party.Pair pair = client.connect(server, server.listen(sending), SMALL);
        assertThat(ask(pair.opened())).isTrue();
        Party.await(() -> pair.opened().acknowledged == 1);
    }

    @Test
    void shouldNotAskOnAConnectionThatIsOver() {
        Party.Pair pair = client.connect(server, server.listen(SMALL), SMALL);
        boolean asked = client.onLoop(() -> {
            client.backend.askForAcknowledgement(pair.opened().endpoint);
            client.backend.closeActiveEndpoint(pair.opened().endpoint);
            return client.backend.askForAcknowledgement(pair.opened().endpoint);
        });
        assertThat(asked).isFalse();
        Party.await(() -> pair.opened().closed == 1 && pair.accepted().closed == 1);
        assertThat(ask(pair.opened()) || ask(pair.accepted())).isFalse();
    }
}
