// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.loop.thread;

import org.jspecify.annotations.Nullable;

/** The ownership of a loop without a thread: who takes a turn of it is the owner meanwhile, and everybody else a stranger. */
public final class SimulatedOwnership extends Ownership {
    private volatile @Nullable Thread turning;
    private volatile boolean released;

    /** The caller takes a turn from now on, or, with false, does not. Returns what it was before. */
    public boolean enter(boolean turn) {
        boolean before = turning != null;
        turning = turn ? Thread.currentThread() : null;
        return before;
    }

    @Override
    public void release() {
        released = true;
    }

    @Override
    public boolean isOwner() {
        return Thread.currentThread().equals(turning) && !released;
    }
}
