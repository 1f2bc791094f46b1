// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.memory;

import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * The rule by which several endpoints share the slots of a pool. A member that holds nothing may take any free slot. A member
 * that holds slots must leave a part of the pool to those that hold none. So a member whose messages nobody takes cannot keep
 * all slots from the others.
 *
 * <p>A member that is refused waits in a queue, first in, first out. A member that has been called may take its slot later, on
 * another thread or at the end of the loop's turn. Only such members may overtake the queue. A pool that is not shared gives
 * everything to its one member.
 *
 * <p>This class is not thread-safe. The pool that uses it has the lock.
 */
public final class FairShare {
    /** One in this many slots is kept for members that hold none, as far as there are such members. */
    private static final int KEPT_PART = 4;

    /** One endpoint. */
    public static final class Member {
        private final Runnable turn;
        private int held;
        private boolean waiting;
        /** It was called and has not taken a slot since. */
        private boolean called;
        private boolean gone;

        /** The loop runs {@code turn} when the member has waited and may try again. */
        public Member(Runnable turn) {
            this.turn = turn;
        }

        /** Slots that it has taken and not given back. */
        public int held() {
            return held;
        }

        public void onTurn() {
            turn.run();
        }
    }

    private final int kept;
    /** Slots kept for a member that joins later: nobody can make the first member give one back. */
    private final int reserved;
    private final ArrayDeque<Member> queue = new ArrayDeque<>();
    private int membersWithoutSlots;
    private @Nullable Member beingCalled;

    /** {@code shared} says whether the pool may ever have more than one member. */
    public FairShare(int slots, boolean shared) {
        kept = slots == 1 ? 0 : Math.max(1, slots / KEPT_PART);
        reserved = shared && slots > 1 ? 1 : 0;
    }

    public void join(Member member) {
        membersWithoutSlots++;
    }

    /** Removes a member. It may give back later what it still holds. */
    public void leave(Member member) {
        if (!member.gone) {
            member.gone = true;
            if (member.held == 0) {
                membersWithoutSlots--;
            }
            if (member.waiting) {
                queue.remove(member);
            }
        }
    }

    /** Returns whether the member may take one of {@code available} slots. */
    public boolean admits(Member member, int available) {
        if (available == 0 || member.gone) {
            return false;
        }
        boolean othersWait = queue.size() > (member.waiting ? 1 : 0);
        if (othersWait && member != beingCalled && !member.called) {
            return false;
        }
        return member.held == 0 || available > Math.max(reserved, Math.min(membersWithoutSlots, kept));
    }

    public void took(Member member) {
        member.called = false;
        if (member.held++ == 0) {
            membersWithoutSlots--;
        }
    }

    public void gave(Member member) {
        if (--member.held == 0 && !member.gone) {
            membersWithoutSlots++;
        }
    }

    /** Adds the member to the queue, once. */
    public void await(Member member) {
        if (!member.waiting && !member.gone) {
            member.waiting = true;
            queue.add(member);
        }
    }

    public boolean hasWaiting() {
        return !queue.isEmpty();
    }

    public int waiting() {
        return queue.size();
    }

    /**
     * Takes the first member out of the queue and gives it precedence until the next call. If it may not take one of {@code
     * available} slots, it goes to the end of the queue, and the result is null.
     */
    public @Nullable Member callNext(int available) {
        Member first = queue.poll();
        beingCalled = first;
        if (first == null) {
            return null;
        }
        first.waiting = false;
        if (admits(first, available)) {
            first.called = true;
            return first;
        }
        await(first);
        return null;
    }

    public void endCalls() {
        beingCalled = null;
    }
}
