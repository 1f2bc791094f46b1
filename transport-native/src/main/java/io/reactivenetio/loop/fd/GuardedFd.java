// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.loop.fd;

import io.reactivenetio.ffm.LibC;
import io.reactivenetio.loop.thread.Gate;

/**
 * A file descriptor that threads use while another one closes it. The owner holds one reference from the start; the
 * descriptor is closed by whoever leaves last, so that no system call ever reaches a closed, maybe reused, number.
 */
public final class GuardedFd {
    private final Gate gate = new Gate();
    private final int fd;

    /** Takes over {@code fd}; the reference of the owner is given back with {@link #exit}, after {@link #shut}. */
    public GuardedFd(int fd) {
        this.fd = fd;
        gate.enter();
    }

    /** The number, to be used between enter and exit, or by the owner before it exits. */
    public int fd() {
        return fd;
    }

    /** Any thread. Returns false after {@link #shut}. */
    public boolean enter() {
        return gate.enter();
    }

    /** Ends what {@link #enter} began, and closes the descriptor if it was the last use. */
    public void exit() {
        if (gate.exit()) {
            LibC.close(fd);
        }
    }

    /** Any thread. Nobody enters any more. Returns true for the first call. */
    public boolean shut() {
        return gate.close();
    }

    public boolean isShut() {
        return gate.isClosed();
    }
}
