// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** Which threads may call a backend, and what happens if they do. */
@OverEveryCombination
class ThreadsContractTest extends Contract {
    ThreadsContractTest(Combination combination) {
        super(combination);
    }

    /** Whoever keeps books by the key would cross out the new send and keep the old one. */
    @Test
    void shouldLendNoBufferAgainBeforeItsKeyIsTold() {
        Assumptions.assumeTrue(combination.isSafe());
        ConnectionParameters one = SMALL.withSendBuffers(64, 1);
        restart(SMALL, one);
        Peer peer = client.connect(server.listen(SMALL), one);
        CompletableFuture<Boolean> reached = new CompletableFuture<>();
        CompletableFuture<Boolean> goOn = new CompletableFuture<>();
        client.onCompleted = completed -> {
            reached.complete(true);
            goOn.orTimeout(30, TimeUnit.SECONDS).join();
        };
        peer.stream(1, 8);
        reached.orTimeout(30, TimeUnit.SECONDS).join();
        SendBuffer lent = client.backend.getBuffer(peer.endpoint);
        goOn.complete(true);
        assertThat(lent).isNull();
        Party.await(() -> peer.resources > 0);
        SendBuffer then = client.backend.getBuffer(peer.endpoint);
        assertThat(then).isNotNull();
        then.release();
    }
}
