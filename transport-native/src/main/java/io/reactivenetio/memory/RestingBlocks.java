// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.memory;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Blocks that rest, {@value #MOST} at most. They take address space only, and go after two seconds: a thread sees to that as long
 * as there are any. Any thread; nobody waits long for the lock, because no memory is closed under it.
 */
final class RestingBlocks {
    static final RestingBlocks ALL = new RestingBlocks();

    /** A connection has three or four. Linux lets a process have 65,530 mappings. */
    private static final int MOST = 4_096;
    private static final long REST_NANOS = TimeUnit.SECONDS.toNanos(2);
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private record Resting(Block block, long sinceNanos) {
    }

    /** The blocks by their size in bytes. The one that has rested longest is first. */
    private final Map<Long, ArrayDeque<Resting>> bySize = new HashMap<>();
    private int number;
    private boolean watched;

    RestingBlocks() {
    }

    /** Takes the block of {@code bytes} that was used last. The result is null if there is none. */
    synchronized @Nullable Block take(long bytes) {
        ArrayDeque<Resting> same = bySize.get(bytes);
        if (same == null) {
            return null;
        }
        return removed(bytes, same, same.removeLast());
    }

    /**
     * Has a block rest. It is closed if there are too many, or no heap to remember it. If a system call has a view of it, it
     * rests nevertheless.
     */
    void add(Block block) {
        if (number() >= MOST && block.hasClosed()) {
            return;
        }
        try {
            if (isFirst(block)) {
                Thread.ofVirtual().name("netio-memory").start(this::watch);
            }
        } catch (OutOfMemoryError e) {
            stopWatching(); // the next one that rests tries again
        }
    }

    private synchronized boolean isFirst(Block block) {
        try {
            bySize.computeIfAbsent(block.memory().byteSize(), size -> new ArrayDeque<>())
                    .addLast(new Resting(block, System.nanoTime()));
        } catch (OutOfMemoryError e) {
            block.hasClosed();
            throw e;
        }
        number++;
        boolean first = !watched;
        watched = true;
        return first;
    }

    private synchronized void stopWatching() {
        watched = false;
    }

    /** How many rest. */
    synchronized int number() {
        return number;
    }

    /** Closes all of them, but those that a system call has a view of. */
    void close() {
        close(0);
    }

    private void watch() {
        try {
            do {
                LockSupport.parkNanos(PAUSE_NANOS);
                close(REST_NANOS);
            } while (isWatched());
        } catch (OutOfMemoryError e) {
            stopWatching();
        }
    }

    private synchronized boolean isWatched() {
        watched = number > 0;
        return watched;
    }

    private void close(long nanos) {
        for (int i = number(); i > 0; i--) { // those that cannot be closed come back
            Block block = takeRested(nanos);
            if (block == null) {
                return;
            }
            if (!block.hasClosed()) {
                add(block);
            }
        }
    }

    /** Takes a block that has rested for {@code nanos} or longer. The result is null if there is none. */
    private synchronized @Nullable Block takeRested(long nanos) {
        long now = System.nanoTime();
        for (Map.Entry<Long, ArrayDeque<Resting>> same : bySize.entrySet()) {
            if (now - same.getValue().getFirst().sinceNanos() >= nanos) {
                return removed(same.getKey(), same.getValue(), same.getValue().removeFirst());
            }
        }
        return null;
    }

    private Block removed(Long bytes, ArrayDeque<Resting> same, Resting one) {
        number--;
        if (same.isEmpty()) {
            bySize.remove(bytes);
        }
        return one.block();
    }
}
