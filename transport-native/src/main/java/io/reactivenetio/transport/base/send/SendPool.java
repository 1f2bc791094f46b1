// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.base.send;

import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.memory.FairShare;
import io.reactivenetio.memory.Slab;
import io.reactivenetio.transport.backend.SendBuffer;
import io.reactivenetio.transport.backend.SendKey;
import io.reactivenetio.transport.backend.SendKind;
import io.reactivenetio.transport.backend.SharedBuffers;
import io.reactivenetio.transport.exceptions.NetioException;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Send buffers of one endpoint, or of all endpoints of a backend. Each buffer is free, lent, or in flight. An endpoint that gets
 * none waits in a queue, see {@link FairShare}. All state is under the lock.
 */
public final class SendPool implements SendSlot.Lender {
    private final EventLoop loop;
    private final OptionalLock lock;
    private final boolean safe;
    private final Slab slab;
    private final SendSlot[] slots;
    private final FairShare fairShare;
    private boolean serving;

    /**
     * {@code number} buffers of {@code size} bytes, each after {@code headroom} bytes of the backend's own. {@code safe}: any
     * thread may send. {@code shared}: several endpoints use the pool.
     */
    public SendPool(EventLoop loop, int size, int number, int headroom, boolean safe, boolean shared) {
        this.loop = loop;
        this.lock = new OptionalLock(safe);
        this.safe = safe;
        this.slots = new SendSlot[number];
        this.fairShare = new FairShare(number, shared);
        this.slab = new Slab(number, size, headroom);
        try {
            for (int i = 0; i < number; i++) {
                slots[i] = new SendSlot(i, this, slab);
            }
        } catch (Error e) {
            Arrays.fill(slots, null); // the heap may be full of them, and what follows needs some
            slab.retire(0);
            throw e;
        }
    }

    /** The send buffers of a whole backend. */
    public static SendPool shared(EventLoop loop, SharedBuffers buffers, int headroom, boolean safe) {
        try {
            return new SendPool(loop, buffers.size(), buffers.number(), headroom, safe, true);
        } catch (OutOfMemoryError e) {
            throw new NetioException("no memory for the shared send buffers, " + buffers.number() + " x " + buffers.size()
                    + " bytes: use fewer or smaller ones", e);
        }
    }

    public Slab slab() {
        return slab;
    }

    public SendSlot slot(int index) {
        return slots[index];
    }

    /** The lock of everything that uses this pool. */
    OptionalLock lock() {
        return lock;
    }

    /** Whether any thread may send. */
    boolean isSafe() {
        return safe;
    }

    // ---- under the lock

    void join(FairShare.Member member) {
        fairShare.join(member);
    }

    /** {@code fresh}: with a new handle, which nobody can have kept. The result is null if {@code member} has to wait. */
    @Nullable SendHandle lend(FairShare.Member member, boolean fresh) {
        if (!fairShare.admits(member, slab.available())) {
            fairShare.await(member);
            if (slab.available() > 0) {
                serveLater(); // another endpoint waits, and may go on by now
            }
            return null;
        }
        SendSlot slot = slots[slab.acquire()];
        SendHandle loan = !fresh && slot.loan instanceof SendHandle last ? last : new SendHandle(slot);
        slot.lend(member, loan);
        fairShare.took(member);
        return loan;
    }

    int available() {
        return slab.available();
    }

    /** Frees a slot that is not lent and not in flight any more. */
    void free(SendSlot slot, FairShare.Member member) {
        slot.state = SendSlot.State.FREE;
        slot.holder = null;
        slab.free(slot.key());
        fairShare.gave(member);
    }

    /**
     * Ends the sends that {@code member} has in flight, and adds their keys to {@code cancelled}. Lent buffers stay lent. The
     * slots in flight become free only if they are {@code released}. Otherwise something may still read them, for good.
     */
    void leave(FairShare.Member member, List<SendKey> cancelled, boolean released) {
        for (SendSlot slot : slots) {
            if (slot.holder == member && slot.state == SendSlot.State.IN_FLIGHT) {
                if (!slot.silent) {
                    cancelled.add(new SendKey(SendKind.BUFFERED, slot.key()));
                }
                if (released) {
                    free(slot, member);
                }
            }
        }
        fairShare.leave(member);
        if (fairShare.hasWaiting()) {
            serveLater();
        }
    }

    // ---- with or without the lock

    @Override
    public void released(SendSlot slot, SendBuffer by) {
        boolean here = loop.inEventLoop();
        lock.lock();
        try {
            if (slot.loan != by) {
                throw slot.stale();
            }
            FairShare.Member holder = slot.holder;
            if (slot.state != SendSlot.State.LENT || holder == null) {
                throw new IllegalStateException("send buffer " + slot.key() + " is not lent: " + slot.state);
            }
            if (!here && !safe && !loop.isTerminated()) {
                throw new IllegalStateException("send buffer " + slot.key() + " released on thread "
                        + Thread.currentThread().getName() + ", not on the event loop");
            }
            if (loop.isTerminated()) {
                slot.state = SendSlot.State.FREE;
                slab.freeForeign(slot.key());
                return;
            }
            free(slot, holder);
            if (fairShare.hasWaiting()) {
                serveLater();
            }
        } finally {
            lock.unlock();
        }
    }

    // ---- endpoints that wait

    private void serveLater() {
        if (serving) {
            return;
        }
        serving = true;
        if (loop.inEventLoop()) {
            loop.atEndOfTurn(this::serve);
            return;
        }
        try {
            loop.execute(this::serve);
        } catch (RejectedExecutionException terminating) {
            serving = true; // nobody is called back any more
        }
    }

    /** Calls the waiting endpoints that can go on now. On the loop, without the lock. */
    void serve() {
        int left = beginToServe();
        if (left == 0) {
            return;
        }
        for (; left > 0; left--) {
            FairShare.Member next = callNext();
            if (next != null) {
                next.onTurn();
            }
        }
        endServing();
    }

    /** Returns how many wait. Under the lock, or one that begins to wait at this moment would be forgotten. */
    private int beginToServe() {
        lock.lock();
        try {
            serving = false;
            return fairShare.waiting();
        } finally {
            lock.unlock();
        }
    }

    private FairShare.@Nullable Member callNext() {
        lock.lock();
        try {
            return slab.available() == 0 ? null : fairShare.callNext(slab.available());
        } finally {
            lock.unlock();
        }
    }

    private void endServing() {
        lock.lock();
        try {
            fairShare.endCalls();
        } finally {
            lock.unlock();
        }
    }

    /** Closes the pool. Its memory is freed with the last slot that is lent or in flight. */
    public void close() {
        lock.lock();
        try {
            slab.retire(0);
        } finally {
            lock.unlock();
        }
    }
}
