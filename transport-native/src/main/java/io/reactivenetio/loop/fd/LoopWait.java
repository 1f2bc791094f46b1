// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.loop.fd;

/** How a loop waits for its descriptors: by epoll, or by a ring of io_uring that also polls epoll. Loop thread only. */
public interface LoopWait {
    /** Called once, first, by the thread that runs the loop; {@code embedded} if that is somebody else's, which polls. */
    default void begin(boolean embedded) {
    }

    /** Waits until something is ready if {@code maySleep}, else only looks. Returns how much {@link #dispatch} has to serve. */
    int await(boolean maySleep);

    /** Serves what the last {@link #await} has found. */
    void dispatch(int count);

    /** Whether there was more than is served in one turn. */
    boolean hasMore();

    /** Whether an {@link #await} now would have something to do, as far as that is known without a system call. */
    default boolean hasWork() {
        return false;
    }

    /** Tells the kernel what was asked for since the last {@link #await}. Returns whether something is ready meanwhile. */
    default boolean flush() {
        return false;
    }

    /** Closes its descriptors, epoll's included. Called once: another thread may have got their numbers by then. */
    void close();
}
