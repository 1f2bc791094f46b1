// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.receive;

import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.wire.ProtocolException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Memory of one loop for messages that have begun to arrive and not ended, of all its connections together. Connections whose
 * messages do not fit beside those of others wait ({@link ReassemblyTurns}). Where it is exhausted all the same, the connection
 * ends that has most of it: that lets the others go on. On the loop, but for the limit.
 */
public final class ReassemblyBudget {
    /** The connections that have some of it. Each knows its place, so that coming and going allocates nothing. */
    private final List<Share> holders = new ArrayList<>();
    private final ReassemblyTurns turns;
    private volatile long limit;
    private long used;

    /** Creates a budget of {@code limit} bytes, on {@code loop}; without one, nobody is done with waiting after a while. */
    public ReassemblyBudget(long limit, @Nullable EventLoop loop) {
        this.limit = limit;
        this.turns = new ReassemblyTurns(loop);
    }

    /** Any thread. */
    public void limit(long bytes) {
        limit = bytes;
    }

    /**
     * What a connection has of it; {@code end} gives that connection up, and is told why. {@code wait} is told true when the
     * connection has to wait, and false when it goes on. While it waits, its messages take {@code ahead} bytes at most.
     */
    public Share share(Consumer<String> end, Consumer<Boolean> wait, long ahead) {
        return new Share(end, new ReassemblyTurns.Turn(wait::accept, ahead));
    }

    /** What one connection has of the budget. */
    public final class Share {
        private final Consumer<String> end;
        private final ReassemblyTurns.Turn turn;
        private long held;
        /** In the holders, while it has some. */
        private int place;

        Share(Consumer<String> end, ReassemblyTurns.Turn turn) {
            this.end = end;
            this.turn = turn;
        }

        /** A message of {@code total} bytes begins. The connection may have to wait with it. */
        public void begun(int total) {
            turns.begun(turn, total, limit);
        }

        /** It is whole, or was given up. */
        public void ended(int total) {
            turns.ended(turn, total, limit);
        }

        /** Whether it has to wait for others. */
        public boolean isWaiting() {
            return turn.isWaiting();
        }

        /** Bytes that it has. */
        public long held() {
            return held;
        }

        /**
         * Takes {@code bytes} more.
         *
         * @throws ProtocolException if there is no room for them and no connection has more: this one was given up
         */
        public void take(int bytes) throws ProtocolException {
            while (bytes > limit - used) {
                Share largest = largest(bytes);
                String why = largest.reason(bytes);
                largest.leave();
                largest.end.accept(why);
                if (largest == this) {
                    throw new ProtocolException(why);
                }
            }
            if (held == 0 && bytes > 0) {
                place = holders.size();
                holders.add(this);
            }
            used += bytes;
            held += bytes;
        }

        private Share largest(int more) {
            Share largest = this;
            long most = held + more;
            for (Share other : holders) {
                if (other != this && other.held > most) {
                    largest = other;
                    most = other.held;
                }
            }
            return largest;
        }

        private String reason(int more) {
            return "messages that have begun and not ended hold " + used + " bytes on this event loop, " + held
                    + " of them on this connection, which has most, and another " + more + " are needed; " + limit
                    + " are allowed together: raise NetioLoops.reassemblyBudget, or lower maxMessageSize";
        }

        /** Gives {@code bytes} back; those of a connection that was given up are free already. */
        public void give(int bytes) {
            free(Math.min(bytes, held));
        }

        private void leave() {
            free(held);
        }

        private void free(long bytes) {
            used -= bytes;
            held -= bytes;
            if (held == 0 && bytes > 0) {
                Share last = holders.removeLast();
                if (last != this) { // the last one takes its place
                    holders.set(place, last);
                    last.place = place;
                }
            }
        }
    }
}
