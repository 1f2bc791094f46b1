// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.receive;

import io.reactivenetio.loop.DelayedTask;
import io.reactivenetio.loop.EventLoop;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Which connections of a loop may go on with messages in parts, so that those that have begun fit the budget when they are whole.
 * A connection whose first message does not fit beside those of the others waits: its peer gets no credits for data. Who has
 * waited longest goes on next, when a message of another one is whole. There is always one that goes on. On the loop.
 *
 * <p>A peer may announce a message and not send it. So nobody waits for more than some seconds in which nobody gets a turn: then
 * all go on, and what has arrived decides, as {@link ReassemblyBudget} has it.
 */
final class ReassemblyTurns implements Runnable {
    /** A connection. */
    static final class Turn {
        private final Waits waits;
        private final long ahead;
        /** Bytes in messages that have begun and not ended, when they are whole. */
        private long announced;
        private boolean waiting;

        /** {@code ahead}: how much memory messages take at most for what a peer sends after it gets no more credits. */
        Turn(Waits waits, long ahead) {
            this.waits = waits;
            this.ahead = ahead;
        }

        boolean isWaiting() {
            return waiting;
        }

        private long claim() {
            return waiting ? Math.min(announced, ahead) : announced;
        }
    }

    /** Is told that a connection has to wait, or that it goes on. */
    interface Waits {
        void now(boolean waiting);
    }

    private static final long PATIENCE_SECONDS = 5;

    private final @Nullable EventLoop loop;
    private final Deque<Turn> waiting = new ArrayDeque<>();
    /** What all of them have begun needs. */
    private long claims;
    /** How many have begun messages, and do not wait. */
    private int going;
    private @Nullable DelayedTask due;
    /** Whether somebody got a turn since the time is measured. A flag, because turns are taken for each message. */
    private boolean progressed;

    ReassemblyTurns(@Nullable EventLoop loop) {
        this.loop = loop;
    }

    /** A message of {@code bytes} begins. */
    void begun(Turn turn, int bytes, long limit) {
        claims -= turn.claim();
        if (turn.announced == 0) {
            if (going > 0 && claims + bytes > most(limit)) {
                turn.waiting = true;
                waiting.add(turn);
                turn.waits.now(true);
                watch();
            } else {
                going++;
            }
        }
        turn.announced += bytes;
        claims += turn.claim();
    }

    /** A message of {@code bytes} is whole, or was given up. */
    void ended(Turn turn, int bytes, long limit) {
        claims -= turn.claim();
        turn.announced -= bytes;
        if (turn.announced == 0) {
            if (turn.waiting) {
                waiting.remove(turn);
                letGo(turn);
            } else {
                going--;
            }
        }
        claims += turn.claim();
        Turn next;
        while ((next = waiting.peek()) != null
                && (going == 0 || claims - next.claim() + next.announced <= most(limit))) {
            goOn(waiting.remove());
            progressed = true;
        }
        DelayedTask watching = due;
        if (watching != null && waiting.isEmpty()) {
            due = null;
            watching.cancel();
        }
    }

    /** A part is for what arrives of those that wait, and for messages that move to more memory as they grow. */
    private static long most(long limit) {
        return limit - limit / 4;
    }

    private void goOn(Turn turn) {
        claims -= turn.claim();
        letGo(turn);
        claims += turn.claim();
        going++;
    }

    private static void letGo(Turn turn) {
        turn.waiting = false;
        turn.waits.now(false);
    }

    private void watch() {
        EventLoop on = loop;
        if (due == null && on != null) {
            progressed = false;
            try {
                due = on.schedule(this, PATIENCE_SECONDS, TimeUnit.SECONDS);
            } catch (RejectedExecutionException terminated) {
                // the connections end with the loop
            }
        }
    }

    @Override
    public void run() {
        due = null;
        if (progressed) {
            watch();
            return;
        }
        Turn next;
        while ((next = waiting.poll()) != null) {
            goOn(next);
        }
    }
}
