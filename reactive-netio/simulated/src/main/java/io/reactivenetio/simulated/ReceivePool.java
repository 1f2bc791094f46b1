// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.simulated;

import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.transport.backend.ReceivedBuffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** The receive buffers of a connection, or of several: posted, or held by whoever has references. */
public final class ReceivePool {
    /** Stands for the buffers of the many connections that come to nothing. */
    private static final ByteBuffer UNUSED = ByteBuffer.allocate(0);

    private final Surroundings surroundings;
    private final EventLoop loop;
    private final int size;
    private final int number;
    private final Deque<Slot> posted = new ArrayDeque<>();
    /** What the connections do that receive into it, when a buffer is posted again. */
    private final List<Runnable> users = new ArrayList<>();

    ReceivePool(Surroundings surroundings, EventLoop loop, int size, int number) {
        this.surroundings = surroundings;
        this.loop = loop;
        this.size = size;
        this.number = number;
        for (int i = 0; i < number; i++) {
            posted.add(new Slot());
        }
    }

    /** How many there are. */
    public int number() {
        return number;
    }

    /** Bytes of each. */
    int size() {
        return size;
    }

    /** How many can be filled. */
    public int posted() {
        return posted.size();
    }

    /** Each time that a buffer is posted again, {@code onPosted} runs, until it leaves. */
    void join(Runnable onPosted) {
        users.add(onPosted);
    }

    void leave(Runnable onPosted) {
        users.remove(onPosted);
    }

    /** A posted one with this message in it, which fits; null if there is none. */
    @Nullable Slot fill(ByteBuffer message) {
        Slot slot = posted.peek();
        if (slot == null) {
            return null;
        }
        posted.remove();
        slot.prepare();
        slot.data.put(0, message, message.position(), message.remaining()).limit(message.remaining());
        slot.references.set(1);
        return slot;
    }

    private void home(Slot slot) {
        slot.overwrite();
        long late = surroundings.repostNanos();
        if (late > 0) {
            surroundings.after(late, () -> post(slot));
        } else {
            post(slot);
        }
    }

    private void post(Slot slot) {
        posted.add(slot);
        List.copyOf(users).forEach(Runnable::run);
    }

    /** After the end of the loop, on any thread: nobody gets it any more. */
    private synchronized void retire(Slot slot) {
        slot.overwrite();
        posted.add(slot);
    }

    /** One buffer. */
    final class Slot implements ReceivedBuffer {
        private ByteBuffer data = UNUSED;
        private final AtomicInteger references = new AtomicInteger();

        private void prepare() {
            if (data == UNUSED) {
                data = ByteBuffer.allocate(size);
            }
            data.clear().order(ByteOrder.LITTLE_ENDIAN);
        }

        /** Whoever still reads the message will notice. */
        private void overwrite() {
            Arrays.fill(data.array(), 0, data.limit(), (byte) 0xEE);
            data.clear();
        }

        private void requireHeld() {
            if (references.get() <= 0) {
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
            references.incrementAndGet();
        }

        @Override
        public void release() {
            requireHeld();
            if (references.decrementAndGet() > 0) {
                return;
            }
            if (loop.inEventLoop()) {
                home(this);
                return;
            }
            try {
                loop.execute(() -> home(this));
            } catch (RejectedExecutionException terminated) {
                retire(this);
            }
        }
    }
}
