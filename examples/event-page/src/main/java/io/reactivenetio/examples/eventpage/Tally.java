// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.eventpage;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;

/** Counts events: how many are complete, which links are not in them, and which numbers are there twice or not at all. */
final class Tally {
    static final int LINKS = 16;

    private static final int ALL = (1 << LINKS) - 1;

    private final BitSet numbers = new BitSet();
    private final long[] gaps = new long[LINKS];
    private long complete;
    private long incomplete;
    private long doubled;

    /** Adds a record. Its value is the number of the event, 8 bytes, and its links, 4 bytes with a bit for each. */
    synchronized void add(byte[] value) {
        ByteBuffer content = ByteBuffer.wrap(value);
        int number = Math.toIntExact(content.getLong());
        int links = content.getInt();
        if (numbers.get(number)) {
            doubled++;
            return;
        }
        numbers.set(number);
        if (links == ALL) {
            complete++;
            return;
        }
        incomplete++;
        for (int link = 0; link < LINKS; link++) {
            gaps[link] += (links >> link & 1) == 0 ? 1 : 0;
        }
    }

    synchronized Sample sample(double seconds, long lag, String problem) {
        List<Long> all = Arrays.stream(gaps).boxed().toList();
        long last = Math.max(0, numbers.length() - 1);
        long absent = last - numbers.cardinality(); // they begin with 1
        return new Sample(seconds, complete, incomplete, doubled, absent, lag, all, problem);
    }
}
