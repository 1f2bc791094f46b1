// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.libfabric;

import io.reactivenetio.ffm.fabric.Fi;
import io.reactivenetio.ffm.fabric.FiCompletionQueue;
import io.reactivenetio.ffm.fabric.FiError;
import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.loop.FdRegistration;
import io.reactivenetio.loop.RepeatedDelay;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** One libfabric completion queue, read in batches, and its state in the loop. */
final class CompletionQueue {
    /** Completions taken per turn at most, so that one busy endpoint leaves the others their turn. */
    static final int BATCH = 64;
    /** How long a batch should take at most; it has at least one completion. */
    private static final long BATCH_NANOS = 100_000;
    private static final long SHORTEST_REST_MICROS = 1_000;
    private static final long LONGEST_REST_MICROS = 20_000;
    /** Sends go on only when the queue is read. While none completes, the peer is slow or stands still. */
    private static final long LONGEST_SENDING_MICROS = 128_000;
    /** Without a posted receive nothing can arrive, and whoever posts one activates the queue. */
    private static final long LONGEST_STARVED_MICROS = 1_024_000;
    /** A rest ends at a multiple of this part of its length, so that many queues share a turn of the loop. */
    private static final long PARTS = 16;

    enum State { NEW, ACTIVE, ARMED, RESTING, CLOSED }

    /** The receiver of the completions. */
    interface Owner {
        void onCompletion(long context, long length);

        /** {@code error} is valid during the call. */
        void onError(FiError error);

        /** The queue itself failed: it reports nothing more. */
        void onQueueFailed(int code);

        /** Called after each batch that held something. */
        void onBatchEnd();

        /** Whether no receive is posted, by none of the endpoints. Then fi_trywait may refuse for as long as data waits. */
        boolean starved();

        /** Whether some endpoints have no receive posted, and others have, which must not wait for those. */
        default boolean isPartlyStarved() {
            return false;
        }

        /** Whether sends are under way. */
        boolean sending();

        /** Whether receives are posted for several queues together. */
        boolean sharesReceives();

        /** Delivers what was read too early, see {@link QueuePlace}. Returns how much that is. */
        default int deliverEarly() {
            return 0;
        }

        /** Whether it stands for several endpoints. */
        default boolean isShared() {
            return false;
        }
    }

    State state = State.NEW;
    /** Whether the last read found nothing. */
    boolean idle;
    /** How often in a row fi_trywait refused the idle queue. */
    int idleChecks;
    /** Whether it has to be read when a shared receive is posted. */
    boolean waitsForSharedReceive;
    /** Reads in a row that found nothing. */
    int emptyReads;
    /** Whether epoll refused its descriptor. */
    boolean epollRefused;
    /** Its index in {@link WaitNoneQueues}, or -1 if it is not there. */
    int waitNoneIndex = -1;
    private final CompletionQueues queues;
    private final EventLoop loop;
    private final FiCompletionQueue queue;
    private final Owner owner;
    private @Nullable FdRegistration registration;
    private @Nullable RepeatedDelay restTimer;
    private long restMicros = SHORTEST_REST_MICROS;
    /** How many completions to take in the next turn. */
    private int batch = BATCH;

    CompletionQueue(CompletionQueues queues, EventLoop loop, FiCompletionQueue queue, Owner owner) {
        this.queues = queues;
        this.loop = loop;
        this.queue = queue;
        this.owner = owner;
    }

    FiCompletionQueue queue() {
        return queue;
    }

    /** Whether an endpoint is starved: fi_trywait may refuse again and again then. */
    boolean isAnyStarved() {
        return owner.starved() || owner.isPartlyStarved();
    }

    boolean sharesReceives() {
        return owner.sharesReceives();
    }

    /** Called by its owner, which has posted something: completions may come now. */
    void activate() {
        restMicros = SHORTEST_REST_MICROS;
        queues.activate(this);
    }

    /** Makes the queue active: it is read from now on. */
    void enter() {
        RepeatedDelay timer = restTimer;
        if (state == State.RESTING && timer != null) {
            timer.cancel();
        }
        state = State.ACTIVE;
    }

    /** Reads one batch and returns the number of its entries. */
    int read() {
        if (state == State.CLOSED) {
            return 0;
        }
        int early = owner.deliverEarly();
        if (early > 0) {
            idle = false;
            return early;
        }
        long begun = loop.nanoTime();
        int count = queue.read(batch);
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
            owner.onQueueFailed(-count);
            return 0;
        }
        for (int i = 0; i < count; i++) {
            owner.onCompletion(queue.context(i), queue.length(i));
        }
        owner.onBatchEnd();
        adapt(count, loop.nanoTime() - begun);
        return count;
    }

    /**
     * Bounds the next batch, as {@code count} completions took {@code nanos}: what leaves at the end of the turn, as the demand
     * for more messages does, must not wait for all that is there.
     */
    private void adapt(int count, long nanos) {
        if (nanos > BATCH_NANOS) {
            batch = Math.max(1, Math.min(batch, count) / 2);
        } else if (count == batch && nanos < BATCH_NANOS / 2) {
            batch = Math.min(BATCH, 2 * batch);
        }
    }

    /** Reads until the queue is empty: what arrived before the end of the connection comes before its end. */
    void drain() {
        while (read() > 0) {
            idle = false;
        }
    }

    void fail(int code) {
        owner.onQueueFailed(code);
    }

    /** Enters its descriptor into epoll. If this throws, nothing has changed. */
    void arm() {
        if (!queue.hasFd()) {
            state = State.ARMED;
            return;
        }
        registration().modify(FdRegistration.READABLE);
        state = State.ARMED;
    }

    private FdRegistration registration() {
        FdRegistration known = registration;
        if (known == null) {
            known = loop.register(queue.fd(), FdRegistration.READABLE, events -> activate());
            registration = known;
        }
        return known;
    }

    /** Whether what is there may wake the loop no more as it rests, but what comes has to: some endpoint can receive it. */
    boolean watchesChanges() {
        return owner.isShared() && queue.hasFd() && !epollRefused && !owner.starved();
    }

    /** Has epoll report what comes from now on, and not what is there. If this throws, nothing has changed. */
    void watchChanges() {
        registration().modify(FdRegistration.READABLE | FdRegistration.CHANGES);
    }

    void rest() {
        state = State.RESTING;
        if (registration != null) {
            registration.modify(0);
        }
    }

    /** Rests until the queue is read after a while, or is activated before: by its owner, or by what comes if it is watched. */
    void restForAWhile() {
        if (watchesChanges()) {
            state = State.RESTING;
        } else {
            rest();
        }
        RepeatedDelay timer = restTimer;
        if (timer == null) {
            timer = loop.repeatedDelay(() -> queues.readOnce(this));
            restTimer = timer;
        }
        long longest = longestRestMicros();
        long rest = watchesChanges() ? longest : Math.min(restMicros, longest); // what comes ends the rest then
        restMicros = 2 * rest;
        long part = rest / PARTS;
        long late = TimeUnit.NANOSECONDS.toMicros(System.nanoTime()) % part;
        timer.arm(rest - late, TimeUnit.MICROSECONDS); // unless the loop is ending, which closes the queue
    }

    private long longestRestMicros() {
        if (!owner.starved() && !watchesChanges()) {
            return LONGEST_REST_MICROS;
        }
        return owner.sending() ? LONGEST_SENDING_MICROS : LONGEST_STARVED_MICROS;
    }

    /** Closes the queue, after its endpoint is closed. */
    void close() {
        if (state != State.CLOSED) {
            RepeatedDelay timer = restTimer;
            if (timer != null) {
                timer.cancel();
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
