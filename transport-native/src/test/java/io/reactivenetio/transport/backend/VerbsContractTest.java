// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivenetio.testing.TestSettings;
import io.reactivenetio.transport.exceptions.NetioBindException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What holds over verbs besides the contract: docs/networks.md. */
@OverEveryCombination
class VerbsContractTest extends Contract {
    /** A third of it is how long an answer may take, also from a machine that stands still for a moment. */
    private static final Duration KEEP_ALIVE = Duration.ofSeconds(6);

    VerbsContractTest(Combination combination) {
        super(combination);
    }

    @BeforeEach
    void assumeVerbs() {
        Assumptions.assumeTrue(combination.isVerbs(), "of verbs only: ./netio test --rdma");
    }

    @Test
    void shouldSayWhereTheDevicesAreIfAnAddressBelongsToNone() {
        String devices = "; RDMA devices are at ";
        assertThatThrownBy(() -> server.listen(new InetSocketAddress("192.0.2.1", 0), SMALL))
                .isInstanceOf(NetioBindException.class).hasMessageContaining("cannot listen on 192.0.2.1:0 with provider verbs")
                .hasMessageContaining(devices).hasMessageContaining(TestSettings.ADDRESS + " (");
        Peer peer = client.open(new InetSocketAddress("127.0.0.1", 4711), SMALL);
        Party.await(() -> peer.refused == 1);
        assertThat(peer.reason).hasMessageContaining("127.0.0.1:4711");
    }

    /** Both ends are asked many times, which takes none of their receive buffers. */
    @Test
    void shouldKeepAnIdleConnection() {
        Party server = party("watching server", SMALL, config -> config.withKeepAlive(KEEP_ALIVE));
        Party client = party("watching client", SMALL, config -> config.withKeepAlive(KEEP_ALIVE));
        Party.Pair pair = client.connect(server, server.listen(SMALL), SMALL);
        Party.sleep(9_000);
        assertThat(pair.opened().closed + pair.accepted().closed).isZero();
        assertThat(server.on(() -> server.backend.creditsPosted(pair.accepted().endpoint))).isEqualTo(8);
        assertThat(pair.accepted().received + pair.opened().completed).isZero();
        pair.opened().stream(100, 100);
        Party.await(() -> pair.accepted().received == 100 && pair.opened().completed == 100);
    }

    /** A program that does nothing for a while has not vanished: its network card answers. */
    @Test
    void shouldKeepAConnectionWhosePeerIsBusy() {
        Party client = party("watching client", SMALL, config -> config.withKeepAlive(KEEP_ALIVE));
        Party.Pair pair = client.connect(server, server.listen(SMALL), SMALL);
        CompletableFuture<Boolean> goOn = new CompletableFuture<>();
        server.loop.execute(() -> goOn.orTimeout(Party.BOUND.toSeconds(), TimeUnit.SECONDS).join());
        Party.sleep(9_000);
        assertThat(pair.opened().closed).isZero();
        goOn.complete(true);
        pair.opened().stream(10, 10);
        Party.await(() -> pair.accepted().received == 10);
    }

    /** Everything that can be posted completes while nobody looks: the completion queue has room for all of it. */
    @Test
    void shouldNotOverrunTheCompletionQueue() {
        Party.Pair pair = client.connect(server, server.listen(SMALL), SMALL);
        CompletableFuture<Boolean> goOn = new CompletableFuture<>();
        server.run(() -> pair.accepted().stream(500, 100));
        server.loop.execute(() -> goOn.orTimeout(Party.BOUND.toSeconds(), TimeUnit.SECONDS).join());
        pair.opened().stream(500, 100);
        Party.sleep(1_000);
        goOn.complete(true);
        Party.await(() -> pair.accepted().received == 500 && pair.opened().received == 500);
        Party.await(() -> pair.accepted().completed == 500 && pair.opened().completed == 500);
    }
}
