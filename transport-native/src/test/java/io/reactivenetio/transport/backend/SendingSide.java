// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.backend;

import io.reactivenetio.transport.exceptions.NetioException;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/** What happens to connections that only send. Written by their loop, read by any thread. */
final class SendingSide implements BackendCallbacks {
    final Queue<Endpoint> established = new ConcurrentLinkedQueue<>();
    volatile int completed;
    volatile int closed;

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
}
