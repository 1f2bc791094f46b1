// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import io.reactivenetio.flow.LeaseState;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import reactor.core.scheduler.Scheduler;

/**
 * A received message that stays in its receive buffer until the lease is given back, by {@link #release} or {@link #close}. Until
 * then that buffer is not posted, and the peer has one credit less. Every lease is given back exactly once; it outlives its
 * connection. All methods are for any thread.
 *
 * <p>A lease is one owner's. To give the message to another one as well, {@link #retain} it: each of the two leases is then given
 * back by itself, and the receive buffer returns with the last.
 *
 * <p>A lease that is lost, garbage without having been released, is given back when the garbage collector finds it, and a warning
 * says so; for a sample of one in {@code -Dio.reactivenetio.leaseSampling} (128 unless set, 1 for all; 0 looks for none) the
 * warning tells where it was last used. With {@code -Dio.reactivenetio.checkBuffers=true}, meant for tests, a ByteBuffer that is
 * used after its lease was given back throws; otherwise it shows whatever message is there by then.
 */
public final class Lease implements AutoCloseable {
    private final LeaseState state;

    private Lease(LeaseState state) {
        this.state = state;
    }

    static Lease of(LeaseState state) {
        Lease lease = new Lease(state);
        state.watch(lease);
        return lease;
    }

    /**
     * A Scheduler to publish leases on. {@code publishOn} itself forgets what is in its queue when it is cancelled between a
     * message and its hand-over to another thread; on this Scheduler, which otherwise is {@code other}, it gives that back.
     */
    public static Scheduler scheduler(Scheduler other) {
        return new DrainingScheduler(other);
    }

    // The fences keep a lease from being taken for lost while a method of its own runs.

    /**
     * The message: read-only, little-endian, from position 0 to limit at first; always the same object. It must not be used
     * after the lease was given back.
     *
     * @throws IllegalStateException if the lease was given back
     */
    public ByteBuffer buffer() {
        try {
            return state.buffer();
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /** The message's tag; 0 where the framing has none. Also of a lease that was given back. */
    public long tag() {
        return state.tag();
    }

    /** The message's status, 0 to 255; 0 where the framing has none. Also of a lease that was given back. */
    public int status() {
        return state.status();
    }

    /**
     * Another lease on the same message, for another owner, with a {@link #buffer} of its own.
     *
     * @throws IllegalStateException if this lease was given back
     */
    public Lease retain() {
        try {
            return of(state.retain());
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /**
     * Gives the message back.
     *
     * @throws IllegalStateException if that was done before, whoever did it: then somebody used a message they no longer had
     */
    public void release() {
        try {
            state.release();
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /** Gives the message back unless that was done before: for try-with-resources and {@code doOnDiscard}. */
    @Override
    public void close() {
        try {
            state.close();
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /** Whether it was given back. */
    public boolean isReleased() {
        return state.isReleased();
    }

    @Override
    public String toString() {
        return isReleased() ? "lease, released" : "lease on a message";
    }
}
