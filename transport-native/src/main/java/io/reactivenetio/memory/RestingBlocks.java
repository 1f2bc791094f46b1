// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.memory;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
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
        Resting last = same.removeLast();
        number--;
        if (same.isEmpty()) {
            bySize.remove(bytes);
        }
        return last.block();
    }

    /** Has a block rest. If there are too many it is closed, or rests nevertheless if that is not possible now. */
    void add(Block block) {
        if (isFull() && block.hasClosed()) {
            return;
        }
        boolean first;
        synchronized (this) {
            bySize.computeIfAbsent(block.memory().byteSize(), size -> new ArrayDeque<>())
                    .addLast(new Resting(block, System.nanoTime()));
            number++;
            first = !watched;
            watched = true;
        }
        if (first) {
            Thread.ofVirtual().name("netio-memory").start(this::watch);
        }
    }

    private synchronized boolean isFull() {
        return number >= MOST;
    }

    /** How many rest. */
    synchronized int number() {
        return number;
    }

    /** Closes all of them. */
    void close() {
        closeAll(removed(Long.MAX_VALUE));
    }

    private void watch() {
        do {
            LockSupport.parkNanos(PAUSE_NANOS);
            closeAll(removed(REST_NANOS));
        } while (isWatched());
    }

    private synchronized boolean isWatched() {
        watched = number > 0;
        return watched;
    }

    /** Removes those that have not rested for less than {@code nanos}, or all for Long.MAX_VALUE. */
    private synchronized List<Block> removed(long nanos) {
        long now = System.nanoTime();
        List<Block> removed = new ArrayList<>();
        for (Iterator<ArrayDeque<Resting>> sizes = bySize.values().iterator(); sizes.hasNext();) {
            ArrayDeque<Resting> same = sizes.next();
            while (!same.isEmpty() && (nanos == Long.MAX_VALUE || now - same.getFirst().sinceNanos() >= nanos)) {
                removed.add(same.removeFirst().block());
                number--;
            }
            if (same.isEmpty()) {
                sizes.remove();
            }
        }
        return removed;
    }

    private void closeAll(List<Block> blocks) {
        for (Block block : blocks) {
            if (!block.hasClosed()) {
                add(block);
            }
        }
    }
}
