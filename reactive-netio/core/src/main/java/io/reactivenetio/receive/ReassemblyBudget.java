// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.receive;

import io.reactivenetio.wire.ProtocolException;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Memory of one loop for messages that have begun to arrive and not ended, of all its connections together. Where it is
 * exhausted, the connection ends that has most of it: that lets the others go on. On the loop, but for the limit.
 */
public final class ReassemblyBudget {
    private final Set<Share> holders = new LinkedHashSet<>();
    private volatile long limit;
    private long used;

    /** Of {@code limit} bytes. */
    public ReassemblyBudget(long limit) {
        this.limit = limit;
    }

    /** Any thread. */
    public void limit(long bytes) {
        limit = bytes;
    }

    /** What a connection has of it; {@code end} gives that connection up, and is told why. */
    public Share share(Consumer<String> end) {
        return new Share(end);
    }

    /** What one connection has of the budget. */
    public final class Share {
        private final Consumer<String> end;
        private long held;

        Share(Consumer<String> end) {
            this.end = end;
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
            used += bytes;
            held += bytes;
            holders.add(this);
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

        /** So many are free again; those of a connection that was given up are free already. */
        public void give(int bytes) {
            long free = Math.min(bytes, held);
            used -= free;
            held -= free;
            if (held == 0) {
                holders.remove(this);
            }
        }

        private void leave() {
            used -= held;
            held = 0;
            holders.remove(this);
        }
    }
}
