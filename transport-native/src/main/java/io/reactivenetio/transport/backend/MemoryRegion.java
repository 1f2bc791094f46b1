// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.backend;

import io.reactivenetio.transport.exceptions.InvalidConnectionParametersException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Native memory from which messages are sent without being copied. Name it in {@link ConnectionParameters#withZeroCopy}; it is
 * then registered with the network card when a connection is made, once per card, and stays so while a connection uses it.
 *
 * <p>Any thread. What a send names must not change before its completion; nobody checks that. After {@link #close} no new
 * connection can use the region, and its memory goes when the last connection that does is over.
 */
public final class MemoryRegion implements AutoCloseable {
    private static final long PAGE = 4096;
    private static final long RETRY_NANOS = 20_000_000;

    private final MemorySegment segment;
    private final @Nullable Arena arena;
    private int users;
    private boolean closed;

    private MemoryRegion(MemorySegment segment, @Nullable Arena arena) {
        this.segment = segment;
        this.arena = arena;
    }

    /** {@code bytes} bytes, zero, page-aligned. */
    public static MemoryRegion allocate(long bytes) {
        if (bytes < 1) {
            throw new IllegalArgumentException("a region of at least 1 byte: " + bytes);
        }
        Arena arena = Arena.ofShared();
        try {
            return new MemoryRegion(arena.allocate(bytes, PAGE), arena);
        } catch (RuntimeException | Error e) {
            arena.close();
            throw e;
        }
    }

    /**
     * The memory of {@code segment}, for instance a mapped file or a device's buffers. It has to be of an arena that nobody can
     * close, because a card would go on reading from where it was: {@link Arena#global()}.
     *
     * <p>A mapped file must stay as long as it was mapped. If it is truncated, a message whose pages are gone ends its connection
     * where the kernel reads it, and <em>ends the process</em> (SIGBUS) where libfabric's tcp provider does, which copies
     * messages of up to 128 bytes itself.
     */
    public static MemoryRegion of(MemorySegment segment) {
        if (!segment.isNative() || !segment.scope().equals(Arena.global().scope())) {
            throw new IllegalArgumentException("not native memory of the global arena: " + segment
                    + "; allocate it in Arena.global(), or use MemoryRegion.allocate");
        }
        return new MemoryRegion(segment, null);
    }

    /** The memory. */
    public MemorySegment segment() {
        return segment;
    }

    /** Its size in bytes. */
    public long size() {
        return segment.byteSize();
    }

    /** For backends: a connection uses it from now on. */
    public synchronized Use acquire() {
        if (closed) {
            throw new InvalidConnectionParametersException("the memory region of " + size() + " bytes is closed");
        }
        users++;
        return new Use();
    }

    /** Gives the memory back as soon as no connection uses it. Idempotent. */
    @Override
    public synchronized void close() {
        if (!closed) {
            closed = true;
            free();
        }
    }

    /** A connection's use of the region, which nobody else can end. */
    public final class Use {
        private boolean over;

        private Use() {
        }

        /** The connection is over. Idempotent. */
        public void release() {
            synchronized (MemoryRegion.this) {
                if (!over) {
                    over = true;
                    users--;
                    free();
                }
            }
        }
    }

    private void free() {
        if (closed && users == 0 && arena != null && !tryClose(arena)) {
            Thread.ofVirtual().name("netio-region").start(() -> {
                while (!tryClose(arena)) {
                    LockSupport.parkNanos(RETRY_NANOS);
                }
            });
        }
    }

    /** False while a system call on another thread, to read a file into it for one, has the memory. */
    private static boolean tryClose(Arena arena) {
        try {
            arena.close();
            return true;
        } catch (IllegalStateException inUse) {
            return false;
        }
    }
}
