// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.loop;

import io.reactivenetio.loop.fd.Errno;
import io.reactivenetio.loop.fd.GuardedFd;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * An eventfd or timerfd of ours: the loop reads its eight bytes and then calls back. It is opened and closed from any thread;
 * what has to happen on the loop for that is a task in the inbox, for which this object itself is the Runnable.
 */
final class WatchedFd implements LoopIo.Completion, Runnable {
    private final WatchedFds owner;
    private final GuardedFd fd;
    private final int readsPerTurn;
    private final Runnable callback;
    private final MemorySegment buffer = Arena.ofAuto().allocate(Long.BYTES, Long.BYTES);
    // Confined to the loop thread.
    private LoopIo.@Nullable Handle handle;
    private boolean detached;

    WatchedFd(WatchedFds owner, int fd, int readsPerTurn, Runnable callback) {
        this.owner = owner;
        this.fd = new GuardedFd(fd);
        this.readsPerTurn = readsPerTurn;
        this.callback = callback;
    }

    GuardedFd fd() {
        return fd;
    }

    /** Any thread, idempotent. The loop lets go of the descriptor now when called on it, soon when not. */
    void close() {
        if (fd.shut()) {
            owner.runOnLoop(this);
        }
    }

    /** Loop thread: does what is still to be done. */
    @Override
    public void run() {
        if (fd.isShut()) {
            detach();
        } else {
            attach();
        }
    }

    private void attach() {
        try {
            LoopIo.Handle opened = owner.io().open(fd.fd(), readsPerTurn);
            handle = opened;
            opened.read(buffer, this);
            owner.add(this);
        } catch (RuntimeException e) {
            fd.shut();
            detach();
            throw e;
        }
    }

    private void detach() {
        if (detached) {
            return;
        }
        detached = true;
        LoopIo.Handle opened = handle;
        if (opened != null) {
            opened.close();
        }
        owner.remove(this);
        fd.exit();
    }

    @Override
    public void completed(long result) {
        LoopIo.Handle opened = handle;
        if (opened == null || fd.isShut()) {
            return;
        }
        if (result < 0) {
            owner.failures().report(Errno.failure("read", result));
            return;
        }
        opened.read(buffer, this);
        try {
            callback.run();
        } catch (Throwable t) {
            owner.failures().report(t);
        }
    }
}
