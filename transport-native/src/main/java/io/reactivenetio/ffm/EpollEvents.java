// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.ffm;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * A reusable array of {@code struct epoll_event}: u32 events, u64 data. The struct is packed (12 bytes) on x86-64 and has
 * natural alignment (16 bytes) everywhere else. Owned by one thread; freed with the arena it was given.
 */
public final class EpollEvents {
    private static final String ARCHITECTURE = System.getProperty("os.arch");
    private static final long SIZE = size(ARCHITECTURE);
    private static final long DATA = data(ARCHITECTURE);

    public static final int EPOLLIN = 0x1;
    public static final int EPOLLOUT = 0x4;
    public static final int EPOLLERR = 0x8;
    public static final int EPOLLHUP = 0x10;
    public static final long EPOLLET = 0x8000_0000L;

    private final MemorySegment segment;
    private final int capacity;

    public EpollEvents(Arena arena, int capacity) {
        this.segment = arena.allocate(SIZE * capacity, 16);
        this.capacity = capacity;
    }

    /** The size of the struct in bytes, on what Java calls {@code architecture}. */
    static long size(String architecture) {
        return architecture.equals("amd64") ? 12 : 16;
    }

    /** Where its data is. */
    static long data(String architecture) {
        return architecture.equals("amd64") ? 4 : 8;
    }

    public MemorySegment segment() {
        return segment;
    }

    public int capacity() {
        return capacity;
    }

    public void set(int index, int events, long data) {
        segment.set(ValueLayout.JAVA_INT_UNALIGNED, index * SIZE, events);
        segment.set(ValueLayout.JAVA_LONG_UNALIGNED, index * SIZE + DATA, data);
    }

    public int events(int index) {
        return segment.get(ValueLayout.JAVA_INT_UNALIGNED, index * SIZE);
    }

    public long data(int index) {
        return segment.get(ValueLayout.JAVA_LONG_UNALIGNED, index * SIZE + DATA);
    }
}
