// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.loop.EventLoopConfig;
import io.reactivenetio.loop.FdRegistration;
import io.reactivenetio.transport.exceptions.NetioException;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A backend whose loop is another's guest, which also reads and writes for it: completions come between two polls. */
@Timeout(60)
class HostedIoTest implements BackendCallbacks {
    private static final int MESSAGES = 2_000;

    private final EventLoop host = EventLoop.create("host");
    private final EventLoop guest = EventLoop.create(EventLoopConfig.defaults().withName("guest"), own -> host.io());
    private final Queue<Endpoint> established = new ConcurrentLinkedQueue<>();
    private volatile int completed;
    private volatile int closed;
    private @Nullable Endpoint sender;
    private int sent;

    @Test
    void shouldReadAndWriteWithTheHostsDescriptors() {
        NetworkBackend backend = NetworkBackend.create(BackendType.TCP, BackendConfig.defaults(), guest, this);
        host.onInit(() -> {
            host.register(guest.epollFd(), FdRegistration.READABLE, events -> turn());
            turn();
        });
        host.start();
        try (Party server = new Party("server", BackendType.TCP, BackendConfig.defaults())) {
            ListenEndpoint listener = server.listen(Contract.SMALL);
            onGuest(() -> backend.openActiveEndpoint(listener.localAddress(), Contract.SMALL));
            Party.await(() -> !established.isEmpty());
            sender = established.peek();
            host.execute(() -> sendAll(backend));
            Party.await(() -> completed == MESSAGES);
            Party.await(() -> server.accepted().received == MESSAGES);
            onGuest(() -> backend.closeActiveEndpoint(established.element()));
            Party.await(() -> closed == 1);
        } finally {
            guest.close(); // the host polls it once more
            host.close();
        }
        assertThat(guest.isTerminated()).isTrue();
    }

    private void onGuest(Runnable task) {
        CompletableFuture.runAsync(task, guest).join();
    }

    private void turn() {
        if (!guest.poll() && !guest.isTerminated()) {
            host.execute(this::turn);
        }
    }

    /** From a task of the host, between two polls of the guest. */
    private void sendAll(NetworkBackend backend) {
        Endpoint to = sender;
        if (to == null || sent == MESSAGES) {
            return;
        }
        SendBuffer buffer = backend.getBuffer(to);
        if (buffer != null) {
            buffer.data().putLong(0, sent);
            buffer.length(8);
            assertThat(backend.sendBuffer(to, buffer, CompletionLevel.TRANSMIT_COMPLETE)).isEqualTo(SendStatus.OK);
            sent++;
        }
        host.execute(() -> sendAll(backend));
    }

    @Override
    public void onConnectionEstablished(Endpoint endpoint, Capabilities capabilities) {
        established.add(endpoint);
    }

    @Override
    public void onConnectionRefused(Endpoint endpoint, NetioException reason) {
        throw reason;
    }

    @Override
    public void onConnectionClosed(Endpoint endpoint, List<SendKey> cancelled, @Nullable NetioException cause) {
        closed++;
    }

    @Override
    public void onData(Endpoint endpoint, ReceivedBuffer buffer) {
        throw new AssertionError("nobody sends");
    }

    @Override
    public void onSendCompleted(Endpoint endpoint, SendKind kind, long key) {
        completed++;
    }

    @Override
    public void onResourcesAvailable(Endpoint endpoint) {
        // it tries again anyway
    }
}
