// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.api;

import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/**
 * The time until which the answer to a request is of use. {@link NetioRequester#request(java.nio.ByteBuffer, Duration)} sets one.
 * It travels with the request: it is in the Context of the responder's Mono, and requests with that Context hand on what is left
 * of it. No clocks are compared. Each side counts from when it began or has the request, so the responder's comes later by the
 * time that the request was on its way. Immutable; any thread.
 */
public final class Deadline {
    private final LongSupplier clock;
    private final long atNanos;

    private Deadline(LongSupplier clock, long atNanos) {
        this.clock = clock;
        this.atNanos = atNanos;
    }

    /** What is {@code nanos} from now on, by a clock of nanoseconds. */
    public static Deadline in(long nanos, LongSupplier clock) {
        return new Deadline(clock, clock.getAsLong() + nanos); // which may wrap round: only differences count
    }

    /** The one that work with this Context has; empty if it has none. */
    public static Optional<Deadline> of(ContextView context) {
        return context.getOrEmpty(Deadline.class);
    }

    /** {@code context} with this deadline in place of the one that it has. */
    public Context in(Context context) {
        return context.put(Deadline.class, this);
    }

    /** What is left until then; zero or less when it is over. */
    public Duration remaining() {
        return Duration.ofNanos(remainingNanos());
    }

    /** {@link #remaining} in nanoseconds. */
    public long remainingNanos() {
        return atNanos - clock.getAsLong();
    }

    @Override
    public String toString() {
        return "deadline in " + remaining();
    }
}
