// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.libfabric;

import io.reactivenetio.ffm.Fi;
import io.reactivenetio.ffm.FiCompletionQueue;
import io.reactivenetio.ffm.FiError;
import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.loop.FdRegistration;
import org.jspecify.annotations.Nullable;

/** One libfabric completion queue, read in batches, and its place in the loop. */
final class CompletionQueue {
    /** Completions taken per turn, so that one busy endpoint leaves the others their turn. */
    private static final int BATCH = 64;

    enum State { NEW, ACTIVE, ARMED, RESTING, CLOSED }

    /** Who the completions are for. */
    interface Owner {
        void onCompletion(long context, long length);

        /** {@code error} is valid during the call. */
        void onError(FiError error);

        /** The queue itself failed: nothing more can be learned from it. */
        void onBroken(int code);

        /** After each batch that held something. */
        void onBatchEnd();

        /** Whether no receive is posted: then the queue may be unable to sleep through no fault of its own. */
        boolean starved();

        /** Whether receives are posted for several queues together. */
        boolean sharesReceives();
    }

    State state = State.NEW;
    boolean idle;
    int idleLooks;
    /** To be read when a shared receive is posted. */
    boolean deaf;
    int emptyLooks;
    private final CompletionQueues queues;
    private final EventLoop loop;
    private final FiCompletionQueue queue;
    private final Owner owner;
    private @Nullable FdRegistration registration;
    private boolean muted;

    CompletionQueue(CompletionQueues queues, EventLoop loop, FiCompletionQueue queue, Owner owner) {
        this.queues = queues;
        this.loop = loop;
        this.queue = queue;
        this.owner = owner;
    }

    FiCompletionQueue queue() {
        return queue;
    }

    boolean starved() {
        return owner.starved();
    }

    boolean sharesReceives() {
        return owner.sharesReceives();
    }

    void activate() {
        queues.activate(this);
    }

    /** Reads one batch; how many entries there were. */
    int read() {
        if (state == State.CLOSED) {
            return 0;
        }
        int count = queue.read(BATCH);
        idle = count == -Fi.FI_EAGAIN;
        if (idle) {
            return 0;
        }
        if (count == -Fi.FI_EAVAIL) {
            FiError error = queue.readError();
            if (error != null) {
                owner.onError(error);
            }
            owner.onBatchEnd();
            return 1;
        }
        if (count < 0) {
            idle = true;
            owner.onBroken(-count);
            return 0;
        }
        for (int i = 0; i < count; i++) {
            owner.onCompletion(queue.context(i), queue.length(i));
        }
        owner.onBatchEnd();
        return count;
    }

    /** Reads until it is empty: what came before the connection ended must be seen before the end is. */
    void drain() {
        while (read() > 0) {
            idle = false;
        }
    }

    void broken(int code) {
        owner.onBroken(code);
    }

    void arm() {
        state = State.ARMED;
        if (registration == null) {
            registration = loop.register(queue.fd(), FdRegistration.READABLE, events -> activate());
        } else if (muted) {
            registration.modify(FdRegistration.READABLE);
        }
        muted = false;
    }

    void rest() {
        state = State.RESTING;
        if (registration != null && !muted) {
            registration.modify(0);
            muted = true;
        }
    }

    /** After its endpoint is closed. */
    void close() {
        if (state != State.CLOSED) {
            queues.remove(this);
            state = State.CLOSED;
            if (registration != null) {
                registration.close();
            }
            queue.close();
        }
    }
}
