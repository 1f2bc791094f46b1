// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.libfabric;

import io.reactivenetio.ffm.Fi;
import io.reactivenetio.ffm.FiCompletionQueue;
import io.reactivenetio.ffm.FiError;
import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.loop.FdRegistration;
import io.reactivenetio.loop.RepeatedDelay;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** One libfabric completion queue, read in batches, and its place in the loop. */
final class CompletionQueue {
    /** Completions taken per turn, so that one busy endpoint leaves the others their turn. */
    private static final int BATCH = 64;
    private static final long SHORTEST_REST_MICROS = 1_000;
    private static final long LONGEST_REST_MICROS = 20_000;
    /** Sends that are under way go on only when somebody looks; while none completes the peer is slow or stands still. */
    private static final long LONGEST_SENDING_MICROS = 128_000;
    /** Without a receive nothing can come, and who posts one activates the queue. */
    private static final long LONGEST_STARVED_MICROS = 1_024_000;
    /** Rests end at multiples of such a part of theirs, so that many queues share a turn of the loop. */
    private static final long PARTS = 16;

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

        /** Whether sends are under way. */
        boolean sending();

        /** Whether receives are posted for several queues together. */
        boolean sharesReceives();
    }

    State state = State.NEW;
    boolean idle;
    int idleLooks;
    /** To be read when a shared receive is posted. */
    boolean deaf;
    int emptyLooks;
    /** Its descriptor could not be entered into epoll. */
    boolean unwatched;
    /** Among the silent ones that are armed; -1 elsewhere. */
    int place = -1;
    private final CompletionQueues queues;
    private final EventLoop loop;
    private final FiCompletionQueue queue;
    private final Owner owner;
    private @Nullable FdRegistration registration;
    private boolean muted;
    private @Nullable RepeatedDelay nextLook;
    private long restMicros = SHORTEST_REST_MICROS;

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

    /** For its owner, who has posted something: whatever it has waited for may come now. */
    void activate() {
        restMicros = SHORTEST_REST_MICROS;
        queues.activate(this);
    }

    /** Is read from now on. */
    void enter() {
        RepeatedDelay look = nextLook;
        if (state == State.RESTING && look != null) {
            look.cancel();
        }
        state = State.ACTIVE;
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
        restMicros = SHORTEST_REST_MICROS;
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

    /** If it throws, nothing has changed. */
    void arm() {
        if (!queue.hasFd()) {
            state = State.ARMED;
            return;
        }
        if (registration == null) {
            registration = loop.register(queue.fd(), FdRegistration.READABLE, events -> activate());
        } else if (muted) {
            registration.modify(FdRegistration.READABLE);
        }
        muted = false;
        state = State.ARMED;
    }

    void rest() {
        state = State.RESTING;
        if (registration != null && !muted) {
            registration.modify(0);
            muted = true;
        }
    }

    /** Rests until the queue is looked at, or is activated before. */
    void restForAWhile() {
        rest();
        RepeatedDelay look = nextLook;
        if (look == null) {
            look = loop.repeatedDelay(() -> queues.look(this));
            nextLook = look;
        }
        long rest = Math.min(restMicros, longestRestMicros());
        restMicros = 2 * rest;
        long part = rest / PARTS;
        long late = TimeUnit.NANOSECONDS.toMicros(System.nanoTime()) % part;
        look.arm(rest - late, TimeUnit.MICROSECONDS); // unless the loop is ending, which closes the queue
    }

    private long longestRestMicros() {
        if (!owner.starved()) {
            return LONGEST_REST_MICROS;
        }
        return owner.sending() ? LONGEST_SENDING_MICROS : LONGEST_STARVED_MICROS;
    }

    /** After its endpoint is closed. */
    void close() {
        if (state != State.CLOSED) {
            RepeatedDelay look = nextLook;
            if (look != null) {
                look.cancel();
            }
            queues.remove(this);
            state = State.CLOSED;
            if (registration != null) {
                registration.close();
            }
            queue.close();
        }
    }
}
