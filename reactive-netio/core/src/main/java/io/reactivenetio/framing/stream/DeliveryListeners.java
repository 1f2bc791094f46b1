// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.framing.stream;

import io.reactivenetio.send.page.DeliveryListener;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The listeners that wait for the answers to PINGs, in order, each with the number of its PING. A peer that does not answer
 * cannot make this grow with sends that were cancelled: before it grows, it lets go of those that nobody waits for any more.
 * On the loop.
 */
final class DeliveryListeners {
    private static final int AT_FIRST = 16;

    private @Nullable DeliveryListener[] listeners = new @Nullable DeliveryListener[AT_FIRST];
    private long[] pings = new long[AT_FIRST];
    /** The index of the oldest; the number of entries is a power of two. */
    private int head;
    private int size;

    int size() {
        return size;
    }

    /** Adds one that waits for the answer to {@code ping}, which is not before that of the last one. */
    void add(DeliveryListener listener, long ping) {
        if (size == listeners.length) {
            makeRoom();
        }
        int index = head + size & listeners.length - 1;
        listeners[index] = listener;
        pings[index] = ping;
        size++;
    }

    /** Removes the oldest if it waits for {@code ping} or one before it; null if none does. */
    @Nullable DeliveryListener poll(long ping) {
        if (size == 0 || pings[head] > ping) {
            return null;
        }
        DeliveryListener first = listeners[head];
        listeners[head] = null;
        head = head + 1 & listeners.length - 1;
        size--;
        return first;
    }

    /** Lets go of those that nobody waits for. If more than half are left, there is room for twice as many afterwards. */
    private void makeRoom() {
        int entries = listeners.length;
        @Nullable DeliveryListener[] kept = new @Nullable DeliveryListener[entries];
        long[] theirs = new long[entries];
        int left = 0;
        for (int i = 0; i < size; i++) {
            int index = head + i & entries - 1;
            DeliveryListener listener = Objects.requireNonNull(listeners[index]);
            if (listener.isAwaited()) {
                kept[left] = listener;
                theirs[left++] = pings[index];
            }
        }
        boolean grows = left > entries / 2;
        listeners = grows ? Arrays.copyOf(kept, 2 * entries) : kept;
        pings = grows ? Arrays.copyOf(theirs, 2 * entries) : theirs;
        head = 0;
        size = left;
    }
}
