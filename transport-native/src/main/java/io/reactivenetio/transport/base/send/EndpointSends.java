// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.base.send;

import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.memory.FairShare;
import io.reactivenetio.transport.SendCompletion;
import io.reactivenetio.transport.backend.GatherList;
import io.reactivenetio.transport.backend.SendBuffer;
import io.reactivenetio.transport.backend.SendKey;
import io.reactivenetio.transport.backend.SendStatus;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The sends of one endpoint: the owner of each buffer, and the number in flight. A send first takes its place in flight, under
 * the lock. Then the loop posts it. That happens at once if the caller is on the loop. Otherwise (SAFE) the send goes through
 * {@link SubmittedSends}, which keep the order. SAFE, any thread may lend and send; all else is the loop's.
 */
public final class EndpointSends {
    private final Transmitter endpoint;
    private final boolean freshHandles;
    private final EventLoop loop;
    private final SendPool pool;
    private final @Nullable GatherPool gathers;
    private final OptionalLock lock;
    private final boolean safe;
    private final int buffers;
    private final FairShare.Member member = new FairShare.Member(this::onTurn);
    /** Null unless SAFE. */
    private final @Nullable SubmittedSends submitted;
    private int limit = Integer.MAX_VALUE;
    private int inFlight;
    private boolean open;
    private boolean closed;
    /** A send was refused because too much is in flight, the connection is not up, or the provider said so. */
    private boolean wantsRoom;
    private boolean wantsGather;

    /**
     * {@code freshHandles}: each loan has a handle of its own. {@code buffers}: how many of the pool may be this endpoint's; 0 if
     * it has none.
     */
    public EndpointSends(Transmitter endpoint, boolean freshHandles, EventLoop loop, SendPool pool, int buffers,
            @Nullable GatherPool gathers) {
        this.endpoint = endpoint;
        this.freshHandles = freshHandles;
        this.loop = loop;
        this.pool = pool;
        this.buffers = buffers;
        this.gathers = gathers;
        this.lock = pool.lock();
        this.safe = pool.isSafe();
        int most = buffers + (gathers == null ? 0 : gathers.slots());
        this.submitted = safe ? new SubmittedSends(endpoint, loop, most) : null;
        lock.lock();
        try {
            pool.join(member);
        } finally {
            lock.unlock();
        }
    }

    public SendPool pool() {
        return pool;
    }

    public @Nullable GatherPool gathers() {
        return gathers;
    }

    /** How many buffers of the pool may be this endpoint's; 0 if it has none. */
    public int buffers() {
        return buffers;
    }

    /** Allows at most {@code most} in flight. */
    public void limit(int most) {
        limit = most;
    }

    /** The connection is up. */
    public void open() {
        lock.lock();
        try {
            open = true;
        } finally {
            lock.unlock();
        }
    }

    // ---- buffered

    /** The borrower owns the buffer until it is sent or released. Null if there is none now. */
    public @Nullable SendBuffer lend() {
        return borrow();
    }

    private @Nullable SendHandle borrow() {
        lock.lock();
        try {
            return closed ? null : pool.lend(member, freshHandles);
        } finally {
            lock.unlock();
        }
    }

    public int free() {
        lock.lock();
        try {
            return closed ? 0 : pool.available();
        } finally {
            lock.unlock();
        }
    }

    /** Sends a buffer that was lent. As {@link io.reactivenetio.transport.backend.NetworkBackend#sendBuffer} says. */
    public SendStatus send(SendBuffer buffer, SendCompletion level) {
        return buffer instanceof SendHandle loan ? send(loan, level) : SendStatus.FAILED;
    }

    private SendStatus send(SendHandle loan, SendCompletion level) {
        Objects.requireNonNull(level, "level");
        SendSlot slot = loan.slot();
        lock.lock();
        try {
            if (slot.loan != loan || slot.holder != member || slot.state != SendSlot.State.LENT) {
                return SendStatus.FAILED;
            }
            if (closed) {
                pool.free(slot, member);
                return SendStatus.FAILED;
            }
            if (!hasRoom()) {
                return SendStatus.NO_RESOURCES;
            }
            slot.state = SendSlot.State.IN_FLIGHT;
            slot.level(level);
            inFlight++;
        } finally {
            lock.unlock();
        }
        if (!mayPost()) {
            submit(slot);
            return SendStatus.OK;
        }
        SendStatus status = endpoint.post(slot, level);
        if (status != SendStatus.OK) {
            takeBack(slot, status);
        }
        return status;
    }

    private void takeBack(SendSlot slot, SendStatus status) {
        lock.lock();
        try {
            inFlight--;
            slot.state = SendSlot.State.LENT;
            if (status == SendStatus.NO_RESOURCES) {
                wantsRoom = true;
            } else {
                pool.free(slot, member);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Sends a copy in a buffer. No callback tells that it has completed. */
    public SendStatus sendCopy(ByteBuffer data) {
        SendHandle loan = borrow();
        if (loan == null) {
            return endpoint.isClosed() ? SendStatus.FAILED : SendStatus.NO_RESOURCES;
        }
        int bytes = data.remaining();
        loan.data().put(0, data, data.position(), bytes);
        loan.length(bytes);
        loan.slot().silent = true;
        SendStatus status = send(loan, SendCompletion.TRANSMITTED);
        if (status == SendStatus.OK) {
            data.position(data.limit());
        } else if (status == SendStatus.NO_RESOURCES) {
            loan.release();
        }
        return status;
    }

    /** Tells whether there is room. Under the lock. */
    private boolean hasRoom() {
        boolean room = open && inFlight < limit;
        wantsRoom |= !room;
        return room;
    }

    // ---- zero-copy

    public SendStatus send(GatherPool from, GatherList message, long key, SendCompletion level) {
        Objects.requireNonNull(level, "level");
        GatherSlot slot;
        lock.lock();
        try {
            if (closed) {
                return SendStatus.FAILED;
            }
            slot = from.take(message, key);
            if (slot == null) {
                wantsGather = true;
                return SendStatus.NO_RESOURCES;
            }
            if (!hasRoom()) {
                from.free(slot);
                return SendStatus.NO_RESOURCES;
            }
            slot.level(level);
            inFlight++;
        } finally {
            lock.unlock();
        }
        if (!mayPost()) {
            submit(slot);
            return SendStatus.OK;
        }
        SendStatus status = endpoint.post(slot, level);
        if (status != SendStatus.OK) {
            lock.lock();
            try {
                inFlight--;
                from.free(slot);
                wantsRoom |= status == SendStatus.NO_RESOURCES;
            } finally {
                lock.unlock();
            }
        }
        return status;
    }

    // ---- from other threads

    /** Whether the caller is on the loop, and nothing that was sent elsewhere before has still to be posted. */
    private boolean mayPost() {
        SubmittedSends others = submitted;
        return loop.inEventLoop() && (others == null || others.drain());
    }

    private void submit(SendOperation operation) {
        SubmittedSends others = submitted;
        if (others == null) {
            throw new IllegalStateException("called on thread " + Thread.currentThread().getName() + ", not on the event loop");
        }
        others.submit(operation);
    }

    // ---- completions, on the loop

    /**
     * A buffered send is over. Returns whether a callback has to tell that. In the SAFE model its buffer is not free before
     * {@link #notified}: another thread could use its key again before the callback for the first use.
     */
    public boolean completed(int index) {
        lock.lock();
        try {
            SendSlot slot = pool.slot(index);
            if (slot.holder != member || slot.state != SendSlot.State.IN_FLIGHT) {
                return false;
            }
            inFlight--;
            if (safe && !slot.silent) {
                slot.state = SendSlot.State.COMPLETED;
            } else {
                pool.free(slot, member);
            }
            return !slot.silent;
        } finally {
            lock.unlock();
        }
    }

    /** The callback for a buffered send has returned. */
    public void notified(int index) {
        if (safe) {
            lock.lock();
            try {
                pool.free(pool.slot(index), member);
            } finally {
                lock.unlock();
            }
        }
    }

    /** A zero-copy send is over. Returns whether a callback has to tell that. The key is still in the slot then. */
    public boolean completed(GatherPool of, GatherSlot slot) {
        lock.lock();
        try {
            if (!slot.inFlight) {
                return false;
            }
            inFlight--;
            of.free(slot);
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Called after a batch of completions. Tells those that were refused before and can go on now. */
    public void offer() {
        SubmittedSends others = submitted;
        if (others != null) {
            others.post();
        }
        if (wantsRoom || wantsGather) {
            offerRoom();
        }
        pool.serve();
    }

    private void offerRoom() {
        lock.lock();
        try {
            GatherPool own = gathers;
            boolean gatherFree = own != null && own.available() > 0;
            if (closed || !open || inFlight >= limit || !(wantsRoom || wantsGather && gatherFree)) {
                return;
            }
            wantsRoom = false;
            wantsGather = false;
        } finally {
            lock.unlock();
        }
        endpoint.notifyResourcesAvailable();
    }

    /** This endpoint's turn to take a buffer. */
    private void onTurn() {
        lock.lock();
        try {
            if (!open) {
                wantsRoom = true; // told when the connection is up
                return;
            }
        } finally {
            lock.unlock();
        }
        endpoint.notifyResourcesAvailable();
    }

    // ---- the end

    /** Ends all sends and returns those in flight. {@code released} says that nothing reads the memory any more. */
    public List<SendKey> close(boolean released) {
        List<SendKey> cancelled = new ArrayList<>(inFlight);
        lock.lock();
        try {
            closed = true;
            pool.leave(member, cancelled, released);
            GatherPool own = gathers;
            if (own != null) {
                own.close(cancelled, released);
            }
            inFlight = 0;
        } finally {
            lock.unlock();
        }
        return cancelled;
    }

    /** From now on sends fail. Those in flight may still complete. */
    public void stop() {
        lock.lock();
        try {
            closed = true;
        } finally {
            lock.unlock();
        }
    }
}
