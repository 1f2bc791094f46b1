// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.loop;

/** The ownership of a loop without a thread: the caller is the owner while the loop takes a turn, and a stranger otherwise. */
final class SimulatedOwnership extends Ownership {
    private boolean inTurn;
    private boolean released;

    /** Returns what it was before. */
    boolean enter(boolean turn) {
        boolean before = inTurn;
        inTurn = turn;
        return before;
    }

    @Override
    void release() {
        released = true;
    }

    @Override
    boolean isOwner() {
        return inTurn && !released;
    }
}
