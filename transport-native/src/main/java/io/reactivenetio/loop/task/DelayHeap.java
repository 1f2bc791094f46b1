// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.loop.task;

import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A binary heap of delayed tasks by deadline, then by age. Each entry knows its index, so that any of them can be removed. */
final class DelayHeap {
    private @Nullable DelayEntry[] entries = new @Nullable DelayEntry[16];
    private int size;

    int size() {
        return size;
    }

    @Nullable DelayEntry first() {
        return entries[0];
    }

    void add(DelayEntry entry) {
        if (size == entries.length) {
            entries = Arrays.copyOf(entries, 2 * size);
        }
        siftUp(entry, size++);
    }

    void remove(DelayEntry entry) {
        int index = entry.heapIndex();
        entry.heapIndex(DelayEntry.NOT_IN_HEAP);
        DelayEntry last = at(--size);
        entries[size] = null;
        if (last != entry) {
            siftDown(last, index);
            if (at(index) == last) {
                siftUp(last, index);
            }
        }
    }

    private void siftUp(DelayEntry entry, int from) {
        int index = from;
        while (index > 0) {
            int parent = (index - 1) >>> 1;
            if (!entry.isBefore(at(parent))) {
                break;
            }
            put(at(parent), index);
            index = parent;
        }
        put(entry, index);
    }

    private void siftDown(DelayEntry entry, int from) {
        int index = from;
        while (2 * index + 1 < size) {
            int child = 2 * index + 1;
            if (child + 1 < size && at(child + 1).isBefore(at(child))) {
                child++;
            }
            if (!at(child).isBefore(entry)) {
                break;
            }
            put(at(child), index);
            index = child;
        }
        put(entry, index);
    }

    private void put(DelayEntry entry, int index) {
        entries[index] = entry;
        entry.heapIndex(index);
    }

    private DelayEntry at(int index) {
        return Objects.requireNonNull(entries[index]);
    }
}
