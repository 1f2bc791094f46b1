// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.api;

import io.reactivenetio.scheduler.DrainingScheduler;
import java.nio.ByteBuffer;
import reactor.core.scheduler.Scheduler;

/**
 * A received message that stays in its receive buffer until the lease is given back, by {@link #release} or {@link #close}.
 * Until then the buffer is not posted, and the peer has one credit less. Every lease has to be given back exactly once. A lease
 * outlives its connection. All methods may be called on any thread.
 *
 * <p>{@link #getLong} and its like read the message without a view of it, and throw an {@link IllegalStateException} once the
 * lease was given back, as {@link #copy} and {@link #buffer} do. Length, tag and status can be asked for then, too.
 *
 * <p>A lease has one owner. {@link #retain} makes a second lease on the message for another owner. Each of the two is then given
 * back by itself, and the receive buffer returns with the last.
 *
 * <p>A lease is lost if it becomes garbage without having been given back. It is given back when the garbage collector finds that
 * nobody has a lease on a message in its receive buffer any more, and a warning says so. For one lease in {@code
 * -Dio.reactivenetio.leaseSampling} (1,024 unless set, 1 for all, 0 for none) the warning tells where the lease was last used.
 * With {@code -Dio.reactivenetio.checkBuffers=true}, which is meant for tests, a ByteBuffer that is used after its lease was
 * given back throws. Otherwise it shows whatever message is there by then, of this connection or of a later one.
 */
public interface Lease extends MessageBytes, AutoCloseable {

    /**
     * A Scheduler for {@code publishOn} of leases, which runs its tasks on {@code other}. On other Schedulers {@code publishOn}
     * forgets the leases in its queue when it is cancelled between a message and its hand-over to another thread. On this one it
     * gives them back.
     */
    static Scheduler scheduler(Scheduler other) {
        return new DrainingScheduler(other);
    }

    /**
     * The message as a read-only buffer, at first from position 0 to its limit, in the {@linkplain
     * io.reactivenetio.NetioTransport#byteOrder byte order} of its server or client. The first call makes it (64 bytes of
     * garbage, beside 56 of the lease), and each further one returns the same object. It must not be used after the lease was
     * given back.
     *
     * @throws IllegalStateException if the lease was given back
     */
    ByteBuffer buffer();

    /**
     * Makes another lease on this message, for another owner, with a {@link #buffer} of its own.
     *
     * @throws IllegalStateException if this lease was given back
     */
    Lease retain();

    /**
     * Gives the message back.
     *
     * @throws IllegalStateException if the lease was given back before, by whomever: then somebody has used a message without
     *     owning it
     */
    void release();

    /** Gives the message back unless that was done before. It is for try-with-resources and {@code doOnDiscard}. */
    @Override
    void close();

    /** Whether the lease was given back. */
    boolean isReleased();
}
