// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.base;

import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.memory.Slab;
import io.reactivenetio.transport.SendKey;
import io.reactivenetio.transport.SendKind;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Send buffers, of one endpoint or of all that a backend has: each is home, lent, or in flight. Who is turned away waits in line,
 * see {@link Ration}. Everything under the guard; its methods without one are for the loop.
 */
public final class SendPool {
    private final EventLoop loop;
    private final Guard guard;
    private final Slab slab;
    private final SendSlot[] slots;
    private final Ration ration;
    private boolean serving;

    /** {@code number} buffers of {@code size} bytes, each after {@code headroom} bytes of the backend's own. */
    SendPool(EventLoop loop, int size, int number, int headroom, boolean safe, boolean shared) {
        this.loop = loop;
        this.guard = new Guard(safe);
        this.slots = new SendSlot[number];
        this.ration = new Ration(number, shared);
        this.slab = new Slab(number, size, headroom);
        try {
            for (int i = 0; i < number; i++) {
                slots[i] = new SendSlot(i, this, slab.view(i));
            }
        } catch (Error e) {
            Arrays.fill(slots, null); // the heap may be full of them, and what follows needs some
            slab.retire(0);
            throw e;
        }
    }

    public Slab slab() {
        return slab;
    }

    public SendSlot slot(int index) {
        return slots[index];
    }

    /** Of everything that uses this pool. */
    Guard guard() {
        return guard;
    }

    // ---- under the guard

    void join(Ration.Member member) {
        ration.join(member);
    }

    @Nullable SendHandle lend(EndpointSends to, Ration.Member member, boolean fresh) {
        if (!ration.admits(member, slab.available())) {
            ration.await(member);
            if (slab.available() > 0) {
                serveLater(); // somebody else is in line, and may go on by now
            }
            return null;
        }
        SendSlot slot = slots[slab.acquire()];
        SendHandle loan = slot.lent(to, fresh);
        ration.took(member);
        return loan;
    }

    boolean couldLend() {
        return slab.available() > 0;
    }

    int available() {
        return slab.available();
    }

    /** A slot that is not lent and not in flight any more. */
    void home(SendSlot slot, Ration.Member member) {
        slot.state = SendSlot.State.HOME;
        slot.holder = null;
        slab.free(slot.key());
        ration.gave(member);
    }

    /**
     * Takes back what {@code holder} has in flight, and adds the keys to {@code cancelled}. What it has lent out stays so. What
     * is in flight stays so, for good, unless it is {@code released}: something may still read it.
     */
    void leave(EndpointSends holder, Ration.Member member, List<SendKey> cancelled, boolean released) {
        for (SendSlot slot : slots) {
            if (slot.holder == holder && slot.state == SendSlot.State.IN_FLIGHT) {
                if (!slot.silent) {
                    cancelled.add(new SendKey(SendKind.BUFFERED, slot.key()));
                }
                if (released) {
                    home(slot, member);
                }
            }
        }
        ration.leave(member);
        if (ration.someoneWaits()) {
            serveLater();
        }
    }

    // ---- for whoever has the guard or not

    /** A lent slot comes back unsent. */
    void released(SendSlot slot, SendHandle by) {
        boolean here = loop.inEventLoop();
        guard.lock();
        try {
            if (slot.handle != by) {
                throw by.stale();
            }
            EndpointSends holder = slot.holder;
            if (slot.state != SendSlot.State.LENT || holder == null) {
                throw new IllegalStateException("send buffer " + slot.key() + " is not lent: " + slot.state);
            }
            if (!here && !holder.isSafe() && !loop.isTerminated()) {
                throw new IllegalStateException("send buffer " + slot.key() + " released on thread "
                        + Thread.currentThread().getName() + ", not on the event loop");
            }
            if (loop.isTerminated()) {
                slot.state = SendSlot.State.HOME;
                slab.freeForeign(slot.key());
                return;
            }
            home(slot, holder.member());
            if (ration.someoneWaits()) {
                serveLater();
            }
        } finally {
            guard.unlock();
        }
    }

    // ---- the line

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

    /** Calls back those in line that can go on now. On the loop, without the guard. */
    void serve() {
        int left = beginToServe();
        if (left == 0) {
            return;
        }
        for (; left > 0; left--) {
            Ration.Member next = serveNext();
            if (next != null) {
                next.takeTurn();
            }
        }
        endServing();
    }

    /** How many wait. Under the guard, or whoever comes to wait at this moment would be forgotten. */
    private int beginToServe() {
        guard.lock();
        try {
            serving = false;
            return ration.waiting();
        } finally {
            guard.unlock();
        }
    }

    private Ration.@Nullable Member serveNext() {
        guard.lock();
        try {
            return slab.available() == 0 ? null : ration.serveNext(slab.available());
        } finally {
            guard.unlock();
        }
    }

    private void endServing() {
        guard.lock();
        try {
            ration.servedAll();
        } finally {
            guard.unlock();
        }
    }

    /** Nothing is lent any more. The memory goes with the last slot that is out. */
    void close() {
        guard.lock();
        try {
            slab.retire(0);
        } finally {
            guard.unlock();
        }
    }
}
