// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.loop;

import io.reactivenetio.ffm.LibC;

/**
 * A file descriptor that threads use while another one closes it. The owner holds one reference from the start; the
 * descriptor is closed by whoever leaves last, so that no system call ever reaches a closed, maybe reused, number.
 */
final class GuardedFd {
    private final Gate gate = new Gate();
    private final int fd;

    /** Takes over {@code fd}; the reference of the owner is given back with {@link #exit}, after {@link #shut}. */
    GuardedFd(int fd) {
        this.fd = fd;
        gate.enter();
    }

    /** The number, to be used between enter and exit, or by the owner before it exits. */
    int fd() {
        return fd;
    }

    /** Any thread. Returns false after {@link #shut}. */
    boolean enter() {
        return gate.enter();
    }

    /** Ends what {@link #enter} began, and closes the descriptor if it was the last use. */
    void exit() {
        if (gate.exit()) {
            LibC.close(fd);
        }
    }

    /** Any thread. Nobody enters any more. Returns true for the first call. */
    boolean shut() {
        return gate.close();
    }

    boolean isShut() {
        return gate.isClosed();
    }
}
