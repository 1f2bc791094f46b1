// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.send.page;

/**
 * How many elements a sender that copies them requests of its upstream. What may have to wait is bounded in number, and roughly
 * in bytes, by the size of the largest element seen.
 */
public final class RequestWindow {
    /** How many elements may wait at a time. */
    public static final int MOST = 4096;
    /** Roughly how many bytes may wait at a time. */
    public static final int BYTES = 256 * 1024;

    private static final int AT_FIRST = 8;

    private volatile int largest;

    // loop-confined
    private long requested;
    private long arrived;

    /** Notes that an element of {@code bytes} has come. On the upstream's thread. */
    public void seen(int bytes) {
        if (bytes > largest) {
            largest = bytes;
        }
    }

    /** The size of the largest element until now, in bytes. */
    public int largest() {
        return largest;
    }

    /**
     * How many more elements can be requested of the upstream. Requests of a few at a time would cost more than they are worth.
     */
    public long free() {
        int size = largest;
        long most = size == 0 ? AT_FIRST : Math.clamp(BYTES / size, 1, MOST - 1);
        long window = Math.min(most, arrived + 1); // more only when so many have been small: what comes next may be large
        long free = window - unused();
        return free * 2 >= window ? free : 0;
    }

    /** Notes that {@code n} elements are requested. */
    public void asked(long n) {
        requested += n;
    }

    /** Notes that {@code n} elements are in pages and do not wait any more. */
    public void gone(int n) {
        arrived += n;
    }

    /** How many elements were requested and are in no page. */
    public long unused() {
        return requested - arrived;
    }
}
