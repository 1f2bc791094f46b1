// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.loop.task;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.ffm.LibC;
import io.reactivenetio.loop.thread.Ownership;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class DelayHeapTest {
    @Test
    void shouldBreakTiesByAge() {
        DelayHeap heap = new DelayHeap();
        LoopCounters counters = new LoopCounters();
        Failures failures = new Failures("heap", counters);
        WakeUp wakeUp = new WakeUp(LibC.eventfd(0, LibC.EFD_CLOEXEC | LibC.EFD_NONBLOCK), counters, null);
        Inbox inbox = new Inbox(LoopClock.KERNEL, wakeUp, failures, counters);
        DelayQueue queue = new DelayQueue(LoopClock.KERNEL, -1, new Ownership(), inbox, failures, 1);
        List<DelayEntry> entries = new ArrayList<>();
        Random random = new Random(7);
        for (int i = 0; i < 2000; i++) {
            DelayEntry entry = new DelayEntry(queue);
            entry.renew(() -> { }, random.nextInt(50), i);
            entries.add(entry);
            heap.add(entry);
        }
        for (int i = 0; i < 2000; i += 3) {
            heap.remove(entries.get(i));
            assertThat(entries.get(i).heapIndex()).isEqualTo(DelayEntry.NOT_IN_HEAP);
        }
        DelayEntry previous = heap.first();
        heap.remove(previous);
        int left = 1;
        for (DelayEntry entry = heap.first(); entry != null; entry = heap.first()) {
            assertThat(previous.isBefore(entry)).isTrue();
            heap.remove(entry);
            previous = entry;
            left++;
        }
        assertThat(left).isEqualTo(2000 - 667);
        assertThat(heap.size()).isZero();
        wakeUp.close(() -> { });
    }
}
