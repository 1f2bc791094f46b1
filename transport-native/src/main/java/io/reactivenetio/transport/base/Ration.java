// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.base;

import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Who may take from a pool that several endpoints share. Whoever holds nothing may take whatever is there; whoever holds
 * something leaves a part for those that hold nothing, so that one whose messages are not taken cannot keep all from the
 * others. Who is turned away waits in line, and nobody overtakes him, but for those whose turn it was: they may take a slot
 * later, on another thread or at the end of the loop's turn. A pool that is not shared gives everything to its one member.
 *
 * <p>Not thread-safe: the pool sees to that.
 */
final class Ration {
    /** One in this many slots is kept for members that hold nothing, as far as there are such. */
    private static final int KEPT_PART = 4;

    /** One endpoint. */
    static final class Member {
        private final Runnable turn;
        private int held;
        private boolean waiting;
        /** It had its turn, and has not taken anything since. */
        private boolean called;
        private boolean gone;

        /** {@code turn} is run, on the loop, when it has waited and may try again. */
        Member(Runnable turn) {
            this.turn = turn;
        }

        /** Slots that it has taken and not given back. */
        int held() {
            return held;
        }

        void takeTurn() {
            turn.run();
        }
    }

    private final int kept;
    /** For who is yet to come: whoever is alone could not be asked to give anything back. */
    private final int reserved;
    private final ArrayDeque<Member> line = new ArrayDeque<>();
    private int members;
    private int empty;
    private @Nullable Member served;

    /** {@code shared}: whether there may ever be more than one member. */
    Ration(int slots, boolean shared) {
        kept = slots == 1 ? 0 : Math.max(1, slots / KEPT_PART);
        reserved = shared && slots > 1 ? 1 : 0;
    }

    void join(Member member) {
        members++;
        empty++;
    }

    /** What it still holds it may give back later. */
    void leave(Member member) {
        if (!member.gone) {
            member.gone = true;
            members--;
            if (member.held == 0) {
                empty--;
            }
            if (member.waiting) {
                line.remove(member);
            }
        }
    }

    int members() {
        return members;
    }

    /** May it take one of {@code available} slots? */
    boolean admits(Member member, int available) {
        if (available == 0 || member.gone) {
            return false;
        }
        boolean othersWait = line.size() > (member.waiting ? 1 : 0);
        if (othersWait && member != served && !member.called) {
            return false;
        }
        return member.held == 0 || available > Math.max(reserved, Math.min(empty, kept));
    }

    void took(Member member) {
        member.called = false;
        if (member.held++ == 0) {
            empty--;
        }
    }

    void gave(Member member) {
        if (--member.held == 0 && !member.gone) {
            empty++;
        }
    }

    /** Puts it in line, once. */
    void await(Member member) {
        if (!member.waiting && !member.gone) {
            member.waiting = true;
            line.add(member);
        }
    }

    boolean someoneWaits() {
        return !line.isEmpty();
    }

    int waiting() {
        return line.size();
    }

    /**
     * Takes the first out of the line, and gives it precedence until the next call; puts it back at the end, and returns null, if
     * it may not take one of {@code available} slots.
     */
    @Nullable Member serveNext(int available) {
        Member first = line.poll();
        served = first;
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

    void servedAll() {
        served = null;
    }
}
