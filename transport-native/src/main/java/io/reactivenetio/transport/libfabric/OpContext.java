// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.libfabric;

/**
 * The 64-bit operation context that libfabric hands back with a completion. It has generation, kind and slot, never an address.
 * So a completion of an earlier use of the slot is recognised and ignored.
 */
final class OpContext {
    private static final int SEND = 0x8000_0000;
    private static final int GATHER = 0x4000_0000;
    private static final long LOW = 0xffff_ffffL;
    /** The context of a probe, which is sent for its completion only: a send from a slot that no pool has. */
    static final long PROBE = send(~(SEND | GATHER), 0);

    private OpContext() {
    }

    static long receive(int slot, int generation) {
        return (long) generation << 32 | slot;
    }

    static long send(int slot, int generation) {
        return (long) generation << 32 | (slot | SEND) & LOW;
    }

    static long gather(int slot, int generation) {
        return (long) generation << 32 | (slot | SEND | GATHER) & LOW;
    }

    static boolean isSend(long context) {
        return ((int) context & SEND) != 0;
    }

    /** Of a send: whether it is a zero-copy one. */
    static boolean isGather(long context) {
        return ((int) context & GATHER) != 0;
    }

    static int slot(long context) {
        return (int) context & ~(SEND | GATHER);
    }

    static int generation(long context) {
        return (int) (context >>> 32);
    }
}
