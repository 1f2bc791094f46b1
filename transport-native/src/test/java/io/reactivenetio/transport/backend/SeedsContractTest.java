// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.backend;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.testing.TestSettings;
import io.reactivenetio.transport.SendCompletion;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Whatever happens in whatever order: each key is told once, each connection ends once, nothing throws. The checks are those of
 * {@link Party}; a failure names its seed, and {@code -Dnetio.test.seed=n} runs that one.
 */
@OverEveryCombination
@Timeout(600)
class SeedsContractTest extends Contract {
    private static final int MAIN = TestSettings.scaled(400);
    private static final int OTHERS = TestSettings.scaled(150);
    private static final int SIZE = 256;

    private MemoryRegion region;
    private Random random;
    private Party mortal;
    private final List<Peer> opened = new ArrayList<>();

    SeedsContractTest(Combination combination) {
        super(combination);
    }

    @Test
    void shouldTellEveryKeyOnceInRandomLives() {
        Integer only = Integer.getInteger("netio.test.seed");
        int seeds = combination.isSafe() || combination.shared() ? OTHERS : MAIN;
        restart(buffers(8), buffers(8));
        region = MemoryRegion.allocate(16L * Outgoing.ZERO_COPY_SLOTS * SIZE);
        for (int seed = only == null ? 0 : only; seed < (only == null ? seeds : only + 1); seed++) {
            try {
                life(seed);
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("seed " + seed, e);
            }
        }
        region.close();
    }

    private static ConnectionParameters buffers(int number) {
        return new ConnectionParameters(SIZE, number, SIZE, number);
    }

    private void life(int seed) {
        random = new Random(seed);
        opened.clear();
        List<ListenEndpoint> listeners = new ArrayList<>();
        listeners.add(server.listen(parameters()));
        listeners.add(server.listen(parameters()));
        boolean mayKill = random.nextInt(4) == 0;
        mortal = mayKill ? new Party("mortal", combination.type(), combination.config(buffers(1 + random.nextInt(8)))) : client;
        for (int step = 0; step < 15; step++) {
            step(listeners);
            if (random.nextInt(3) == 0) {
                Party.sleep(random.nextInt(2)); // so that lives differ in what is done when the next step comes
            }
        }
        if (mayKill) {
            mortal.loop.close();
        } else {
            opened.forEach(mortal::closeEndpoint);
        }
        end(listeners);
        if (mayKill) {
            mortal.close();
        }
    }

    private ConnectionParameters parameters() {
        return new ConnectionParameters(SIZE, 1 + random.nextInt(8), SIZE, 1 + random.nextInt(8));
    }

    private void step(List<ListenEndpoint> listeners) {
        int what = random.nextInt(12);
        if (what <= 1 || opened.isEmpty()) {
            open(listeners.get(random.nextInt(listeners.size())));
        } else if (what <= 5) {
            stream(opened.get(random.nextInt(opened.size())));
        } else if (what <= 6) {
            List<Peer> accepted = List.copyOf(server.peers);
            accepted.forEach(peer -> peer.stream(random.nextInt(10), random.nextInt(SIZE + 1)));
        } else if (what <= 7) {
            server.peers.forEach(peer -> peer.hold = random.nextBoolean());
        } else if (what <= 8) {
            server.peers.forEach(peer -> peer.release(peer.held.size() / 2));
        } else if (what <= 9) {
            mortal.closeEndpoint(opened.get(random.nextInt(opened.size())));
        } else if (what <= 10) {
            List<Peer> accepted = List.copyOf(server.peers);
            if (!accepted.isEmpty()) {
                server.closeEndpoint(accepted.get(random.nextInt(accepted.size())));
            }
        } else if (random.nextInt(4) == 0) {
            server.run(() -> server.backend.stopListening(listeners.getFirst()));
        } else if (random.nextInt(8) == 0) {
            server.run(() -> server.backend.closeListenEndpoint(listeners.getLast()));
        }
    }

    private void open(ListenEndpoint listener) {
        if (opened.size() < 16) {
            ConnectionParameters parameters = parameters().withZeroCopy(region, SIZE, 1 + random.nextInt(4));
            Peer peer = mortal.open(listener.localAddress(), parameters);
            peer.out.region(region, opened.size(), SIZE);
            opened.add(peer);
        }
    }

    private void stream(Peer peer) {
        List<Outgoing.Way> ways = combination.isPlainTcp()
                ? List.of(Outgoing.Way.BUFFERED, Outgoing.Way.ZERO_COPY, Outgoing.Way.COPY)
                : List.of(Outgoing.Way.BUFFERED, Outgoing.Way.ZERO_COPY);
        peer.stream(random.nextInt(50), random.nextInt(SIZE + 1),
                random.nextBoolean() ? SendCompletion.TRANSMITTED : SendCompletion.DELIVERED,
                ways.get(random.nextInt(ways.size())));
    }

    /** Every connection is told its end, and held messages are there until they are released. */
    private void end(List<ListenEndpoint> listeners) {
        Party.await(() -> opened.stream().allMatch(peer -> peer.closed + peer.refused == 1));
        listeners.forEach(server::closeListener);
        Party.await(() -> server.peers.stream().allMatch(peer -> peer.closed == 1));
        for (Peer peer : List.copyOf(server.peers)) {
            peer.held.forEach(buffer -> assertThat(buffer.data().remaining()).isEqualTo(buffer.length()));
            peer.release(peer.held.size());
            Party.await(peer.out::isEmpty); // a sender may be about to be told FAILED
        }
        opened.forEach(peer -> Party.await(peer.out::isEmpty));
        server.settle();
        client.settle(); // its senders write to the region, up to the word that their connection is closed
        client.peers.clear();
        server.peers.clear();
        assertThat(server.violations).isEmpty();
        assertThat(client.violations).isEmpty();
        assertThat(server.reported).isEmpty();
        assertThat(client.reported).isEmpty();
    }
}
