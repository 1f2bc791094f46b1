// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.base;

import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.transport.CompletionLevel;
import io.reactivenetio.transport.GatherList;
import io.reactivenetio.transport.SendKey;
import io.reactivenetio.transport.SendStatus;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jctools.queues.varhandle.MpscVarHandleArrayQueue;
import org.jspecify.annotations.Nullable;

/**
 * The sends of one endpoint: who owns which buffer, and how many are in flight. A send first takes its place in flight, under the
 * guard, and is then posted by the loop: at once if the caller is on it, else (SAFE) through a queue that keeps the order.
 */
final class EndpointSends {
    private static final long RETRY_MILLIS = 1;

    private final EndpointBase endpoint;
    private final EventLoop loop;
    private final SendPool pool;
    private final @Nullable GatherPool gathers;
    private final Guard guard;
    private final boolean safe;
    private final int buffers;
    private final Ration.Member member = new Ration.Member(this::turn);
    /** Accepted elsewhere, to be posted by the loop. It cannot overflow: what is in it is in flight. */
    private final @Nullable MpscVarHandleArrayQueue<SendOperation> accepted;
    private final Runnable poster = this::postAccepted;
    private final AtomicBoolean posterScheduled = new AtomicBoolean();
    private int limit = Integer.MAX_VALUE;
    private int inFlight;
    private boolean open;
    private boolean closed;
    /** Turned away because too much is in flight, the connection is not up, or the provider said so. */
    private boolean wantsRoom;
    private boolean wantsGather;
    // loop only
    private boolean posting;
    private boolean retrying;

    /** {@code buffers}: how many of the pool may be this endpoint's; 0 if it has none. */
    EndpointSends(EndpointBase endpoint, EventLoop loop, SendPool pool, int buffers, @Nullable GatherPool gathers, boolean safe) {
        this.endpoint = endpoint;
        this.loop = loop;
        this.pool = pool;
        this.buffers = buffers;
        this.gathers = gathers;
        this.guard = pool.guard();
        this.safe = safe;
        int most = buffers + (gathers == null ? 0 : gathers.slots());
        this.accepted = safe ? new MpscVarHandleArrayQueue<>(Math.max(2, most)) : null;
        guard.lock();
        try {
            pool.join(member);
        } finally {
            guard.unlock();
        }
    }

    SendPool pool() {
        return pool;
    }

    @Nullable GatherPool gathers() {
        return gathers;
    }

    Ration.Member member() {
        return member;
    }

    boolean isSafe() {
        return safe;
    }

    int buffers() {
        return buffers;
    }

    /** Allows at most {@code most} in flight. */
    void limit(int most) {
        limit = most;
    }

    /** The connection is up. */
    void open() {
        guard.lock();
        try {
            open = true;
        } finally {
            guard.unlock();
        }
    }

    // ---- buffered

    @Nullable SendHandle lend() {
        guard.lock();
        try {
            return closed ? null : pool.lend(this, member, endpoint.hasFreshHandles());
        } finally {
            guard.unlock();
        }
    }

    int free() {
        guard.lock();
        try {
            return closed ? 0 : pool.available();
        } finally {
            guard.unlock();
        }
    }

    SendStatus send(SendHandle loan, CompletionLevel level) {
        Objects.requireNonNull(level, "level");
        SendSlot slot = loan.slot();
        guard.lock();
        try {
            if (slot.handle != loan || slot.holder != this || slot.state != SendSlot.State.LENT) {
                return SendStatus.FAILED;
            }
            if (closed) {
                pool.home(slot, member);
                return SendStatus.FAILED;
            }
            if (!hasRoom()) {
                return SendStatus.NO_RESOURCES;
            }
            slot.state = SendSlot.State.IN_FLIGHT;
            slot.level(level);
            inFlight++;
        } finally {
            guard.unlock();
        }
        if (!mayPost()) {
            handOver(slot);
            return SendStatus.OK;
        }
        SendStatus status = endpoint.post(slot, level);
        if (status != SendStatus.OK) {
            takeBack(slot, status);
        }
        return status;
    }

    private void takeBack(SendSlot slot, SendStatus status) {
        guard.lock();
        try {
            inFlight--;
            slot.state = SendSlot.State.LENT;
            if (status == SendStatus.NO_RESOURCES) {
                wantsRoom = true;
            } else {
                pool.home(slot, member);
            }
        } finally {
            guard.unlock();
        }
    }

    /** A copy in a buffer of which nobody is told any more. */
    SendStatus sendCopy(ByteBuffer data) {
        SendHandle loan = lend();
        if (loan == null) {
            return endpoint.isClosed() ? SendStatus.FAILED : SendStatus.NO_RESOURCES;
        }
        int bytes = data.remaining();
        loan.data().put(0, data, data.position(), bytes);
        loan.length(bytes);
        loan.slot().silent = true;
        SendStatus status = send(loan, CompletionLevel.TRANSMIT_COMPLETE);
        if (status == SendStatus.OK) {
            data.position(data.limit());
        } else if (status == SendStatus.NO_RESOURCES) {
            loan.release();
        }
        return status;
    }

    /** Under the guard. */
    private boolean hasRoom() {
        boolean room = open && inFlight < limit;
        wantsRoom |= !room;
        return room;
    }

    // ---- zero-copy

    SendStatus send(GatherPool from, GatherList message, long key, CompletionLevel level) {
        Objects.requireNonNull(level, "level");
        GatherSlot slot;
        guard.lock();
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
                from.home(slot);
                return SendStatus.NO_RESOURCES;
            }
            slot.level(level);
            inFlight++;
        } finally {
            guard.unlock();
        }
        if (!mayPost()) {
            handOver(slot);
            return SendStatus.OK;
        }
        SendStatus status = endpoint.post(slot, level);
        if (status != SendStatus.OK) {
            guard.lock();
            try {
                inFlight--;
                from.home(slot);
                wantsRoom |= status == SendStatus.NO_RESOURCES;
            } finally {
                guard.unlock();
            }
        }
        return status;
    }

    // ---- from other threads

    /** Whether the caller is on the loop, and nothing that was sent elsewhere before has still to be posted. */
    private boolean mayPost() {
        if (!loop.inEventLoop()) {
            return false;
        }
        MpscVarHandleArrayQueue<SendOperation> queue = accepted;
        if (queue == null || queue.isEmpty()) {
            return true;
        }
        postAccepted();
        return queue.isEmpty();
    }

    private void handOver(SendOperation operation) {
        MpscVarHandleArrayQueue<SendOperation> queue = accepted;
        if (queue == null || !queue.offer(operation)) {
            throw new IllegalStateException("called on thread " + Thread.currentThread().getName() + ", not on the event loop");
        }
        if (posterScheduled.compareAndSet(false, true)) {
            try {
                loop.execute(poster);
            } catch (RejectedExecutionException terminating) {
                return; // the loop closes the endpoint, which tells the key
            }
        }
    }

    /** Posts what other threads have sent, in their order; what the provider cannot take yet waits at the head. */
    void postAccepted() {
        MpscVarHandleArrayQueue<SendOperation> queue = accepted;
        posterScheduled.set(false); // before looking: what comes from now on is seen, or schedules anew
        if (queue == null || posting || endpoint.isClosed()) {
            return;
        }
        posting = true;
        try {
            SendOperation next;
            while ((next = queue.peek()) != null) {
                SendStatus status = next instanceof SendSlot slot ? endpoint.post(slot, slot.level())
                        : endpoint.post((GatherSlot) next, next.level());
                if (status == SendStatus.NO_RESOURCES) {
                    retryLater();
                    return;
                }
                queue.poll();
                if (status == SendStatus.FAILED) {
                    return; // the connection is closing, and its closed callback tells the keys
                }
            }
        } finally {
            posting = false;
        }
    }

    private void retryLater() {
        if (!retrying) {
            retrying = true;
            endpoint.after(RETRY_MILLIS, TimeUnit.MILLISECONDS, () -> {
                retrying = false;
                postAccepted();
            });
        }
    }

    // ---- completions, on the loop

    /**
     * A buffered send is over. False if nobody is to be told. In the SAFE model its buffer stays out until {@link #told}:
     * another thread would send it again under the same key before that key is told.
     */
    boolean completed(int index) {
        guard.lock();
        try {
            SendSlot slot = pool.slot(index);
            if (slot.holder != this || slot.state != SendSlot.State.IN_FLIGHT) {
                return false;
            }
            inFlight--;
            if (safe && !slot.silent) {
                slot.state = SendSlot.State.COMPLETED;
            } else {
                pool.home(slot, member);
            }
            return !slot.silent;
        } finally {
            guard.unlock();
        }
    }

    /** The owner knows that a buffered send is over. */
    void told(int index) {
        if (safe) {
            guard.lock();
            try {
                pool.home(pool.slot(index), member);
            } finally {
                guard.unlock();
            }
        }
    }

    /** A zero-copy send is over. False if nobody is to be told; the key is still in the slot otherwise. */
    boolean completed(GatherPool of, GatherSlot slot) {
        guard.lock();
        try {
            if (!slot.inFlight) {
                return false;
            }
            inFlight--;
            of.home(slot);
            return true;
        } finally {
            guard.unlock();
        }
    }

    /** After a batch of completions: calls back who was turned away and can go on. */
    void offer() {
        if (safe) {
            postAccepted();
        }
        if (wantsRoom || wantsGather) {
            offerRoom();
        }
        pool.serve();
    }

    private void offerRoom() {
        guard.lock();
        try {
            GatherPool own = gathers;
            boolean gatherFree = own != null && own.available() > 0;
            if (closed || !open || inFlight >= limit || !(wantsRoom || wantsGather && gatherFree)) {
                return;
            }
            wantsRoom = false;
            wantsGather = false;
        } finally {
            guard.unlock();
        }
        endpoint.tellResourcesAvailable();
    }

    /** This endpoint's turn to take a buffer. */
    private void turn() {
        guard.lock();
        try {
            if (!open) {
                wantsRoom = true; // told when the connection is up
                return;
            }
        } finally {
            guard.unlock();
        }
        endpoint.tellResourcesAvailable();
    }

    // ---- the end

    /** Nothing is sent any more: what will never complete. {@code released}: nothing reads the memory any more, so it can go. */
    List<SendKey> close(boolean released) {
        List<SendKey> cancelled = new ArrayList<>(inFlight);
        guard.lock();
        try {
            closed = true;
            pool.leave(this, member, cancelled, released);
            GatherPool own = gathers;
            if (own != null) {
                own.close(cancelled, released);
            }
            inFlight = 0;
        } finally {
            guard.unlock();
        }
        return cancelled;
    }

    /** From here on sends fail; what is in flight may still complete. */
    void stop() {
        guard.lock();
        try {
            closed = true;
        } finally {
            guard.unlock();
        }
    }
}
