// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.ffm.fabric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactivenetio.testing.TestSettings;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A receive that a connection took from a shared context comes back exactly once, however the connection ends. */
class FabricSharedReceiveEndsTest {
    /** More than the sockets' buffers hold, so that a sender that does nothing more leaves the message half sent. */
    private static final long LARGE = 32L << 20;
    private static final long TAKEN = 77;
    private static final long LEFT = 78;
    private static final long QUIET_NANOS = 100_000_000L;

    @BeforeEach
    void needsTcp() {
        assumeTrue(TestSettings.PROVIDER.equals("tcp"), "needs no registration, and a message that waits in the kernel");
    }

    /** A client and a server, each with a domain and queues of its own. */
    private static final class Half implements AutoCloseable {
        final Loopback near = new Loopback();
        final Loopback far = new Loopback();
        final Arena arena = Arena.ofConfined();
        final MemorySegment source = arena.allocate(LARGE, 64);
        final MemorySegment target = arena.allocate(LARGE, 64);
        final FiPassiveEndpoint listener = near.listener();
        final FiSharedReceive shared = near.domain.openSharedReceiveContext(near.info);
        final FiEndpoint client;
        final FiEndpoint server;

        Half() {
            try (FiInfo destination = far.destination(listener.name())) {
                client = far.endpoint(destination);
                client.connect(destination);
            }
            int event = near.events.read();
            while (event == -Fi.FI_EAGAIN) {
                far.events.read();
                event = near.events.read();
            }
            assertThat(event).isEqualTo(Fi.FI_CONNREQ);
            try (FiInfo request = near.events.takeInfo()) {
                server = near.domain.openEndpoint(request.sharedReceiveContext());
            }
            server.bind(near.events);
            server.bind(near.completions, Fi.FI_TRANSMIT | Fi.FI_RECV);
            server.bind(shared);
            server.enable();
            server.accept();
            near.expectEvent(Fi.FI_CONNECTED);
            far.expectEvent(Fi.FI_CONNECTED);
            source.fill((byte) 1);
        }

        /** Posts two receives and lets a message arrive in the first by half. */
        void receiveByHalf() {
            assertThat(shared.recv(target.address(), LARGE, 0, TAKEN)).isZero();
            assertThat(shared.recv(target.address(), LARGE, 0, LEFT)).isZero();
            assertThat(client.send(source.address(), LARGE, 0, 1)).isZero();
            long deadline = System.nanoTime() + TestSettings.PATIENCE.toNanos();
            while (target.get(ValueLayout.JAVA_BYTE, 0) == 0 && System.nanoTime() < deadline) {
                assertThat(near.completions.read(8)).isEqualTo(-Fi.FI_EAGAIN);
            }
            assertThat(target.get(ValueLayout.JAVA_BYTE, 0)).isEqualTo((byte) 1);
        }

        /** The one failed receive must be {@code TAKEN}, and nothing may follow it. */
        int errorOfTaken() {
            assertThat(near.nextCompletion()).isEqualTo(-Fi.FI_EAVAIL);
            FiError error = near.completions.readError();
            assertThat(error.context()).isEqualTo(TAKEN);
            assertThat(error.flags() & Fi.FI_RECV).isNotZero();
            int code = error.err();
            long quiet = System.nanoTime() + QUIET_NANOS;
            while (System.nanoTime() < quiet) {
                assertThat(near.completions.read(8)).isEqualTo(-Fi.FI_EAGAIN);
            }
            return code;
        }

        @Override
        public void close() {
            client.close();
            server.close();
            shared.close();
            listener.close();
            near.close();
            far.close();
            arena.close();
        }
    }

    @Test
    void shouldComeBackWhenThePeerIsGoneInTheMiddleOfAMessage() {
        try (Half half = new Half()) {
            half.receiveByHalf();
            half.client.close();
            assertThat(half.errorOfTaken()).isIn(Fi.FI_ENOTCONN, Fi.FI_ECONNRESET);
        }
    }

    @Test
    void shouldComeBackWhenTheEndpointIsClosedInTheMiddleOfAMessage() {
        try (Half half = new Half()) {
            half.receiveByHalf();
            half.server.close();
            assertThat(half.errorOfTaken()).isEqualTo(Fi.FI_ECANCELED);
        }
    }

    @Test
    void shouldComeBackOnceFromShutdownAndClose() {
        try (Half half = new Half()) {
            half.receiveByHalf();
            half.server.shutdown();
            half.server.close();
            assertThat(half.errorOfTaken()).isEqualTo(Fi.FI_ECANCELED);
        }
    }

    @Test
    void shouldComeBackWhenTheMessageDoesNotFit() {
        try (Half half = new Half()) {
            assertThat(half.shared.recv(half.target.address(), 8, 0, TAKEN)).isZero();
            assertThat(half.shared.recv(half.target.address(), LARGE, 0, LEFT)).isZero();
            assertThat(half.client.send(half.source.address(), 64, 0, 1)).isZero();
            assertThat(half.errorOfTaken()).isEqualTo(Fi.FI_ETRUNC);
        }
    }
}
