// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.backend;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.loop.EventLoopConfig;
import io.reactivenetio.loop.FdRegistration;
import io.reactivenetio.transport.BackendType;
import io.reactivenetio.transport.SendCompletion;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A backend whose loop is another's guest, which also reads and writes for it: completions come between two polls. */
@Timeout(60)
class HostedIoTest {
    private static final int MESSAGES = 2_000;

    private final EventLoop host = EventLoop.create("host");
    private final EventLoop guest = EventLoop.create(EventLoopConfig.defaults().withName("guest"), own -> host.io());
    private final SendingSide side = new SendingSide();
    private @Nullable Endpoint sender;
    private int sent;

    @Test
    void shouldReadAndWriteWithTheHostsDescriptors() {
        NetworkBackend backend = NetworkBackend.create(BackendType.TCP, BackendConfig.defaults(), guest, side);
        host.onInit(() -> {
            host.register(guest.epollFd(), FdRegistration.READABLE, events -> turn());
            turn();
        });
        host.start();
        try (Party server = new Party("server", BackendType.TCP, BackendConfig.defaults())) {
            ListenEndpoint listener = server.listen(Contract.SMALL);
            onGuest(() -> backend.openActiveEndpoint(listener.localAddress(), Contract.SMALL));
            Party.await(() -> !side.established.isEmpty());
            sender = side.established.peek();
            host.execute(() -> sendAll(backend));
            Party.await(() -> side.completed == MESSAGES);
            Party.await(() -> server.accepted().received == MESSAGES);
            onGuest(() -> backend.closeActiveEndpoint(side.established.element()));
            Party.await(() -> side.closed == 1);
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
            assertThat(backend.sendBuffer(to, buffer, SendCompletion.TRANSMITTED)).isEqualTo(SendStatus.OK);
            sent++;
        }
        host.execute(() -> sendAll(backend));
    }
}
