// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.ffm;

import java.lang.foreign.AddressLayout;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;

/**
 * The few functions of libc that the event loop needs. Like a raw system call, each returns a value of zero or more, or the
 * negated errno: nothing is thrown and nothing is allocated per call.
 *
 * <p>Every method may be called from any thread: the captured errno lives in one small segment per thread.
 */
@SuppressWarnings("restricted")
public final class LibC {
    private static final int ENFILE = 23;
    private static final int EMFILE = 24;
    private static final Linker LINKER = Linker.nativeLinker();
    private static final Linker.Option ERRNO = Linker.Option.captureCallState("errno");
    private static final VarHandle ERRNO_VALUE = Linker.Option.captureStateLayout()
            .varHandle(MemoryLayout.PathElement.groupElement("errno"));
    static final ThreadLocal<MemorySegment> CAPTURED =
            ThreadLocal.withInitial(() -> Arena.ofAuto().allocate(Linker.Option.captureStateLayout()));

    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;
    private static final AddressLayout PTR = ValueLayout.ADDRESS;

    private static final MethodHandle EPOLL_CREATE1 = bind("epoll_create1", FunctionDescriptor.of(INT, INT));
    private static final MethodHandle EPOLL_CTL = bind("epoll_ctl", FunctionDescriptor.of(INT, INT, INT, INT, PTR));
    private static final MethodHandle EPOLL_WAIT = bind("epoll_wait", FunctionDescriptor.of(INT, INT, PTR, INT, INT));
    private static final MethodHandle EVENTFD = bind("eventfd", FunctionDescriptor.of(INT, INT, INT));
    private static final MethodHandle TIMERFD_CREATE = bind("timerfd_create", FunctionDescriptor.of(INT, INT, INT));
    private static final MethodHandle TIMERFD_SETTIME =
            bind("timerfd_settime", FunctionDescriptor.of(INT, INT, INT, PTR, PTR));
    private static final MethodHandle READ = bind("read", FunctionDescriptor.of(LONG, INT, PTR, LONG));
    private static final MethodHandle WRITE = bind("write", FunctionDescriptor.of(LONG, INT, PTR, LONG));
    private static final MethodHandle CLOSE = bind("close", FunctionDescriptor.of(INT, INT));
    private static final MethodHandle SETENV = bind("setenv", FunctionDescriptor.of(INT, PTR, PTR, INT));
    private static final MethodHandle STRERROR = plain("strerror", FunctionDescriptor.of(PTR, INT));
    private static final MethodHandle STRDUP = plain("strdup", FunctionDescriptor.of(PTR, PTR));
    private static final MethodHandle DLADDR = plain("dladdr", FunctionDescriptor.of(INT, PTR, PTR));
    /** Where the calling thread's errno is. The name is that of the ABI, with glibc and musl. */
    private static final MethodHandle ERRNO_LOCATION = plain("__errno_location", FunctionDescriptor.of(LONG));
    private static final MethodHandle FREE = plain("free", FunctionDescriptor.ofVoid(PTR));

    public static final int EINTR = 4;
    public static final int EAGAIN = 11;

    public static final int EPOLL_CTL_ADD = 1;
    public static final int EPOLL_CTL_DEL = 2;
    public static final int EPOLL_CTL_MOD = 3;
    public static final int EPOLL_CLOEXEC = 0x80000;
    public static final int EFD_CLOEXEC = 0x80000;
    public static final int EFD_NONBLOCK = 0x800;
    public static final int EFD_SEMAPHORE = 1;
    public static final int TFD_CLOEXEC = 0x80000;
    public static final int TFD_NONBLOCK = 0x800;
    public static final int CLOCK_MONOTONIC = 1;

    private LibC() {
    }

    /** A handle whose first parameter is the segment that errno is captured in. */
    static MethodHandle bind(String name, FunctionDescriptor type) {
        return LINKER.downcallHandle(LINKER.defaultLookup().findOrThrow(name), type, ERRNO);
    }

    /** A handle like {@link #bind}'s of a function whose parameters from number {@code fixed} on are those of an ellipsis. */
    static MethodHandle bindVariadic(String name, FunctionDescriptor type, int fixed) {
        return LINKER.downcallHandle(LINKER.defaultLookup().findOrThrow(name), type, ERRNO,
                Linker.Option.firstVariadicArg(fixed));
    }

    private static MethodHandle plain(String name, FunctionDescriptor type) {
        return LINKER.downcallHandle(LINKER.defaultLookup().findOrThrow(name), type);
    }

    /**
     * Sets the thread's errno to 0, for a native function that is called next and looks at errno though nothing has failed. The
     * JVM may set it again in between, when it stops the thread: that is rare, not impossible.
     */
    public static void clearErrno() {
        try {
            RawMemory.putInt((long) ERRNO_LOCATION.invokeExact(), 0, 0);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    static int result(int value, MemorySegment captured) {
        return value < 0 ? -(int) ERRNO_VALUE.get(captured, 0L) : value;
    }

    static long result(long value, MemorySegment captured) {
        return value < 0 ? -(int) ERRNO_VALUE.get(captured, 0L) : value;
    }

    /** epoll_create1(2). */
    public static int epollCreate1(int flags) {
        MemorySegment captured = CAPTURED.get();
        try {
            return result((int) EPOLL_CREATE1.invokeExact(captured, flags), captured);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    /** epoll_ctl(2). {@code event} has the layout of {@link EpollEvents}, or is NULL for EPOLL_CTL_DEL. */
    public static int epollCtl(int epfd, int op, int fd, MemorySegment event) {
        MemorySegment captured = CAPTURED.get();
        try {
            return result((int) EPOLL_CTL.invokeExact(captured, epfd, op, fd, event), captured);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    /** epoll_wait(2), time-out in milliseconds, -1 for ever. */
    public static int epollWait(int epfd, MemorySegment events, int maxEvents, int timeoutMillis) {
        MemorySegment captured = CAPTURED.get();
        try {
            return result((int) EPOLL_WAIT.invokeExact(captured, epfd, events, maxEvents, timeoutMillis), captured);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    /** eventfd(2). */
    public static int eventfd(int initial, int flags) {
        MemorySegment captured = CAPTURED.get();
        try {
            return result((int) EVENTFD.invokeExact(captured, initial, flags), captured);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    /** timerfd_create(2). */
    public static int timerfdCreate(int clock, int flags) {
        MemorySegment captured = CAPTURED.get();
        try {
            return result((int) TIMERFD_CREATE.invokeExact(captured, clock, flags), captured);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    /** timerfd_settime(2) with a relative time; {@code spec} is a struct itimerspec: interval s, ns, value s, ns (4 x s64). */
    public static int timerfdSettime(int fd, MemorySegment spec) {
        MemorySegment captured = CAPTURED.get();
        try {
            return result((int) TIMERFD_SETTIME.invokeExact(captured, fd, 0, spec, MemorySegment.NULL), captured);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    /** read(2) of at most {@code length} bytes into {@code buffer}. */
    public static long read(int fd, MemorySegment buffer, long length) {
        MemorySegment captured = CAPTURED.get();
        try {
            return result((long) READ.invokeExact(captured, fd, buffer, length), captured);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    /** write(2) of at most {@code length} bytes from {@code buffer}. */
    public static long write(int fd, MemorySegment buffer, long length) {
        MemorySegment captured = CAPTURED.get();
        try {
            return result((long) WRITE.invokeExact(captured, fd, buffer, length), captured);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    /** close(2). The caller vouches that nobody uses the descriptor any more. */
    public static int close(int fd) {
        MemorySegment captured = CAPTURED.get();
        try {
            return result((int) CLOSE.invokeExact(captured, fd), captured);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    /** setenv(3) in the native environment, which System.getenv does not show. */
    public static int setenv(String name, String value, boolean overwrite) {
        MemorySegment captured = CAPTURED.get();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment n = arena.allocateFrom(name);
            MemorySegment v = arena.allocateFrom(value);
            return result((int) SETENV.invokeExact(captured, n, v, overwrite ? 1 : 0), captured);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    /** A copy of {@code text} from malloc, for structs whose owner calls free() on it. */
    static MemorySegment strdup(String text) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment source = arena.allocateFrom(text);
            MemorySegment copy = (MemorySegment) STRDUP.invokeExact(source);
            if (copy.address() == 0) {
                throw new OutOfMemoryError("strdup");
            }
            return copy;
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    /** free(3). */
    public static void free(MemorySegment address) {
        try {
            FREE.invokeExact(address);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    /** The file that the function at {@code address} was loaded from, dladdr(3); "" if that is not known. */
    public static String fileOf(MemorySegment address) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment info = arena.allocate(4 * PTR.byteSize(), PTR.byteAlignment()); // struct Dl_info: the name comes first
            int found = (int) DLADDR.invokeExact(address, info);
            return found == 0 ? "" : cString(info.get(PTR, 0));
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    /** The text of an errno, given as a positive or negated number. */
    public static String strerror(int errno) {
        try {
            return cString((MemorySegment) STRERROR.invokeExact(Math.abs(errno)));
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    /**
     * What to do about an errno that means a limit, positive or negated, after {@code "; "}. Empty if it means none. It
     * is here because no class could be loaded when it is needed.
     */
    public static String limitHint(long errno) {
        if (Math.abs(errno) == EMFILE) {
            return "; the process may have no more open files: raise ulimit -n";
        }
        return Math.abs(errno) == ENFILE ? "; the system may have no more open files: raise fs.file-max" : "";
    }

    /** The NUL-terminated string at {@code address}; "" for NULL. */
    public static String cString(MemorySegment address) {
        return address.address() == 0 ? "" : address.reinterpret(Integer.MAX_VALUE).getString(0);
    }

    /** A downcall declares Throwable but throws only errors and unchecked exceptions of the binding itself. */
    public static RuntimeException unexpected(Throwable t) {
        if (t instanceof RuntimeException e) {
            return e;
        }
        if (t instanceof Error e) {
            throw e;
        }
        return new IllegalStateException(t);
    }
}
