// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.send;

/**
 * How many elements a sender that copies them asks its upstream for: what it may have to keep is bounded in number, and about so
 * in bytes, by the largest element seen.
 */
public final class RequestWindow {
    /** Elements that may wait at a time, at most. */
    public static final int MOST = 1024;
    /** Bytes that may wait at a time, about. */
    public static final int BYTES = 256 * 1024;

    private static final int AT_FIRST = 8;

    private volatile int largest;

    // loop-confined
    private long requested;
    private long arrived;

    /** An element of {@code bytes} has come. On the upstream's thread. */
    public void seen(int bytes) {
        if (bytes > largest) {
            largest = bytes;
        }
    }

    /** The bytes of the largest element until now. */
    public int largest() {
        return largest;
    }

    /** How many more elements the upstream can be asked for. Few at a time would cost more than they are worth. */
    public long free() {
        int size = largest;
        long most = size == 0 ? AT_FIRST : Math.clamp(BYTES / size, 1, MOST - 1);
        long window = Math.min(most, arrived + 1); // more only when so many have been small: what comes next may be large
        long free = window - unused();
        return free * 2 >= window ? free : 0;
    }

    /** So many are asked for. */
    public void asked(long n) {
        requested += n;
    }

    /** So many do not wait any more: they are in pages. */
    public void gone(int n) {
        arrived += n;
    }

    /** How many were asked for and are in no page. */
    public long unused() {
        return requested - arrived;
    }
}
