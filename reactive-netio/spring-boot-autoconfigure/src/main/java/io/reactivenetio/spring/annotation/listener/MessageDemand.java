// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.annotation.listener;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * How many messages a stream of a listener asks for: a window beyond those that are done. It begins small. With a fixed prefetch
 * it grows to that as messages arrive, since these show how large messages are. Else it follows the listener's pace: it doubles
 * when the listener has run out of messages after half a window of them, and halves when a window would last it for long. No
 * more are asked for than have memory, with the size of the largest so far, but as many as are worked on at a time. One thread
 * tells what arrives, any thread the rest.
 */
final class MessageDemand {
    /** How many messages may be asked for before the first has shown its size. */
    private static final int FIRST = 32;
    /** The part of the window that has to be done before more is asked for. */
    private static final int PART = 4;
    /** How long the messages of a window may last a listener, in ns, beyond the first ones. */
    private static final long LONG = 100_000_000;

    private final int least;
    private final int first;
    private final int most;
    private final int prefetch;
    private final boolean adapts;
    private final long bytes;
    private final LongSupplier nanoTime;
    private final AtomicLong asked = new AtomicLong();
    private final AtomicLong taken = new AtomicLong();
    private final AtomicLong done = new AtomicLong();
    private int largest = 1;
    /** How many messages as large as the largest so far there is memory for. */
    private volatile long room;
    /** The window, if it follows the pace. Several threads may change it at once, which does no harm. */
    private volatile int paced;
    /** How many were done when the listener last had run out of messages. */
    private volatile long doneWhenDry;
    private volatile long askedNanos;

    /**
     * For one of several streams.
     *
     * @param streams how many streams share the following
     * @param concurrency how many messages are worked on at a time
     * @param prefetch how many more wait at most, and may be asked for late, so that it is done less often
     * @param adapts whether that follows the listener's pace
     * @param bytes the memory for those that are here
     * @param nanoTime a clock in ns
     */
    MessageDemand(int streams, int concurrency, int prefetch, boolean adapts, long bytes, LongSupplier nanoTime) {
        this.least = Math.ceilDiv(concurrency, streams);
        this.first = share((long) concurrency + Math.min(prefetch, FIRST), streams);
        this.most = share((long) concurrency + prefetch, streams);
        this.prefetch = prefetch;
        this.adapts = adapts;
        this.bytes = bytes / streams;
        this.nanoTime = nanoTime;
        this.room = Math.max(least, this.bytes);
        this.paced = first;
    }

    private static int share(long messages, int streams) {
        return Math.clamp(Math.ceilDiv(messages, streams), 1, Integer.MAX_VALUE);
    }

    /** How many messages to ask for at the beginning. */
    int first() {
        asked.set(first);
        askedNanos = nanoTime.getAsLong();
        return first;
    }

    /** A message of so many bytes has arrived. */
    void arrived(int size) {
        if (size > largest) {
            largest = size;
            room = Math.max(least, bytes / size);
        }
    }

    /** Messages that have arrived were taken. */
    void taken(int messages) {
        taken.addAndGet(messages);
    }

    /** Whether everything that was asked for was taken. */
    boolean isHere() {
        return taken.get() >= asked.get();
    }

    /** Messages are done. Returns how many more to ask for now. */
    long done(int messages) {
        long now = done.addAndGet(messages);
        if (adapts && now == taken.get()) {
            ranDry(now);
        }
        while (true) {
            int window = window();
            long upTo = done.get() + window;
            long already = asked.get();
            long missing = upTo - already;
            if (missing < Math.max(1, Math.min(window, prefetch) / PART)) {
                return 0;
            }
            if (asked.compareAndSet(already, upTo)) {
                if (adapts) {
                    tookItsTime(window, missing);
                }
                return missing;
            }
        }
    }

    private void ranDry(long now) {
        int window = paced;
        if (window < most && now - doneWhenDry >= window / 2) {
            paced = (int) Math.min(most, 2L * window);
        }
        doneWhenDry = now;
    }

    /** Halves the window if it lasts the listener for long, by the time that the last {@code messages} have taken. */
    private void tookItsTime(int window, long messages) {
        long now = nanoTime.getAsLong();
        if (window > first && (now - askedNanos) / messages > LONG / window) {
            paced = Math.max(first, window / 2);
        }
        askedNanos = now;
    }

    private int window() {
        long wanted = adapts ? paced : Math.min(most, first + 2 * taken.get());
        return (int) Math.max(1, Math.min(wanted, room));
    }
}
