// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.backend;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.ffm.EpollEvents;
import io.reactivenetio.ffm.LibC;
import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.transport.BackendType;
import io.reactivenetio.transport.SendCompletion;
import java.lang.foreign.Arena;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A backend whose loop lives in somebody else's, which calls it between two polls and then sleeps. */
@Timeout(60)
class EmbeddedBackendTest {
    private final EventLoop loop = EventLoop.create("guest");
    private final SendingSide side = new SendingSide();

    @ParameterizedTest
    @CsvSource({"TCP,unused", "LIBFABRIC,tcp"})
    void shouldSleepAndWakeForWhatIsDoneBetweenPolls(BackendType type, String provider) {
        int epoll = LibC.epollCreate1(LibC.EPOLL_CLOEXEC);
        EpollEvents events = new EpollEvents(Arena.ofAuto(), 4);
        events.set(0, EpollEvents.EPOLLIN, 0);
        assertThat(LibC.epollCtl(epoll, LibC.EPOLL_CTL_ADD, loop.epollFd(), events.segment())).isZero();
        try (Party server = new Party("server", type, BackendConfig.defaults().withProvider(provider)); loop) {
            NetworkBackend backend = NetworkBackend.create(type, BackendConfig.defaults().withProvider(provider), loop, side);
            ListenEndpoint listener = server.listen(Contract.SMALL);
            loop.poll();
            Endpoint endpoint = backend.openActiveEndpoint(listener.localAddress(), Contract.SMALL);
            until(() -> !side.established.isEmpty(), epoll, events);
            for (int i = 1; i <= 50; i++) {
                int sent = i;
                Party.await(loop::poll); // nothing is left to do: an embedder sleeps now, or, as here, calls the backend
                SendBuffer buffer = backend.getBuffer(endpoint);
                assertThat(buffer).isNotNull();
                buffer.data().putLong(0, i - 1);
                buffer.length(8);
                assertThat(backend.sendBuffer(endpoint, buffer, SendCompletion.DELIVERED)).isEqualTo(SendStatus.OK);
                until(() -> side.completed == sent, epoll, events);
            }
            Party.await(() -> server.accepted().received == 50);
            backend.closeActiveEndpoint(endpoint);
            until(() -> side.closed == 1, epoll, events);
        } finally {
            LibC.close(epoll);
        }
    }

    /** Sleeps whenever a poll allows it, and never long: what wakes it is the loop's own descriptor. */
    private void until(BooleanSupplier condition, int epoll, EpollEvents events) {
        for (int i = 0; !condition.getAsBoolean(); i++) {
            assertThat(i).as("polls").isLessThan(100_000);
            if (LibC.epollWait(epoll, events.segment(), 4, 10_000) == 0) {
                throw new AssertionError("slept for 10 s");
            }
            while (!loop.poll()) {
                Thread.onSpinWait();
            }
        }
    }
}
