// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.receive;

/** Adds up what was delivered of a {@link MessageRun}, to be counted once. On the loop. */
final class RunTally {
    private int messages;
    private long bytes;
    private int largest;

    void count(int length) {
        count(1, length, length);
    }

    /** Counts {@code more} messages of {@code sum} bytes together and {@code most} bytes each at most. */
    void count(int more, long sum, int most) {
        messages += more;
        bytes += sum;
        largest = Math.max(largest, most);
    }

    int messages() {
        return messages;
    }

    long bytes() {
        return bytes;
    }

    /** Bytes of the largest message. */
    int largest() {
        return largest;
    }

    void clear() {
        messages = 0;
        bytes = 0;
        largest = 0;
    }
}
