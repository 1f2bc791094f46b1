// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.send.page;

/**
 * How many elements a sender that copies them requests of its upstream. What may have to wait is bounded in number, and roughly
 * in bytes, by the size of the largest element seen. It may be four times as much where elements leave so quickly that the
 * upstream would otherwise be asked, and its thread woken, more often than each millisecond.
 */
public final class RequestWindow {
    /** How many elements may wait at a time, where they leave quickly. */
    public static final int MOST = 16 * 1024;
    /** Roughly how many bytes may wait at a time, where elements leave quickly. */
    public static final int BYTES = 1024 * 1024;

    private static final int AT_FIRST = 8;
    /** What may wait otherwise is so many times less. */
    private static final int SLOWER = 4;
    /** The time in which as many have to leave as may wait otherwise. */
    private static final long QUICK_NANOS = 1_000_000;

    private volatile int largest;

    // loop-confined
    private long requested;
    private long arrived;
    private long measuredFrom;
    private long arrivedBefore;
    private boolean quick;

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
     * How many more elements can be requested of the upstream at the time {@code nanos}. Requests of a few at a time would cost
     * more than they are worth.
     */
    public long free(long nanos) {
        int size = largest;
        long most = AT_FIRST;
        if (size > 0) {
            most = most(SLOWER, size);
            measure(nanos, most);
            most = quick ? most(1, size) : most;
        }
        long window = Math.min(most, arrived + 1); // more only when so many have been small: what comes next may be large
        long free = window - unused();
        return free * 2 >= window ? free : 0;
    }

    private static long most(int part, int size) {
        return Math.clamp(BYTES / part / size, 1, MOST / part - 1);
    }

    private void measure(long nanos, long usual) {
        boolean late = nanos - measuredFrom > QUICK_NANOS;
        if (late || arrived - arrivedBefore >= usual) {
            quick = !late;
            measuredFrom = nanos;
            arrivedBefore = arrived;
        }
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
