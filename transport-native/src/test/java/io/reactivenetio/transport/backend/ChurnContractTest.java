// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.backend;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.testing.TestSettings;
import io.reactivenetio.transport.SendCompletion;
import io.reactivenetio.transport.libfabric.RegisteredRegions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Connections come and go, and leave nothing behind. Registered regions are counted as well, but tcp and sockets need none: that
 * count means something on verbs only. Here every slab is freed, and with it what would have been registered.
 */
@OverEveryCombination
class ChurnContractTest extends Contract {
    private static final int CYCLES = TestSettings.scaled(2_000);
    private static final int AT_ONCE = 20;
    private static final ConnectionParameters BUFFERS = new ConnectionParameters(16 * 1024, 4, 16 * 1024, 4);

    ChurnContractTest(Combination combination) {
        super(combination);
    }

    @Test
    void shouldLeaveNothingBehind() {
        stop();
        restart(BUFFERS, BUFFERS);
        try (MemoryRegion region = MemoryRegion.allocate(AT_ONCE * Outgoing.ZERO_COPY_SLOTS * 1000L)) {
            ConnectionParameters zeroCopy = BUFFERS.withZeroCopy(region, 1000, 4);
            ListenEndpoint listener = server.listen(BUFFERS);
            cycle(listener, zeroCopy, region, 100); // classes are loaded, tables have their sizes
            long memory = NativeMemory.arenas();
            int registered = registered();
            int descriptors = NativeMemory.descriptors(); // after the JVM has opened one to be asked about its memory
            cycle(listener, zeroCopy, region, CYCLES);
            Party.await(() -> NativeMemory.descriptors() <= descriptors);
            // a connection has at least 128 KiB of buffers on each side, or a chunk to read into: of 2,000, hardly one is left
            Party.await(() -> NativeMemory.arenas() <= memory + 100 * 1024);
            assertThat(registered()).isEqualTo(registered);
            if (combination.shared()) {
                Party.Pair last = client.connect(server, listener, zeroCopy);
                assertThat(client.on(() -> client.backend.freeSendBuffers(last.opened().endpoint))).isEqualTo(4);
                Party.await(() -> server.on(() -> server.backend.creditsPosted(last.accepted().endpoint)) == 4);
            }
        }
    }

    private int registered() {
        return server.onLoop(() -> RegisteredRegions.of(server.backend))
                + client.onLoop(() -> RegisteredRegions.of(client.backend));
    }

    /** Some are closed in peace, some in the middle of a message, by either side, and some before they are up. */
    private void cycle(ListenEndpoint listener, ConnectionParameters parameters, MemoryRegion region, int cycles) {
        for (int done = 0; done < cycles; done += AT_ONCE) {
            List<Peer> batch = new ArrayList<>();
            for (int i = 0; i < AT_ONCE; i++) {
                Peer peer = client.open(listener.localAddress(), parameters);
                peer.out.region(region, i, 1000);
                batch.add(peer);
            }
            client.closeEndpoint(batch.getFirst());
            Party.await(() -> batch.stream().allMatch(peer -> peer.established + peer.refused > 0));
            for (int i = 1; i < AT_ONCE; i++) {
                Peer peer = batch.get(i);
                peer.stream(i % 7, i % 2 == 0 ? 16 * 1024 : 900, SendCompletion.TRANSMITTED,
                        i % 2 == 0 ? Outgoing.Way.BUFFERED : Outgoing.Way.ZERO_COPY);
                if (i % 3 == 0) {
                    Party.await(() -> peer.completed == peer.out.accepted);
                }
            }
            for (Peer accepted : server.peers.stream().limit(3).toList()) {
                server.closeEndpoint(accepted);
            }
            batch.forEach(client::closeEndpoint);
            Party.await(() -> batch.stream().allMatch(peer -> peer.closed + peer.refused == 1));
            Party.await(() -> server.peers.stream().allMatch(peer -> peer.closed == 1));
            client.peers.removeAll(batch);
            server.peers.clear();
        }
    }
}
