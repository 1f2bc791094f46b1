// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.connection;

import io.reactivenetio.transport.SendCompletion;
import io.reactivenetio.transport.backend.BackendChooser;
import io.reactivenetio.transport.backend.ConnectionParameters;
import io.reactivenetio.transport.backend.Endpoint;
import io.reactivenetio.transport.backend.GatherList;
import io.reactivenetio.transport.backend.ListenEndpoint;
import io.reactivenetio.transport.backend.NetworkBackend;
import io.reactivenetio.transport.backend.SendBuffer;
import io.reactivenetio.transport.backend.SendStatus;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A backend that lends buffers and keeps what is sent, so that a test says when each send completes. Nothing else works. */
public final class StubBackend implements NetworkBackend {
    public final Deque<StubBuffer> free = new ArrayDeque<>();
    public final List<StubBuffer> sent = new ArrayList<>();
    public final List<SendCompletion> levels = new ArrayList<>();
    public final List<Long> slices = new ArrayList<>();
    /** Of buffers and slices, as they were sent. */
    public final StringBuilder order = new StringBuilder();
    public int mostSpans = 1;
    /** So many buffers more are taken, then there are no resources. */
    public int room = Integer.MAX_VALUE;
    public SendStatus answer = SendStatus.OK;
    public Runnable whileFilling = () -> { };

    /** Receive buffers. */
    int posted = 1;
    /** Endpoints closed here. */
    int closed;

    public StubBackend(int buffers) {
        this(buffers, 64);
    }

    public StubBackend(int buffers, int size) {
        for (int key = 0; key < buffers; key++) {
            free.add(new StubBuffer(key, size));
        }
    }

    @Override
    public @Nullable SendBuffer getBuffer(Endpoint endpoint) {
        return free.poll();
    }

    @Override
    public SendStatus sendBuffer(Endpoint endpoint, SendBuffer buffer, SendCompletion level) {
        if (room == 0) {
            return SendStatus.NO_RESOURCES;
        }
        if (answer == SendStatus.OK) {
            room--;
            order.append('b');
            sent.add((StubBuffer) buffer);
            levels.add(level);
        }
        return answer;
    }

    @Override
    public SendStatus sendZeroCopy(Endpoint endpoint, GatherList message, long key, SendCompletion level) {
        if (message.spans() > mostSpans) {
            throw new IllegalArgumentException("more than the provider gathers");
        }
        if (answer == SendStatus.OK) {
            order.append('s');
            slices.add(key);
            levels.add(level);
        }
        return answer;
    }

    @Override
    public SendStatus sendCopy(Endpoint endpoint, ByteBuffer data) {
        throw new UnsupportedOperationException();
    }

    @Override
    public int freeSendBuffers(Endpoint endpoint) {
        return free.size();
    }

    @Override
    public int creditsPosted(Endpoint endpoint) {
        return posted;
    }

    @Override
    public ListenEndpoint openListenEndpoint(SocketAddress address, ConnectionParameters parameters,
            @Nullable Object attachment, BackendChooser chooser) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Endpoint openActiveEndpoint(SocketAddress address, ConnectionParameters parameters) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void closeActiveEndpoint(Endpoint endpoint) {
        closed++;
    }

    @Override
    public void closeListenEndpoint(ListenEndpoint endpoint) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void stopListening(ListenEndpoint endpoint) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void close() {
        // holds nothing
    }

    /** Goes back to {@link #free} when released or completed. */
    public final class StubBuffer implements SendBuffer {
        private final int key;
        private final ByteBuffer data;
        private int length;

        StubBuffer(int key, int size) {
            this.key = key;
            data = ByteBuffer.allocate(size);
        }

        @Override
        public ByteBuffer data() {
            whileFilling.run();
            return data;
        }

        @Override
        public void length(int bytes) {
            length = bytes;
        }

        @Override
        public int length() {
            return length;
        }

        @Override
        public int key() {
            return key;
        }

        @Override
        public void release() {
            free.add(this);
        }
    }
}
