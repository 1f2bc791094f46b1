// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.lease;

import io.reactivenetio.transport.backend.ReceivedBuffer;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * A receive buffer for as long as leases are out on messages in it, or a copy of one message. It counts its leases, and with the
 * last of them the receive buffer goes back. One object serves buffer after buffer; the generation, which each lease knows, tells
 * a lease on this buffer from one on a former buffer. Any thread, but for {@link #begin} and {@link #join}.
 *
 * <p>Leases refer to the {@link Handle}, not to this object. When the garbage collector finds the handle, the leases that are
 * still counted are lost: nobody can give them back any more. This object is the cleaner's action, so it must not refer to its
 * handle, nor while no lease is out to anything that does.
 */
final class LeasedBuffer implements Runnable {
    private static final VarHandle STATE;

    static {
        try {
            STATE = MethodHandles.lookup().findVarHandle(LeasedBuffer.class, "state", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final WeakReference<Handle> handle;
    /** The generation in the upper half, how many leases are out in the lower one. */
    private volatile long state;
    private @Nullable OpenLeases owner;
    private String origin = "";
    private @Nullable ReceivedBuffer slot;
    private @Nullable ByteBuffer whole;
    private @Nullable MessageMemory memory;

    private LeasedBuffer(Queue<Handle> idle) {
        handle = new WeakReference<>(new Handle(this, idle));
    }

    /** A new one, without leases. {@code idle} is where it goes whenever its last lease is given back. */
    static Handle create(Queue<Handle> idle) {
        LeasedBuffer buffer = new LeasedBuffer(idle);
        Handle created = buffer.handle.get();
        if (created == null) { // the collector was faster
            return create(idle);
        }
        if (LeaseTrace.SAMPLING > 0) {
            Finder.CLEANER.register(created, buffer);
        }
        return created;
    }

    /**
     * The first leases, on the loop. {@code receiveBuffer} is retained already, and is released with the last lease; null means
     * that the lease is on a copy.
     *
     * @return the generation
     */
    int begin(OpenLeases by, @Nullable ReceivedBuffer receiveBuffer, String from, int leases) {
        owner = by;
        origin = from;
        slot = receiveBuffer;
        int generation = (int) (state >>> Integer.SIZE) + 1;
        state = (long) generation << Integer.SIZE | leases;
        return generation;
    }

    /** Gives the memory of a message that was put together back with the last lease. By whoever has one, on the loop. */
    void keep(ByteBuffer message, @Nullable MessageMemory from) {
        if (whole == null) { // of several messages the others are left to the garbage collector
            whole = message;
            memory = from;
        }
    }

    /** The leases that its own are counted among. For whoever has one of them. */
    OpenLeases owner() {
        return Objects.requireNonNull(owner);
    }

    /** The handle, with so many leases more; null if none of this generation is out any more. On the loop. */
    @Nullable Handle join(int generation, int leases) {
        Handle current = handle.get(); // until the return it cannot be found lost
        return current != null && retain(generation, leases) ? current : null;
    }

    boolean isOut(int generation) {
        long now = state;
        return (int) (now >>> Integer.SIZE) == generation && (int) now > 0;
    }

    private boolean retain(int generation, int leases) {
        long now = state;
        while ((int) (now >>> Integer.SIZE) == generation && (int) now > 0) {
            long seen = (long) STATE.compareAndExchange(this, now, now + leases);
            if (seen == now) {
                return true;
            }
            now = seen;
        }
        return false;
    }

    /** True if those were the last: the receive buffer has gone back. */
    private boolean leave(int leases) {
        if ((int) (long) STATE.getAndAdd(this, (long) -leases) > leases) {
            return false;
        }
        end();
        return true;
    }

    private void end() {
        OpenLeases leases = owner;
        ReceivedBuffer receiveBuffer = slot;
        ByteBuffer message = whole;
        MessageMemory to = memory;
        owner = null;
        slot = null;
        whole = null;
        memory = null;
        if (message != null && to != null) {
            to.returned(message);
        }
        if (leases != null) {
            leases.ended(receiveBuffer);
        }
    }

    /** On the cleaner's thread: the handle is gone, and with it all leases that were not given back. */
    @Override
    public void run() {
        boolean lost = (int) state > 0;
        OpenLeases leases = owner;
        if (lost && leases != null) {
            try {
                leases.lost(this, origin);
            } finally {
                state = 0;
                end();
            }
        }
    }

    /** What leases hold: as long as one of them is reachable, so is this. */
    static final class Handle {
        private final LeasedBuffer buffer;
        private final Queue<Handle> idle;

        private Handle(LeasedBuffer buffer, Queue<Handle> idle) {
            this.buffer = buffer;
            this.idle = idle;
        }

        LeasedBuffer buffer() {
            return buffer;
        }

        /** For one lease more; false if the caller's was given back meanwhile. Any thread. */
        boolean retain(int generation) {
            try {
                return buffer.retain(generation, 1);
            } finally {
                Reference.reachabilityFence(this);
            }
        }

        /** Gives so many leases back. Any thread. */
        void leave(int leases) {
            try {
                if (buffer.leave(leases)) {
                    idle.offer(this); // one more than there is room for is garbage
                }
            } finally {
                Reference.reachabilityFence(this);
            }
        }
    }

    /** The Cleaner's thread runs from the first lease on. */
    private static final class Finder {
        static final Cleaner CLEANER = Cleaner.create(task -> {
            Thread thread = new Thread(task, "netio-leases");
            thread.setDaemon(true);
            return thread;
        });
    }
}
