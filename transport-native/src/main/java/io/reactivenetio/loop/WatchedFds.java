// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.loop;

import io.reactivenetio.ffm.LibC;
import io.reactivenetio.loop.task.Failures;
import io.reactivenetio.loop.task.Inbox;
import io.reactivenetio.loop.thread.Ownership;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;

/** The eventfds and timerfds of one loop, so that it can close those its user did not. */
final class WatchedFds {
    private final Ownership ownership;
    private final Inbox inbox;
    private final LoopIo io;
    private final Failures failures;
    /** Confined to the loop thread. */
    private final Set<WatchedFd> attached = new HashSet<>();

    WatchedFds(Ownership ownership, Inbox inbox, LoopIo io, Failures failures) {
        this.ownership = ownership;
        this.inbox = inbox;
        this.io = io;
        this.failures = failures;
    }

    /** Any thread. Takes over {@code fd}, also when it throws RejectedExecutionException because the loop has ended. */
    WatchedFd open(int fd, int readsPerTurn, Runnable callback) {
        WatchedFd watched = new WatchedFd(this, fd, readsPerTurn, callback);
        if (!runOnLoop(watched)) {
            // Nothing is attached yet, hence nothing is confined: the caller may close it.
            LibC.close(fd);
            throw new RejectedExecutionException("The event loop has terminated");
        }
        return watched;
    }

    /** Returns false if the loop has ended: it closes what is attached by itself. */
    boolean runOnLoop(WatchedFd watched) {
        if (ownership.isOwner()) {
            watched.run();
            return true;
        }
        return inbox.offer(watched);
    }

    LoopIo io() {
        return io;
    }

    Failures failures() {
        return failures;
    }

    void add(WatchedFd watched) {
        attached.add(watched);
    }

    void remove(WatchedFd watched) {
        attached.remove(watched);
    }

    /** Loop thread, when it terminates. */
    void closeAll() {
        for (WatchedFd watched : attached.toArray(new WatchedFd[0])) {
            watched.fd().shut();
            watched.run();
        }
    }
}
