// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.send.page;

import java.util.Arrays;

/**
 * Counts how many messages of one sender end in each page that has not left. There are no more such pages than send buffers. On
 * the loop.
 */
public final class MessagesInPages {
    private static final int AT_FIRST = 4;

    private long[] pages = new long[AT_FIRST];
    private long[] messages = new long[AT_FIRST];
    /** The index of the oldest entry; the number of entries is a power of two. */
    private int head;
    private int size;
    private long left;
    private long last;

    /**
     * Adds {@code n} messages that end in this page, which is not before that of the last ones. {@code completed} is the last
     * page that has left.
     */
    public void add(long page, long completed, int n) {
        if (page != last) {
            last = page;
            left(completed); // so that there is room
            if (size == pages.length) {
                grow();
            }
            int index = head + size & pages.length - 1;
            pages[index] = page;
            messages[index] = 0;
            size++;
        }
        messages[head + size - 1 & pages.length - 1] += n;
    }

    private void grow() {
        int entries = pages.length;
        pages = Arrays.copyOf(pages, 2 * entries);
        messages = Arrays.copyOf(messages, 2 * entries);
        System.arraycopy(pages, 0, pages, entries, head); // what had wrapped around follows the rest
        System.arraycopy(messages, 0, messages, entries, head);
    }

    /** The number of the page that the last message ended in; 0 if there was none. */
    public long last() {
        return last;
    }

    /** How many messages have left with the pages up to {@code completed}. */
    public long left(long completed) {
        while (size > 0 && pages[head] <= completed) {
            left += messages[head];
            head = head + 1 & pages.length - 1;
            size--;
        }
        return left;
    }
}
