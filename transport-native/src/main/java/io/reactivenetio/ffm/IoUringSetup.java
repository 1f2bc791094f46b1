// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.ffm;

import java.io.IOException;
import java.lang.foreign.AddressLayout;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Makes rings: struct io_uring_params, what the kernel can do, and words for what it refuses. */
final class IoUringSetup {
    // The numbers of these calls are the same on all processors that have got them since they are common ones.
    private static final long SYS_IO_URING_SETUP = 425;
    private static final long SYS_IO_URING_ENTER = 426;
    private static final long SYS_IO_URING_REGISTER = 427;

    private static final long SIZEOF_PARAMS = 120;
    private static final long PARAMS_SQ_ENTRIES = 0;
    private static final long PARAMS_CQ_ENTRIES = 4;
    private static final long PARAMS_FLAGS = 8;
    private static final long PARAMS_FEATURES = 20;
    private static final long PARAMS_SQ_OFF = 40;
    private static final long PARAMS_CQ_OFF = 80;
    static final long SQ_HEAD = 0;
    static final long SQ_TAIL = 4;
    static final long SQ_FLAGS = 16;
    static final long SQ_ARRAY = 24;
    static final long CQ_HEAD = 0;
    static final long CQ_TAIL = 4;
    static final long CQ_CQES = 20;
    private static final long SIZEOF_SQE = 64;
    private static final long SIZEOF_CQE = 16;

    private static final int SETUP_CQSIZE = 8;
    private static final int SETUP_R_DISABLED = 0x40;
    private static final int SETUP_COOP_TASKRUN = 0x100;
    private static final int SETUP_TASKRUN_FLAG = 0x200;
    private static final int SETUP_SINGLE_ISSUER = 0x1000;
    private static final int SETUP_DEFER_TASKRUN = 0x2000;
    /** The best first; each kernel refuses what it does not know. */
    private static final List<Integer> MODES = List.of(SETUP_SINGLE_ISSUER | SETUP_DEFER_TASKRUN | SETUP_TASKRUN_FLAG,
            SETUP_COOP_TASKRUN | SETUP_TASKRUN_FLAG, 0);

    private static final int FEAT_SINGLE_MMAP = 1;
    private static final int FEAT_NODROP = 2;
    private static final int FEAT_SUBMIT_STABLE = 4;
    private static final int FEAT_FAST_POLL = 0x20;
    private static final int FEATURES = FEAT_SINGLE_MMAP | FEAT_NODROP | FEAT_SUBMIT_STABLE | FEAT_FAST_POLL;

    private static final int REGISTER_PROBE = 8;
    private static final long SIZEOF_PROBE = 16;
    private static final long PROBE_OPS_LEN = 1;
    private static final long SIZEOF_PROBE_OP = 8;
    private static final long PROBE_OP_FLAGS = 2;
    private static final int PROBED = 64;
    private static final int OP_SUPPORTED = 1;
    private static final List<Integer> NEEDED = List.of(IoUring.READV, IoUring.POLL_ADD, IoUring.SENDMSG, IoUring.ACCEPT,
            IoUring.ASYNC_CANCEL, IoUring.CONNECT, IoUring.READ, IoUring.WRITE);

    private static final long OFF_RINGS = 0;
    private static final long OFF_SQES = 0x10000000;
    private static final int EPERM = 1;
    private static final int EACCES = 13;
    private static final int ENOMEM = 12;
    private static final int EINVAL = 22;
    private static final int ENOSYS = 38;
    private static final Path DISABLED = Path.of("/proc/sys/kernel/io_uring_disabled");

    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;
    private static final AddressLayout PTR = ValueLayout.ADDRESS;
    private static final MethodHandle SETUP = LibC.bindVariadic("syscall", FunctionDescriptor.of(LONG, LONG, INT, PTR), 1);
    private static final MethodHandle ENTER =
            LibC.bindVariadic("syscall", FunctionDescriptor.of(LONG, LONG, INT, INT, INT, INT, PTR, LONG), 1);
    private static final MethodHandle REGISTER =
            LibC.bindVariadic("syscall", FunctionDescriptor.of(LONG, LONG, INT, INT, PTR, INT), 1);

    private final int fd;
    private final MemorySegment params;

    private IoUringSetup(int fd, MemorySegment params) {
        this.fd = fd;
        this.params = params;
    }

    static IoUringSetup open(int submissions, int completions) {
        IoUringSetup made = setUp(submissions, completions);
        try {
            made.requireAll();
        } catch (RuntimeException e) {
            LibC.close(made.fd);
            throw e;
        }
        return made;
    }

    private static IoUringSetup setUp(int submissions, int completions) {
        int result = -EINVAL;
        for (int i = 0; i < MODES.size() && result == -EINVAL; i++) {
            MemorySegment params = Arena.ofAuto().allocate(SIZEOF_PARAMS, 8);
            params.set(INT, PARAMS_FLAGS, MODES.get(i) | SETUP_CQSIZE | SETUP_R_DISABLED);
            params.set(INT, PARAMS_CQ_ENTRIES, completions);
            MemorySegment captured = LibC.CAPTURED.get();
            try {
                result = (int) LibC.result((long) SETUP.invokeExact(captured, SYS_IO_URING_SETUP, submissions, params), captured);
            } catch (Throwable t) {
                throw LibC.unexpected(t);
            }
            if (result >= 0) {
                return new IoUringSetup(result, params);
            }
        }
        throw new IoUringException("io_uring_setup: " + LibC.strerror(result) + refusal(-result));
    }

    /** What somebody can do about it. */
    private static String refusal(int errno) {
        return switch (errno) {
            case EPERM, EACCES -> ". " + forbidden();
            case ENOSYS -> ". This kernel has none, or the seccomp profile of a container hides it: allow io_uring_setup,"
                    + " io_uring_enter and io_uring_register there, or use epoll";
            case ENOMEM -> ". Kernels before 5.12 count rings as locked memory: raise ulimit -l, or use epoll";
            case EINVAL -> ". This kernel is too old (5.10 is needed): use epoll";
            default -> "";
        };
    }

    private static String forbidden() {
        String value;
        try {
            value = Files.readString(DISABLED).strip();
        } catch (IOException e) {
            value = "0";
        }
        return value.equals("0")
                ? "The seccomp profile of a container forbids it: allow io_uring_setup, io_uring_enter and io_uring_register"
                        + " there, or use epoll"
                : "The system forbids it: sysctl kernel.io_uring_disabled is " + value + ", set it to 0, or use epoll";
    }

    private void requireAll() {
        int missing = FEATURES & ~params.get(INT, PARAMS_FEATURES);
        if (missing != 0) {
            throw new IoUringException("io_uring of this kernel lacks features 0x" + Integer.toHexString(missing)
                    + ": use a newer one (5.10 or later), or epoll");
        }
        MemorySegment probe = Arena.ofAuto().allocate(SIZEOF_PROBE + PROBED * SIZEOF_PROBE_OP, 8);
        int result = register(fd, REGISTER_PROBE, probe, PROBED);
        if (result < 0) {
            throw new IoUringException("io_uring_register: " + LibC.strerror(result)
                    + ": use a kernel of 5.10 or later, or epoll");
        }
        int known = Byte.toUnsignedInt(probe.get(ValueLayout.JAVA_BYTE, PROBE_OPS_LEN));
        for (int operation : NEEDED) {
            long flags = SIZEOF_PROBE + operation * SIZEOF_PROBE_OP + PROBE_OP_FLAGS;
            if (operation >= known || (probe.get(ValueLayout.JAVA_SHORT, flags) & OP_SUPPORTED) == 0) {
                throw new IoUringException("io_uring of this kernel lacks operation " + operation
                        + ": use a newer one (5.10 or later), or epoll");
            }
        }
    }

    int fd() {
        return fd;
    }

    /** Whether the kernel says in memory that it has put work off, so that nobody has to ask. */
    boolean tellsOfWork() {
        return (params.get(INT, PARAMS_FLAGS) & SETUP_TASKRUN_FLAG) != 0;
    }

    int sqEntries() {
        return params.get(INT, PARAMS_SQ_ENTRIES);
    }

    int cqEntries() {
        return params.get(INT, PARAMS_CQ_ENTRIES);
    }

    /** Where in the rings a field of the submission queue is. */
    long sq(long field) {
        return Integer.toUnsignedLong(params.get(INT, PARAMS_SQ_OFF + field));
    }

    long cq(long field) {
        return Integer.toUnsignedLong(params.get(INT, PARAMS_CQ_OFF + field));
    }

    MemorySegment mapRings() {
        long size = Math.max(sq(SQ_ARRAY) + (long) sqEntries() * Integer.BYTES, cq(CQ_CQES) + cqEntries() * SIZEOF_CQE);
        return Mappings.map(fd, OFF_RINGS, size);
    }

    MemorySegment mapEntries() {
        return Mappings.map(fd, OFF_SQES, sqEntries() * SIZEOF_SQE);
    }

    static int enter(int fd, int submissions, int completions, int flags) {
        MemorySegment captured = LibC.CAPTURED.get();
        try {
            return (int) LibC.result((long) ENTER.invokeExact(captured, SYS_IO_URING_ENTER, fd, submissions, completions, flags,
                    MemorySegment.NULL, 0L), captured);
        } catch (Throwable t) {
            throw LibC.unexpected(t);
        }
    }

    static int register(int fd, int operation, MemorySegment argument, int count) {
        MemorySegment captured = LibC.CAPTURED.get();
        try {
            return (int) LibC.result((long) REGISTER.invokeExact(captured, SYS_IO_URING_REGISTER, fd, operation, argument, count),
                    captured);
        } catch (Throwable t) {
            throw LibC.unexpected(t);
        }
    }
}
