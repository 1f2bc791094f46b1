// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.pubsub;

/**
 * How many messages a source is asked for before the first of them has left a queue: as many as the queue has places, and no more
 * than it may have bytes, by the size of those that came. Nobody knows the size of the first messages, and a small one may come
 * before large ones. So the source is asked for one at first, and for eight times as many with each that has come. One thread at
 * a time counts; any thread may ask.
 */
final class AskWindow {
    /** A size that is not seen any more is forgotten by 1/32 with each message. */
    private static final int FORGETS = 5;
    private static final int GROWS = 3;
    /** What a message takes in memory besides its payload, in bytes. */
    private static final int EACH = 128;

    private final int capacity;
    private final long bytes;
    private int grown = 1;
    /** The size that most messages have or stay below, with {@link #EACH}. */
    private volatile long typical;
    /** How many messages of that size the queue takes. */
    private volatile int room;
    private volatile int size;

    /** Creates the window of a queue of {@code capacity} messages and {@code bytes}. */
    AskWindow(int capacity, long bytes) {
        this.capacity = capacity;
        this.bytes = bytes;
        this.typical = EACH;
        this.room = capacity;
        this.size = 1;
    }

    /** Counts a message that has come. Returns whether the window or the room has changed. */
    boolean count(int payload) {
        long is = (long) payload + EACH;
        long was = typical;
        if (is == was && grown >= capacity) {
            return false;
        }
        grown = grown >= capacity ? capacity : grown << GROWS;
        long now = is >= was ? is : was - Math.max(1, was - is >> FORGETS);
        typical = now;
        int roomBefore = room;
        int sizeBefore = size;
        room = Math.clamp(bytes / now, 1, capacity);
        size = Math.min(room, grown);
        return size != sizeBefore || room != roomBefore;
    }

    /** Returns for how many messages the source is asked ahead; at least 1. */
    int size() {
        return size;
    }

    /** How many messages the queue takes, by their size; at least 1. */
    int room() {
        return room;
    }

    /** What a message takes, in bytes, as far as is known. */
    long typical() {
        return typical;
    }
}
