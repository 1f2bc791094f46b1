// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.backend;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.ffm.LibC;
import io.reactivenetio.loop.LoopPoller;
import io.reactivenetio.transport.BackendType;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.net.Socket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** libfabric's tcp listener against sockets that are nobody's endpoint: a port scan, a load balancer's probe. */
@Timeout(60)
class LibfabricPlainSocketTest {
    private Party server;
    private Party client;
    private int empty;

    @BeforeEach
    void start() {
        empty = LibC.eventfd(0, LibC.EFD_CLOEXEC | LibC.EFD_NONBLOCK);
        server = new Party("server", BackendType.LIBFABRIC, BackendConfig.defaults());
        client = new Party("client", BackendType.LIBFABRIC, BackendConfig.defaults());
        server.run(() -> server.loop.addPoller(new WithErrno()));
    }

    private static Socket socketTo(ListenEndpoint listener) throws IOException {
        InetSocketAddress address = Addresses.inet(listener.localAddress());
        return new Socket(address.getAddress(), address.getPort());
    }

    @AfterEach
    void stop() {
        client.close();
        server.close();
        LibC.close(empty);
    }

    /** Leaves EAGAIN in errno, as the provider itself does whenever it has read all that a connection has. */
    private final class WithErrno implements LoopPoller {
        private final MemorySegment buffer = Arena.ofAuto().allocate(Long.BYTES);

        @Override
        public int poll() {
            server.check(LibC.read(empty, buffer, Long.BYTES) == -LibC.EAGAIN, "an event nobody made");
            return 0;
        }

        @Override
        public boolean mayWait() {
            return true;
        }
    }

    @Test
    void shouldNotSpinWhenPeersLeaveWithoutAWord() throws IOException {
        ListenEndpoint listener = server.listen(Contract.SMALL);
        for (int i = 0; i < 5; i++) {
            socketTo(listener).close();
        }
        Party.sleep(500);
        long before = server.loop.statistics().turns();
        long began = System.nanoTime();
        Party.sleep(500);
        double seconds = (System.nanoTime() - began) / 1e9;
        assertThat((server.loop.statistics().turns() - before) / seconds).as("turns per second").isLessThan(4_000);
        Party.Pair pair = client.connect(server, listener, Contract.SMALL);
        pair.opened().stream(100, 100);
        Party.await(() -> pair.accepted().received == 100);
    }

    /** A scan. Those who speak wait behind these in the kernel's queue, and had to for 15 s. */
    @Test
    void shouldTakeNewcomersAfterAFloodOfPeersWithoutAWord() throws IOException {
        ListenEndpoint listener = server.listen(Contract.SMALL);
        for (int i = 0; i < 3_000; i++) {
            socketTo(listener).close();
        }
        Party.Pair pair = client.connect(server, listener, Contract.SMALL);
        pair.opened().stream(100, 100);
        Party.await(() -> pair.accepted().received == 100);
    }

    /** The header of a connection request that announces 48 bytes of data, which do not come: a read of them blocked the loop. */
    @Test
    void shouldGoOnWhenAPeerSendsHalfAConnectionRequest() throws IOException {
        ListenEndpoint listener = server.listen(Contract.SMALL);
        byte[] header = new byte[32];
        header[0] = 3; // the version
        header[3] = 48;
        try (Socket peer = socketTo(listener)) {
            peer.getOutputStream().write(header);
            Party.sleep(100); // the loop has read it
            Party.Pair pair = client.connect(server, listener, Contract.SMALL);
            pair.opened().stream(100, 100);
            Party.await(() -> pair.accepted().received == 100);
        }
    }

    /** As a health check that connects and closes: each kept a descriptor for the life of the process. */
    @Test
    void shouldGiveBackTheDescriptorsOfPeersThatLeaveWithoutAWord() throws IOException {
        ListenEndpoint listener = server.listen(Contract.SMALL);
        Party.Pair first = client.connect(server, listener, Contract.SMALL); // what a loop opens once is open then
        client.closeEndpoint(first.opened());
        Party.await(() -> first.accepted().closed == 1);
        client.settle();
        int before = NativeMemory.descriptors();
        for (int i = 0; i < 200; i++) {
            socketTo(listener).close();
        }
        Party.Pair pair = client.connect(server, listener, Contract.SMALL); // the last to ask, and so to be accepted
        pair.opened().stream(100, 100);
        Party.await(() -> pair.accepted().received == 100);
        client.closeEndpoint(pair.opened());
        Party.await(() -> NativeMemory.descriptors() <= before + 2);
    }
}
