// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.lease;

import io.reactivenetio.api.Lease;
import io.reactivenetio.api.LeasePolicy;
import io.reactivenetio.counters.ConnectionCounters;
import io.reactivenetio.loop.EventLoop;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Queue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jctools.queues.varhandle.MpscVarHandleArrayQueue;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.Exceptions;

/**
 * The leases of one connection. They may hold three quarters of its receive buffers: the rest keeps messages coming, so that
 * whoever collects leases and gives none back gets copies, a warning or an error instead of silence.
 */
public final class LeaseWindow {
    private static final Logger LOG = LoggerFactory.getLogger(LeaseWindow.class);
    private static final long PATIENCE_MILLIS = 1_000;

    private final EventLoop loop;
    private final ConnectionCounters counters;
    private final LeasePolicy policy;
    private final int cap;
    private final Object connection;
    private final OpenLeases open;
    /** What leases are counted with, for buffers that are not leased now. */
    private final Queue<LeasedBuffer.Handle> idle;
    private BooleanSupplier noneIsLeft = () -> false;
    private boolean watching;
    /** On the loop: a message has to wait, and none was resumed since. */
    private boolean blocked;

    /** {@code resume}: what to call on the loop when a lease was given back that a message waits for. */
    public LeaseWindow(EventLoop loop, ConnectionCounters counters, LeasePolicy policy, int credits, Object connection,
            ByteOrder byteOrder, Runnable resume) {
        this.loop = loop;
        this.counters = counters;
        this.policy = policy;
        this.cap = cap(credits);
        this.connection = connection;
        this.idle = new MpscVarHandleArrayQueue<>(Math.max(2, credits));
        this.open = new OpenLeases(loop, counters, byteOrder, policy == LeasePolicy.WAIT, () -> {
            blocked = false;
            resume.run();
        });
    }

    /** How many of so many receive buffers may be leased. */
    public static int cap(int credits) {
        return credits - Math.max(1, credits / 4);
    }

    /**
     * Has messages leased as copies, if the policy is COPY, while no receive buffer is left for others, whoever holds them. On
     * the loop.
     */
    public void copyWhile(BooleanSupplier noReceiveBufferIsLeft) {
        noneIsLeft = noReceiveBufferIsLeft;
    }

    // ---- on the loop

    /** Whether this message may be leased now; if not, {@code resume} is called when one may. */
    public boolean admits(ReceivedMessage message, String origin) {
        return policy != LeasePolicy.WAIT || message.leases().areOut() || admitsAnother(origin);
    }

    /** Whether one more receive buffer may be leased. */
    private boolean admitsAnother(String origin) {
        if (policy != LeasePolicy.WAIT || counters.leasedBuffers() < cap) {
            return true;
        }
        open.awaitReturn();
        if (counters.leasedBuffers() < cap) { // given back before it could be seen that somebody waits
            return true; // it stays set, as another stream's message may wait as well
        }
        blocked = true;
        watch(origin);
        return false;
    }

    /** Makes a lease on this message, which cannot wait: on a copy where {@link #admits} would have it wait. */
    public Lease leaseNow(ReceivedMessage message, String origin) {
        boolean full = waits() && counters.leasedBuffers() >= cap && !message.leases().areOut();
        return full ? leaseCopy(message, origin) : lease(message, origin);
    }

    /** Makes a lease on this message, or on a copy of it. */
    public Lease lease(ReceivedMessage message, String origin) {
        LeasedBuffer.Handle holder = holderOf(message, origin);
        if (holder == null) {
            return leaseCopy(message, origin);
        }
        counters.countLease();
        PageLeases leases = message.leases();
        ByteBuffer whole = message.whole();
        if (whole == null) {
            ByteBuffer page = leases.memory(message, open.byteOrder());
            return begin(holder, leases.generation(), page, message.offset(), message, origin);
        }
        holder.buffer().keep(whole, message.memory());
        return begin(holder, leases.generation(), readOnly(whole), 0, message, origin);
    }

    private Lease leaseCopy(ReceivedMessage message, String origin) {
        if (policy == LeasePolicy.ERROR) {
            throw Exceptions.failWithOverflow("all " + cap + " receive buffers of " + connection + " that may be leased are,"
                    + " and one more was asked for: give leases back sooner, or use more receive buffers, or copies."
                    + open.holders());
        }
        ByteBuffer copy = ByteBuffer.allocate(message.length()).put(0, message.data(), 0, message.length());
        LeasedBuffer.Handle holder = free();
        int generation = holder.buffer().begin(open, null, origin, 1);
        counters.countLeasedCopy();
        return begin(holder, generation, readOnly(copy), 0, message, origin);
    }

    private boolean hasRoom() {
        if (waits()) {
            return true; // it was admitted; if there is no room, the last lease has gone since
        }
        return counters.leasedBuffers() < cap && !(policy == LeasePolicy.COPY && noneIsLeft.getAsBoolean());
    }

    /** Counts a lease on this message, whose page is or becomes leased; null if it may not. */
    private LeasedBuffer.@Nullable Handle holderOf(ReceivedMessage message, String origin) {
        LeasedBuffer.Handle holder = message.leases().join();
        if (holder == null && hasRoom()) {
            holder = free();
            message.page().retain();
            message.leases().begin(holder, open, message, origin);
            counters.bufferLeased();
        }
        return holder;
    }

    /** A lease on {@code message}, which lies in {@code memory} at {@code offset}. */
    private Lease begin(LeasedBuffer.Handle holder, int generation, ByteBuffer memory, int offset, ReceivedMessage message,
            String origin) {
        DefaultLease lease = new DefaultLease();
        lease.begin(holder, generation, memory, offset, message.length(), message.tag(), message.status(),
                open.trace(holder.buffer(), origin));
        return lease;
    }

    private ByteBuffer readOnly(ByteBuffer memory) {
        return memory.asReadOnlyBuffer().order(open.byteOrder());
    }

    /** One that is free. */
    private LeasedBuffer.Handle free() {
        LeasedBuffer.Handle next = idle.poll();
        return next != null ? next : LeasedBuffer.create(idle);
    }

    /** Warns if nothing moves for a second: that long to wait for leases is hardly meant. */
    private void watch(String origin) {
        if (watching) {
            return;
        }
        long before = counters.leases();
        try {
            loop.schedule(() -> check(origin, before), PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
            watching = true;
        } catch (RejectedExecutionException terminated) {
            // nothing will come any more, and nobody wait
        }
    }

    private void check(String origin, long before) {
        watching = false;
        if (!blocked || counters.leasedBuffers() < cap) {
            return;
        }
        if (counters.leases() != before) {
            watch(origin);
            return;
        }
        LOG.warn("Messages of {} wait: all {} receive buffers that may be leased have been out for {} ms (lease policy WAIT),"
                + " from {}.{}", connection, cap, PATIENCE_MILLIS, origin, open.holders());
    }

    /** Whether messages wait when no further receive buffer may be leased. */
    private boolean waits() {
        return policy == LeasePolicy.WAIT;
    }
}
