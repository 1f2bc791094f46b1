// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.ffm;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * One instance of io_uring(7): its two rings in memory that the kernel shares, and the system calls. The submission queue is
 * filled with {@link #prepare} and told to the kernel by {@link #enter}; completions are read with {@link #next}.
 *
 * <p>The ring is made disabled, by any thread. The thread that calls {@link #enable} is the only one that may submit and fetch
 * from then on, where the kernel has IORING_SETUP_SINGLE_ISSUER. {@link #close} may be called by whoever comes after it.
 * Allocates nothing once it is made. Like {@link LibC}, calls return the negated errno.
 */
@SuppressWarnings("restricted")
public final class IoUring {
    public static final int READV = 1;
    public static final int POLL_ADD = 6;
    public static final int SENDMSG = 9;
    public static final int ACCEPT = 13;
    public static final int ASYNC_CANCEL = 14;
    public static final int CONNECT = 16;
    public static final int READ = 22;
    public static final int WRITE = 23;

    public static final int EBUSY = 16;

    private static final long SIZEOF_SQE = 64;
    private static final long SQE_FD = 4;
    private static final long SQE_OFF = 8;
    private static final long SQE_ADDR = 16;
    private static final long SQE_LEN = 24;
    private static final long SQE_OP_FLAGS = 28;
    private static final long SQE_USER_DATA = 32;
    private static final long SQE_REST = 40;
    private static final long SIZEOF_CQE = 16;
    private static final long CQE_RES = 8;

    private static final int ENTER_GETEVENTS = 1;
    private static final int SQ_CQ_OVERFLOW = 2;
    private static final int SQ_TASKRUN = 4;
    private static final int REGISTER_EVENTFD = 4;
    private static final int REGISTER_ENABLE_RINGS = 12;

    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;
    private static final VarHandle INDEX = INT.varHandle();

    private final int fd;
    private final boolean tellsOfWork;
    private final MemorySegment ring;
    private final MemorySegment sqes;
    private final long sqHead;
    private final long sqTail;
    private final long sqFlags;
    private final int sqEntries;
    private final long cqHead;
    private final long cqTail;
    private final long cqes;
    private final int cqMask;
    /** Where this side is; the kernel is told later. */
    private int submitted;
    private int fetched;
    private boolean closed;

    private IoUring(int fd, IoUringSetup made, MemorySegment rings, MemorySegment entries) {
        this.fd = fd;
        this.tellsOfWork = made.tellsOfWork();
        this.ring = rings;
        this.sqes = entries;
        this.sqHead = made.sq(IoUringSetup.SQ_HEAD);
        this.sqTail = made.sq(IoUringSetup.SQ_TAIL);
        this.sqFlags = made.sq(IoUringSetup.SQ_FLAGS);
        this.sqEntries = made.sqEntries();
        this.cqHead = made.cq(IoUringSetup.CQ_HEAD);
        this.cqTail = made.cq(IoUringSetup.CQ_TAIL);
        this.cqes = made.cq(IoUringSetup.CQ_CQES);
        this.cqMask = made.cqEntries() - 1;
        long array = made.sq(IoUringSetup.SQ_ARRAY);
        for (int i = 0; i < sqEntries; i++) { // entry i of the queue is always request i
            ring.set(INT, array + (long) i * Integer.BYTES, i);
        }
    }

    /**
     * Makes a ring of {@code submissions} entries that are told to the kernel at a time, and {@code completions} that it may tell
     * of before it keeps them elsewhere; both a power of two.
     *
     * @throws IoUringException if the kernel has no io_uring, does not allow it, or lacks something that is needed
     */
    public static IoUring open(int submissions, int completions) {
        IoUringSetup setup = IoUringSetup.open(submissions, completions);
        MemorySegment rings = null;
        try {
            rings = setup.mapRings();
            return new IoUring(setup.fd(), setup, rings, setup.mapEntries());
        } catch (RuntimeException e) {
            if (rings != null) {
                Mappings.unmap(rings);
            }
            LibC.close(setup.fd());
            throw e;
        }
    }

    /** Makes the calling thread the one that submits. Before it, nothing can be submitted. */
    public int enable() {
        return IoUringSetup.register(fd, REGISTER_ENABLE_RINGS, MemorySegment.NULL, 0);
    }

    /**
     * Has the kernel write to an eventfd(2) when there are completions, or work that would bring some. The descriptor of a ring
     * with IORING_SETUP_DEFER_TASKRUN does not become readable for the latter.
     */
    public int notify(int eventFd) {
        try (Arena arena = Arena.ofConfined()) {
            return IoUringSetup.register(fd, REGISTER_EVENTFD, arena.allocateFrom(INT, eventFd), 1);
        }
    }

    /** Whether {@link #prepare} has room for another request. */
    public boolean hasRoom() {
        return submitted - (int) INDEX.getAcquire(ring, sqHead) < sqEntries;
    }

    /**
     * Adds a request. What {@code address} points to has to stay as it is until the request completes.
     *
     * @param operation one of the constants
     * @param offset what the operation takes there: a position, the length of an address
     * @param flags what the operation takes there: message flags, events to poll for
     * @param data comes back with the completion
     */
    public void prepare(int operation, int target, long offset, long address, int length, int flags, long data) {
        long at = (submitted & (sqEntries - 1)) * SIZEOF_SQE;
        sqes.set(INT, at, operation); // and no flags, and no priority
        sqes.set(INT, at + SQE_FD, target);
        sqes.set(LONG, at + SQE_OFF, offset);
        sqes.set(LONG, at + SQE_ADDR, address);
        sqes.set(INT, at + SQE_LEN, length);
        sqes.set(INT, at + SQE_OP_FLAGS, flags);
        sqes.set(LONG, at + SQE_USER_DATA, data);
        for (long rest = at + SQE_REST; rest < at + SIZEOF_SQE; rest += Long.BYTES) {
            sqes.set(LONG, rest, 0);
        }
        submitted++;
    }

    /** Whether {@link #enter} would submit anything, or bring completions that the kernel still holds back. No system call. */
    public boolean hasWork() {
        int flags = (int) INDEX.getAcquire(ring, sqFlags);
        return submitted != (int) INDEX.getAcquire(ring, sqHead) || (flags & (SQ_CQ_OVERFLOW | SQ_TASKRUN)) != 0 || !tellsOfWork;
    }

    /** Whether {@link #next} has a completion. */
    public boolean hasCompletions() {
        return fetched != (int) INDEX.getAcquire(ring, cqTail);
    }

    /**
     * io_uring_enter(2): submits what was prepared, and waits until there are {@code completions} that {@link #next} has not
     * taken. 0 waits for none, and only has the kernel do what it has put off.
     */
    public int enter(int completions) {
        INDEX.setRelease(ring, sqTail, submitted);
        return IoUringSetup.enter(fd, submitted - (int) INDEX.getAcquire(ring, sqHead), completions, ENTER_GETEVENTS);
    }

    /** The data of the next completion, whose result is {@link #result}. Only if {@link #hasCompletions}. */
    public long next() {
        return ring.get(LONG, cqes + (fetched & cqMask) * SIZEOF_CQE);
    }

    /** The result of the completion that {@link #next} shows: zero or more, or the negated errno. */
    public int result() {
        return ring.get(INT, cqes + (fetched & cqMask) * SIZEOF_CQE + CQE_RES);
    }

    /** Gives the entry of that completion back to the kernel. */
    public void advance() {
        fetched++;
        INDEX.setRelease(ring, cqHead, fetched);
    }

    /**
     * Gives everything back, once. Nothing else may be called then. The kernel cancels what is outstanding, but perhaps after
     * this returns: whose memory it may still write to has to be cancelled before.
     */
    public void close() {
        if (!closed) {
            closed = true;
            LibC.close(fd);
            Mappings.unmap(ring);
            Mappings.unmap(sqes);
        }
    }
}
