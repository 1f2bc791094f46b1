// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.libfabric;

/**
 * The 64-bit operation context that libfabric hands back with a completion. It has the owner's place in its completion queue
 * (20 bits, see {@link QueuePlace}), generation (18), kind (2) and slot (24), never an address. So a completion of an earlier use
 * of the slot is recognised and ignored.
 */
final class OpContext {
    /** The most slots of a pool. */
    static final int MOST_SLOTS = (1 << 24) - 1;
    private static final long GATHER = 1L << 24;
    private static final long SEND = 1L << 25;
    private static final int GENERATION_SHIFT = 26;
    private static final int GENERATION_MASK = (1 << 18) - 1;
    private static final int OWNER_SHIFT = 44;
    /** The context of a probe, which is sent for its completion only: a send from a slot that no pool has. */
    static final long PROBE = send(MOST_SLOTS, 0);

    private OpContext() {
    }

    static long receive(int slot, int generation) {
        return (long) (generation & GENERATION_MASK) << GENERATION_SHIFT | slot;
    }

    static long send(int slot, int generation) {
        return receive(slot, generation) | SEND;
    }

    static long gather(int slot, int generation) {
        return send(slot, generation) | GATHER;
    }

    /** Returns bits that are combined with the others by a bitwise or. {@code place} has 20 bits. */
    static long owner(int place) {
        return (long) place << OWNER_SHIFT;
    }

    static boolean isSend(long context) {
        return (context & SEND) != 0;
    }

    /** Tells whether a send is a zero-copy one. */
    static boolean isGather(long context) {
        return (context & GATHER) != 0;
    }

    static int slot(long context) {
        return (int) context & MOST_SLOTS;
    }

    /** Whether the slot of {@code context} had {@code generation} then. */
    static boolean isOf(long context, int generation) {
        return ((int) (context >>> GENERATION_SHIFT) & GENERATION_MASK) == (generation & GENERATION_MASK);
    }

    /** The place that {@link #owner} was given. */
    static int place(long context) {
        return (int) (context >>> OWNER_SHIFT);
    }
}
