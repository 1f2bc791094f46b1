// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivenetio.testing.TestSettings;
import io.reactivenetio.transport.BackendType;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** One listener, connections on several loops. That callbacks come on the right one, every {@link Party} checks. */
@OverEveryCombination
class LoopsContractTest extends Contract {
    private final List<Party> workers = new ArrayList<>();

    LoopsContractTest(Combination combination) {
        super(combination);
    }

    /** Of the server, which hands its connections to two more loops and itself, in turn. */
    private ListenEndpoint listen() {
        workers.add(server);
        workers.add(party("second", SMALL));
        workers.add(party("third", SMALL));
        AtomicInteger next = new AtomicInteger();
        return listen(remote -> workers.get(next.getAndIncrement() % 3).backend);
    }

    private ListenEndpoint listen(BackendChooser chooser) {
        return server.backend.openListenEndpoint(new InetSocketAddress(TestSettings.ADDRESS, 0), server.translate(SMALL), "mine",
                chooser);
    }

    private int accepted() {
        return workers.stream().mapToInt(party -> party.peers.size()).sum();
    }

    @Test
    void shouldRefuseNoChooser() {
        assertThatThrownBy(() -> server.backend.openListenEndpoint(new InetSocketAddress(TestSettings.ADDRESS, 0), SMALL, null,
                null)).isInstanceOf(NullPointerException.class).hasMessage("chooser");
    }

    @Test
    void shouldServeEachConnectionOnItsLoop() {
        int number = TestSettings.scaled(1_000);
        ListenEndpoint listener = listen();
        List<Peer> opened = new ArrayList<>();
        for (int i = 0; i < 9; i++) {
            opened.add(client.connect(listener, SMALL));
        }
        Party.await(() -> workers.stream().allMatch(party -> party.peers.size() == 3));
        for (Party party : workers) {
            Party.await(() -> party.peers.stream().allMatch(peer -> peer.established == 1));
            party.peers.forEach(peer -> peer.stream(number, 100));
            assertThat(party.peers).allSatisfy(peer -> {
                assertThat(peer.endpoint.listenEndpoint()).isSameAs(listener);
                assertThat(peer.endpoint.listenEndpoint().attachment()).isEqualTo("mine");
            });
        }
        opened.forEach(peer -> peer.stream(number, 100));
        Party.await(() -> opened.stream().allMatch(peer -> peer.received == number));
        Party.await(() -> workers.stream().allMatch(party -> party.peers.stream().allMatch(peer -> peer.received == number)));
    }

    @Test
    void shouldCloseWhatItSpawnedOnEveryLoop() {
        ListenEndpoint listener = listen();
        List<Peer> opened = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            opened.add(client.connect(listener, SMALL));
        }
        Party.await(() -> accepted() == 6);
        server.closeListener(listener);
        Party.await(() -> opened.stream().allMatch(peer -> peer.closed == 1));
        Party.await(() -> workers.stream().allMatch(party -> party.peers.stream().allMatch(peer -> peer.closed == 1)));
    }

    @Test
    void shouldLeaveConnectionsOfOtherLoopsAloneWhenTheListenersEnds() {
        ListenEndpoint listener = listen();
        List<Peer> opened = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            opened.add(client.connect(listener, SMALL));
        }
        Party.await(() -> accepted() == 3);
        server.run(() -> server.backend.stopListening(listener));
        opened.forEach(peer -> peer.stream(100, 100));
        Party.await(() -> workers.stream().allMatch(party -> party.peers.peek().received == 100));
        workers.get(1).loop.close();
        Party.await(() -> opened.stream().filter(peer -> peer.closed == 1).count() == 1);
        opened.stream().filter(peer -> peer.closed == 0).forEach(peer -> peer.stream(100, 100));
        Party.await(() -> server.peers.peek().received == 200 && workers.get(2).peers.peek().received == 200);
    }

    /** The loop that is to take a connection over is busy while its listener closes. */
    @Test
    void shouldCloseAConnectionThatIsOnItsWay() {
        workers.add(party("slow", SMALL));
        Party slow = workers.getFirst();
        ListenEndpoint listener = listen(remote -> slow.backend);
        CompletableFuture<Boolean> goOn = new CompletableFuture<>();
        slow.loop.execute(() -> goOn.orTimeout(Party.BOUND.toSeconds(), TimeUnit.SECONDS).join());
        AtomicInteger chosen = new AtomicInteger();
        ListenEndpoint other = listen(remote -> {
            chosen.incrementAndGet();
            return slow.backend;
        });
        Peer first = client.open(listener.localAddress(), SMALL);
        Peer second = client.open(other.localAddress(), SMALL);
        Party.await(() -> chosen.get() == 1);
        server.closeListener(other);
        server.closeListener(listener);
        goOn.complete(true);
        Party.await(() -> first.refused + first.closed == 1 && second.refused + second.closed == 1);
        Party.await(() -> slow.peers.stream().allMatch(peer -> peer.closed == 1));
    }

    /** The listener's whole loop is gone before the connection is taken over. */
    @Test
    void shouldCloseAConnectionThatIsOnItsWayWhenTheListenersLoopEnds() {
        Party slow = party("slow", SMALL);
        AtomicInteger chosen = new AtomicInteger();
        ListenEndpoint listener = listen(remote -> {
            chosen.incrementAndGet();
            return slow.backend;
        });
        CompletableFuture<Boolean> goOn = new CompletableFuture<>();
        slow.loop.execute(() -> goOn.orTimeout(Party.BOUND.toSeconds(), TimeUnit.SECONDS).join());
        Peer peer = client.open(listener.localAddress(), SMALL);
        Party.await(() -> chosen.get() == 1);
        server.loop.close();
        goOn.complete(true);
        Party.await(() -> peer.refused + peer.closed == 1);
        Party.await(() -> slow.peers.stream().allMatch(accepted -> accepted.closed == 1));
        Party.Pair later = client.connect(slow, slow.listen(SMALL), SMALL);
        later.opened().stream(10, 10);
        Party.await(() -> later.accepted().received == 10);
    }

    @Test
    void shouldRefuseWhatTheChooserGivesToNobody() {
        Party ended = party("ended", SMALL);
        ended.loop.close();
        Party otherKind = new Party("other", combination.isPlainTcp() ? BackendType.LIBFABRIC : BackendType.TCP,
                BackendConfig.defaults());
        List<BackendChooser> choosers = List.of(remote -> {
            throw new IllegalStateException("thrown by a chooser");
        }, remote -> {
            throw new AssertionError("thrown by a chooser");
        }, remote -> null, remote -> otherKind.backend, remote -> ended.backend);
        try {
            int before = 0; // once the loops have what they open once: that is more with some versions of libfabric
            for (BackendChooser chooser : choosers) {
                AtomicInteger calls = new AtomicInteger();
                ListenEndpoint listener = listen(remote -> {
                    assertThat(Addresses.inet(remote).getAddress().getHostAddress()).isEqualTo(TestSettings.ADDRESS);
                    return calls.incrementAndGet() == 2 ? server.backend : chooser.choose(remote);
                });
                Peer refused = client.open(listener.localAddress(), SMALL);
                Party.await(() -> refused.refused + refused.closed == 1); // TCP is connected before anybody is asked
                Party.Pair good = client.connect(server, listener, SMALL);
                good.opened().stream(10, 10);
                Party.await(() -> good.accepted().received == 10);
                server.closeListener(listener);
                Party.await(() -> good.opened().closed == 1);
                before = before > 0 ? before : NativeMemory.descriptors();
            }
            int most = before + 2;
            Party.await(() -> NativeMemory.descriptors() <= most);
        } finally {
            otherKind.close();
        }
        assertThat(ended.peers).isEmpty();
    }

    /** Those that other loops have not taken yet count as well. */
    @Test
    void shouldCountTheConnectionsOfAllLoopsAgainstTheLimit() {
        Party few = party("few", SMALL, config -> config.withMaxConnections(2));
        Party slow = party("slow", SMALL);
        ListenEndpoint listener = few.backend.openListenEndpoint(new InetSocketAddress(TestSettings.ADDRESS, 0),
                few.translate(SMALL), null, remote -> slow.backend);
        CompletableFuture<Boolean> goOn = new CompletableFuture<>();
        slow.loop.execute(() -> goOn.orTimeout(Party.BOUND.toSeconds(), TimeUnit.SECONDS).join());
        List<Peer> peers = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            peers.add(client.open(listener.localAddress(), SMALL));
        }
        Party.await(() -> peers.stream().filter(peer -> peer.refused + peer.closed == 1).count() == 3);
        goOn.complete(true);
        Party.await(() -> slow.peers.size() == 2 && slow.peers.stream().allMatch(peer -> peer.established == 1));
        Peer first = slow.peers.element();
        slow.closeEndpoint(first);
        Party.await(() -> first.closed == 1);
        client.connect(slow, listener, SMALL);
    }

    /** Parameters are checked against the backend that takes the connection. */
    @Test
    void shouldRefuseAConnectionThatItsBackendHasNoBuffersFor() {
        Assumptions.assumeFalse(combination.shared(), "of buffers that are not shared only");
        Party sharing = new Party("sharing", combination.type(), combination.config(SMALL)
                .withSharedReceiveBuffers(new SharedBuffers(64, 4)));
        ListenEndpoint listener = listen(remote -> sharing.backend);
        Peer peer = client.open(listener.localAddress(), SMALL);
        Party.await(() -> peer.refused + peer.closed == 1);
        assertThat(sharing.peers).isEmpty();
        sharing.close();
    }
}
