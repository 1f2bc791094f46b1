// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.demo.event;

import java.nio.ByteBuffer;
import java.util.SplittableRandom;

/** Damages a share of the fragments on purpose and counts what it did. Not thread-safe, but for {@link #count}. */
public final class FaultInjector {
    private static final int MAX_FLIPS = 3;

    private final SplittableRandom random;
    private final double share;
    private final FaultCount count = new FaultCount();

    /** Injects faults into {@code percent} of the fragments: half are truncated and half corrupted. */
    public FaultInjector(double percent, long seed) {
        if (percent < 0 || percent > 100) {
            throw new IllegalArgumentException("faults must be between 0 and 100 %: " + percent);
        }
        random = new SplittableRandom(seed);
        share = percent / 100;
    }

    public FaultCount count() {
        return count;
    }

    /** Maybe damages the fragment in {@code buffer}, from 0 to its limit. */
    public Fault apply(ByteBuffer buffer, long event) {
        double u = random.nextDouble();
        if (u >= share) {
            return Fault.NONE;
        }
        Fault fault = u < share / 2 ? Fault.TRUNCATED : Fault.CORRUPTED;
        if (fault == Fault.TRUNCATED) {
            truncate(buffer);
        } else {
            flip(buffer);
        }
        count.add(fault, event);
        return fault;
    }

    /** Cuts into the payload, into the header only if there is none. */
    private void truncate(ByteBuffer buffer) {
        int size = buffer.limit();
        int least = size > FragmentCodec.HEADER ? FragmentCodec.HEADER : 1;
        buffer.limit(random.nextInt(least, size));
    }

    /** Flips one to three neighbouring or distant, but different, bits. */
    private void flip(ByteBuffer buffer) {
        int bits = buffer.limit() * Byte.SIZE;
        int flips = 1 + random.nextInt(MAX_FLIPS);
        int first = random.nextInt(bits);
        int distance = 1 + random.nextInt(bits / MAX_FLIPS - 1);
        for (int i = 0; i < flips; i++) {
            int bit = (first + i * distance) % bits;
            buffer.put(bit / Byte.SIZE, (byte) (buffer.get(bit / Byte.SIZE) ^ 1 << bit % Byte.SIZE));
        }
    }
}
