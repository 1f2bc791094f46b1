// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.demo.event;

import java.util.concurrent.atomic.LongAdder;

/** Faults of a link, counted where they are made and again where they are found. Any thread. */
public final class FaultCount {
    private final LongAdder truncated = new LongAdder();
    private final LongAdder corrupted = new LongAdder();
    private final LongAdder digest = new LongAdder();

    public void add(Fault fault, long event) {
        if (fault != Fault.NONE) {
            (fault == Fault.TRUNCATED ? truncated : corrupted).increment();
            digest.add(mix(fault == Fault.TRUNCATED ? 2 * event : 2 * event + 1));
        }
    }

    public long truncated() {
        return truncated.sum();
    }

    public long corrupted() {
        return corrupted.sum();
    }

    /** Differs, but for a coincidence in 2^64, unless the same events have the same faults. */
    public long digest() {
        return digest.sum();
    }

    /** The finalizer of SplitMix64. */
    private static long mix(long z) {
        long a = (z + 0x9e3779b97f4a7c15L ^ z >>> 30) * 0xbf58476d1ce4e5b9L;
        long b = (a ^ a >>> 27) * 0x94d049bb133111ebL;
        return b ^ b >>> 31;
    }
}
