// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.annotation.listener;

import java.util.concurrent.atomic.AtomicLong;

/**
 * How many messages a stream of a listener asks for: a window beyond those that are done. It begins small and grows to the
 * listener's prefetch as messages arrive, since these show how large messages are: no more are asked for than have memory, with
 * the size of the largest so far, but as many as are worked on at a time. One thread tells what arrives, any thread the rest.
 */
final class MessageDemand {
    /** How many messages may be asked for before the first has shown its size. */
    private static final int FIRST = 32;

    private final int least;
    private final int first;
    private final int most;
    private final int prefetch;
    private final long bytes;
    private final AtomicLong asked = new AtomicLong();
    private final AtomicLong done = new AtomicLong();
    private final AtomicLong arrived = new AtomicLong();
    private int largest = 1;
    /** How many messages as large as the largest so far there is memory for. */
    private volatile long room;

    /**
     * For one of several streams.
     *
     * @param streams how many streams share the following
     * @param concurrency how many messages are worked on at a time
     * @param prefetch how many more wait at most, and may be asked for late, so that it is done less often
     * @param bytes the memory for those that are here
     */
    MessageDemand(int streams, int concurrency, int prefetch, long bytes) {
        this.least = Math.ceilDiv(concurrency, streams);
        this.first = share((long) concurrency + Math.min(prefetch, FIRST), streams);
        this.most = share((long) concurrency + prefetch, streams);
        this.prefetch = prefetch;
        this.bytes = bytes / streams;
        this.room = Math.max(least, this.bytes);
    }

    private static int share(long messages, int streams) {
        return Math.clamp(Math.ceilDiv(messages, streams), 1, Integer.MAX_VALUE);
    }

    /** How many messages to ask for at the beginning. */
    int first() {
        asked.set(first);
        return first;
    }

    /** A message of so many bytes has arrived. */
    void arrived(int size) {
        arrived.incrementAndGet();
        if (size > largest) {
            largest = size;
            room = Math.max(least, bytes / size);
        }
    }

    /** Whether everything that was asked for has arrived. */
    boolean isHere() {
        return arrived.get() >= asked.get();
    }

    /** A message is done. Returns how many more to ask for now. */
    long done() {
        done.incrementAndGet();
        while (true) {
            int window = window();
            long upTo = done.get() + window;
            long before = asked.get();
            long missing = upTo - before;
            if (missing < Math.max(1, Math.min(window, prefetch) / 4)) {
                return 0;
            }
            if (asked.compareAndSet(before, upTo)) {
                return missing;
            }
        }
    }

    private int window() {
        return (int) Math.max(1, Math.min(Math.min(most, first + 2 * arrived.get()), room));
    }
}
