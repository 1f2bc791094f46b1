// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.soak;

import io.reactivenetio.api.NetioEncoder;
import java.nio.ByteBuffer;
import java.util.function.LongToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Messages of which each byte follows from the number, so that one that is lost, repeated, cut, or changed in any byte is seen.
 *
 * @param words how many long words the message of a number has, at least one
 */
record Pattern(LongToIntFunction words) implements NetioEncoder<Long> {
    private static final long GOLDEN = 0x9E37_79B9_7F4A_7C15L;

    static Pattern of(int bytes) {
        return new Pattern(number -> bytes / Long.BYTES);
    }

    /** Returns sizes from 8 to {@code most} bytes, small ones as often as large ones. */
    static Pattern upTo(int most) {
        int bits = Integer.SIZE - Integer.numberOfLeadingZeros(most / Long.BYTES - 1);
        return new Pattern(number -> {
            long mixed = mix(number);
            int size = 1 << (int) Long.remainderUnsigned(mixed, bits + 1);
            return Math.max(1, size - (int) (mixed >>> 40 & size / 2));
        });
    }

    private static long mix(long number) {
        long mixed = (number + 1) * GOLDEN;
        return mixed ^ mixed >>> 29;
    }

    @Override
    public int size(Long number) {
        return words.applyAsInt(number) * Long.BYTES;
    }

    @Override
    public void encode(Long number, ByteBuffer target) {
        target.putLong(number);
        for (int left = words.applyAsInt(number) - 1; left > 0; left--) {
            target.putLong(mix(number + left));
        }
    }

    /** Returns what is wrong with a message of which the first word, its number, has been read; null if nothing is. */
    @Nullable String fault(long number, ByteBuffer rest) {
        int left = words.applyAsInt(number) - 1;
        if (rest.remaining() != left * Long.BYTES) {
            return "message " + number + " has " + (rest.remaining() + Long.BYTES) + " bytes, not " + size(number);
        }
        for (; left > 0; left--) {
            if (rest.getLong() != mix(number + left)) {
                return "message " + number + " is changed, " + left * Long.BYTES + " bytes before its end";
            }
        }
        return null;
    }
}
