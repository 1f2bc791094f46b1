// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.libfabric;

/**
 * The 64-bit operation context that libfabric hands back with a completion: generation, direction and slot, never an address,
 * so that a completion of an earlier life of a slot is recognised and ignored.
 */
final class OpContext {
    private static final int SEND = 0x8000_0000;

    private OpContext() {
    }

    static long receive(int slot, int generation) {
        return (long) generation << 32 | slot;
    }

    static long send(int slot, int generation) {
        return (long) generation << 32 | (slot | SEND) & 0xffff_ffffL;
    }

    static boolean isSend(long context) {
        return ((int) context & SEND) != 0;
    }

    static int slot(long context) {
        return (int) context & ~SEND;
    }

    static int generation(long context) {
        return (int) (context >>> 32);
    }
}
