// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.simulation;

import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.transport.ReceivedBuffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/** The receive buffers of a connection, or of several: posted, or held by whoever has references. */
final class ReceivePool {
    /** Of the many connections that come to nothing. */
    private static final ByteBuffer UNUSED = ByteBuffer.allocate(0);
    private static final long LATE_NANOS = 2_000_000;

    private final SimulatedNetwork network;
    private final EventLoop loop;
    private final int size;
    private final int number;
    private final Deque<Slot> posted = new ArrayDeque<>();
    private final List<SimulatedEndpoint> users = new ArrayList<>();

    ReceivePool(SimulatedNetwork network, EventLoop loop, int size, int number) {
        this.network = network;
        this.loop = loop;
        this.size = size;
        this.number = number;
        for (int i = 0; i < number; i++) {
            posted.add(new Slot());
        }
    }

    int number() {
        return number;
    }

    int posted() {
        return posted.size();
    }

    void join(SimulatedEndpoint endpoint) {
        users.add(endpoint);
    }

    void leave(SimulatedEndpoint endpoint) {
        users.remove(endpoint);
    }

    /** A posted one with this message in it; null if there is none. */
    @Nullable Slot fill(ByteBuffer message) {
        Slot slot = posted.peek();
        if (slot == null) {
            return null;
        }
        if (message.remaining() > size) {
            throw new IllegalStateException("a message of " + message.remaining() + " bytes for a buffer of "
                    + size);
        }
        posted.remove();
        slot.prepare();
        slot.data.put(0, message, message.position(), message.remaining()).limit(message.remaining());
        slot.references = 1;
        return slot;
    }

    private void home(Slot slot) {
        slot.data.clear();
        Arrays.fill(slot.data.array(), (byte) 0xEE); // whoever still reads it will notice
        if (network.machine().chance(network.weather().latePercent())) {
            network.machine().after(network.machine().drawNanos(LATE_NANOS), () -> post(slot));
        } else {
            post(slot);
        }
    }

    private void post(Slot slot) {
        posted.add(slot);
        List.copyOf(users).forEach(SimulatedEndpoint::takeArrived);
    }

    /** One buffer. */
    final class Slot implements ReceivedBuffer {
        private ByteBuffer data = UNUSED;
        private int references;

        private void prepare() {
            if (data == UNUSED) {
                data = ByteBuffer.allocate(size);
            }
            data.clear().order(ByteOrder.LITTLE_ENDIAN);
        }

        private void requireHeld() {
            if (references <= 0) {
                throw new IllegalStateException("a receive buffer is used that has been released");
            }
        }

        @Override
        public ByteBuffer data() {
            requireHeld();
            return data;
        }

        @Override
        public int length() {
            requireHeld();
            return data.limit();
        }

        @Override
        public void retain() {
            requireHeld();
            references++;
        }

        @Override
        public void release() {
            requireHeld();
            if (--references > 0) {
                return;
            }
            if (loop.inEventLoop() || loop.isTerminated()) {
                home(this);
                return;
            }
            try {
                loop.execute(() -> home(this));
            } catch (RejectedExecutionException terminated) {
                home(this);
            }
        }
    }
}
