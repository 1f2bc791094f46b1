// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.simulated;

import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.transport.backend.SendBuffer;
import io.reactivenetio.transport.exceptions.NoBuffersAllocatedException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The send buffers of a connection, or of several. One that is used by who does not own it is found. */
public final class SendPool {
    /** Stands for the buffers of the many connections that come to nothing. */
    private static final ByteBuffer UNUSED = ByteBuffer.allocate(0);

    private enum Place { FREE, LENT, FLYING }

    private final EventLoop loop;
    private final int size;
    private final int number;
    private final Deque<Buffer> free = new ArrayDeque<>();
    /** What the connections do that wait for a buffer. */
    private final List<Runnable> waiting = new ArrayList<>();

    SendPool(EventLoop loop, int size, int number) {
        this.loop = loop;
        this.size = size;
        this.number = number;
        for (int key = 0; key < number; key++) {
            free.add(new Buffer(this, key));
        }
    }

    /** How many there are. */
    public int number() {
        return number;
    }

    /** How many are nobody's. */
    public int free() {
        return free.size();
    }

    @Nullable Buffer lend() {
        if (number == 0) {
            throw new NoBuffersAllocatedException("a connection was opened without send buffers");
        }
        Buffer buffer = free.poll();
        if (buffer != null) {
            buffer.place = Place.LENT;
            buffer.length = 0;
            buffer.prepare();
        }
        return buffer;
    }

    /** Runs {@code onFree} once when one is free. */
    void await(Runnable onFree) {
        if (!waiting.contains(onFree)) {
            waiting.add(onFree);
        }
    }

    private void home(Buffer buffer) {
        buffer.place = Place.FREE;
        free.add(buffer);
        List<Runnable> told = List.copyOf(waiting);
        waiting.clear();
        told.forEach(Runnable::run);
    }

    static final class Buffer implements SendBuffer {
        private final SendPool pool;
        private final int key;
        private ByteBuffer data = UNUSED;
        private int length;
        private Place place = Place.FREE;

        Buffer(SendPool pool, int key) {
            this.pool = pool;
            this.key = key;
        }

        private void prepare() {
            if (data == UNUSED) {
                data = ByteBuffer.allocate(pool.size).order(ByteOrder.LITTLE_ENDIAN);
            }
            data.clear();
        }

        private void require(Place expected) {
            if (place != expected) {
                throw new IllegalStateException("send buffer " + key + " is " + place + " and not " + expected);
            }
        }

        /** The message leaves, as a copy. */
        ByteBuffer fly() {
            require(Place.LENT);
            place = Place.FLYING;
            return ByteBuffer.allocate(length).put(0, data, 0, length);
        }

        void landed() {
            require(Place.FLYING);
            pool.home(this);
        }

        @Override
        public ByteBuffer data() {
            require(Place.LENT);
            return data;
        }

        @Override
        public void length(int bytes) {
            require(Place.LENT);
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
            require(Place.LENT);
            if (!pool.loop.inEventLoop()) {
                throw new IllegalStateException("a send buffer is released outside of the loop");
            }
            pool.home(this);
        }
    }
}
