// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.micro;

import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.loop.LoopPoller;
import io.reactivenetio.transport.SendCompletion;
import io.reactivenetio.transport.backend.BackendCallbacks;
import io.reactivenetio.transport.backend.BackendChooser;
import io.reactivenetio.transport.backend.Capabilities;
import io.reactivenetio.transport.backend.ConnectionParameters;
import io.reactivenetio.transport.backend.Endpoint;
import io.reactivenetio.transport.backend.GatherList;
import io.reactivenetio.transport.backend.ListenEndpoint;
import io.reactivenetio.transport.backend.NetworkBackend;
import io.reactivenetio.transport.backend.SendBuffer;
import io.reactivenetio.transport.backend.SendKind;
import io.reactivenetio.transport.backend.SendStatus;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * A backend without a network: while it flows, the same messages arrive on its one connection in every turn of the loop, and what
 * is sent there has left in the next turn. It does no more than that needs.
 */
final class MemoryBackend implements NetworkBackend, LoopPoller {
    private static final int SEND_BUFFERS = 16;

    private final EventLoop loop;
    private final BackendCallbacks callbacks;
    private final Arrival arrival;
    private final Queue<MemorySend> free = new ArrayDeque<>();
    private final Queue<MemorySend> sent = new ArrayDeque<>();
    private @Nullable Endpoint endpoint;
    private int posted;
    private boolean flowing;

    MemoryBackend(EventLoop loop, BackendCallbacks callbacks, Arrival arrival) {
        this.loop = loop;
        this.callbacks = callbacks;
        this.arrival = arrival;
        for (int key = 0; key < SEND_BUFFERS; key++) {
            free.add(new MemorySend(key, free));
        }
    }

    void flow(boolean flows) {
        flowing = flows;
    }

    @Override
    public int poll() {
        Endpoint to = endpoint;
        if (to == null) {
            return 0;
        }
        MemorySend left;
        while ((left = sent.poll()) != null) {
            free.add(left);
            to.callbacks().onSendCompleted(to, SendKind.BUFFERED, left.key());
        }
        if (!flowing) {
            return 0;
        }
        arrival.returnCredits();
        for (int i = 0; i < arrival.buffers(); i++) {
            to.callbacks().onData(to, arrival.message());
        }
        return 1;
    }

    @Override
    public boolean mayWait() {
        return true;
    }

    @Override
    public Endpoint openActiveEndpoint(SocketAddress address, ConnectionParameters parameters) {
        Endpoint opened = new Endpoint(address, null, this);
        opened.callbacks(callbacks);
        opened.peerSaid(arrival.greeting());
        posted = parameters.receiveBuffers();
        endpoint = opened;
        loop.addPoller(this);
        loop.execute(() -> opened.callbacks().onConnectionEstablished(opened, new Capabilities(true, false, false, true)));
        return opened;
    }

    @Override
    public @Nullable SendBuffer getBuffer(Endpoint of) {
        return free.poll();
    }

    @Override
    public SendStatus sendBuffer(Endpoint to, SendBuffer buffer, SendCompletion level) {
        sent.add((MemorySend) buffer);
        arrival.sent(buffer.data());
        return SendStatus.OK;
    }

    @Override
    public int freeSendBuffers(Endpoint of) {
        return free.size();
    }

    @Override
    public int creditsPosted(Endpoint of) {
        return posted;
    }

    @Override
    public void closeActiveEndpoint(Endpoint closing) {
        if (endpoint != null) {
            endpoint = null;
            loop.removePoller(this);
            closing.callbacks().onConnectionClosed(closing, List.of(), null);
        }
    }

    @Override
    public void close() {
        // holds nothing
    }

    @Override
    public ListenEndpoint openListenEndpoint(SocketAddress address, ConnectionParameters parameters,
            @Nullable Object attachment, BackendChooser chooser) {
        throw new UnsupportedOperationException();
    }

    @Override
    public SendStatus sendZeroCopy(Endpoint to, GatherList message, long key, SendCompletion level) {
        throw new UnsupportedOperationException();
    }

    @Override
    public SendStatus sendCopy(Endpoint to, ByteBuffer data) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void closeListenEndpoint(ListenEndpoint closing) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void stopListening(ListenEndpoint stopping) {
        throw new UnsupportedOperationException();
    }
}
