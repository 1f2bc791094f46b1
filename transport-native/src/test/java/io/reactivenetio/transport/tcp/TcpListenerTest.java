// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.ffm.EpollEvents;
import io.reactivenetio.ffm.LibC;
import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.loop.EventLoopConfig;
import io.reactivenetio.loop.LoopMechanism;
import io.reactivenetio.transport.BackendType;
import io.reactivenetio.transport.backend.BackendCallbacks;
import io.reactivenetio.transport.backend.BackendConfig;
import io.reactivenetio.transport.backend.Capabilities;
import io.reactivenetio.transport.backend.ConnectionData;
import io.reactivenetio.transport.backend.ConnectionParameters;
import io.reactivenetio.transport.backend.Endpoint;
import io.reactivenetio.transport.backend.ListenEndpoint;
import io.reactivenetio.transport.backend.NetworkBackend;
import io.reactivenetio.transport.backend.SendKey;
import io.reactivenetio.transport.exceptions.NetioException;
import java.lang.foreign.Arena;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Sockets that are accepted and come to nothing. */
@Timeout(60)
class TcpListenerTest {
    private static final int EBADF = 9;
    private static final ConnectionParameters SMALL = new ConnectionParameters(16, 1, 16, 1);

    /** On epoll, which refuses some descriptors. */
    private final EventLoop loop =
            EventLoop.create(EventLoopConfig.defaults().withName("server").withMechanism(LoopMechanism.EPOLL));
    private final CopyOnWriteArrayList<String> told = new CopyOnWriteArrayList<>();

    private <T> T on(Supplier<T> code) {
        return CompletableFuture.supplyAsync(code, loop).orTimeout(20, TimeUnit.SECONDS).join();
    }

    /** Whoever closed it too would close somebody else's descriptor by then. */
    @Test
    void shouldLeaveADescriptorThatCannotBeReadToItsEndpoint() {
        BackendCallbacks callbacks = new BackendCallbacks() {
            @Override
            public void onConnectionEstablished(Endpoint endpoint, Capabilities capabilities) {
                told.add("established");
            }

            @Override
            public void onConnectionClosed(Endpoint endpoint, List<SendKey> cancelled, @Nullable NetioException cause) {
                told.add("closed");
            }
        };
        TcpBackend backend = (TcpBackend) NetworkBackend.create(BackendType.TCP, BackendConfig.defaults(), loop,
                callbacks);
        loop.start();
        try {
            InetSocketAddress anywhere = new InetSocketAddress("127.0.0.1", 0);
            ListenEndpoint listener = backend.openListenEndpoint(anywhere, SMALL, null);
            int fd = on(this::refusedByEpoll);
            on(() -> {
                backend.accept(new AcceptedSocket(fd, anywhere, ConnectionData.none(), null),
                        (TcpListener) Objects.requireNonNull(listener.implementation()), SMALL);
                return true;
            });
            on(() -> {
                CompletableFuture<Boolean> turned = new CompletableFuture<>();
                loop.schedule(() -> turned.complete(true), 1, TimeUnit.MILLISECONDS); // it is told at the end of a turn
                return turned;
            }).orTimeout(20, TimeUnit.SECONDS).join();
            assertThat(told).containsExactly("established", "closed");
            assertThat(LibC.close(fd)).isEqualTo(-EBADF);
        } finally {
            loop.close();
        }
    }

    /** What the loop's own descriptor is watched by cannot be watched by the loop. */
    private int refusedByEpoll() {
        int fd = LibC.epollCreate1(LibC.EPOLL_CLOEXEC);
        EpollEvents events = new EpollEvents(Arena.ofAuto(), 1);
        events.set(0, EpollEvents.EPOLLIN, 0);
        assertThat(LibC.epollCtl(fd, LibC.EPOLL_CTL_ADD, loop.epollFd(), events.segment())).isZero();
        return fd;
    }
}
