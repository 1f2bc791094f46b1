// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.ffm;

import java.lang.foreign.AddressLayout;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * The socket functions of libc, for non-blocking stream sockets. Like {@link LibC}: each returns a value of zero or more, or
 * the negated errno; nothing is thrown, and nothing is allocated except for addresses. Any thread.
 */
public final class Sockets {
    public static final int AF_UNIX = 1;
    public static final int AF_INET = 2;
    public static final int AF_INET6 = 10;
    public static final int SOL_SOCKET = 1;
    public static final int SO_REUSEADDR = 2;
    public static final int SO_ERROR = 4;
    public static final int SO_KEEPALIVE = 9;
    public static final int SO_RCVTIMEO = 20;
    public static final int SO_ACCEPTCONN = 30;
    public static final int IPPROTO_TCP = 6;
    public static final int TCP_NODELAY = 1;
    public static final int TCP_KEEPIDLE = 4;
    public static final int TCP_KEEPINTVL = 5;
    public static final int TCP_KEEPCNT = 6;
    public static final int SHUT_WR = 1;

    public static final int ENOENT = 2;
    public static final int EAGAIN = 11;
    public static final int EPIPE = 32;
    public static final int EPROTO = 71;
    public static final int EADDRINUSE = 98;
    public static final int ECONNABORTED = 103;
    public static final int ECONNRESET = 104;
    public static final int ECONNREFUSED = 111;
    public static final int EINPROGRESS = 115;

    private static final int SOCK_STREAM = 1;
    public static final int SOCK_NONBLOCK = 0x800;
    public static final int SOCK_CLOEXEC = 0x80000;
    public static final int MSG_NOSIGNAL = 0x4000;
    private static final long SIOCOUTQ = 0x5411;

    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;
    private static final AddressLayout PTR = ValueLayout.ADDRESS;

    private static final MethodHandle SOCKET = LibC.bind("socket", FunctionDescriptor.of(INT, INT, INT, INT));
    private static final MethodHandle BIND = LibC.bind("bind", FunctionDescriptor.of(INT, INT, PTR, INT));
    private static final MethodHandle LISTEN = LibC.bind("listen", FunctionDescriptor.of(INT, INT, INT));
    private static final MethodHandle ACCEPT4 = LibC.bind("accept4", FunctionDescriptor.of(INT, INT, PTR, PTR, INT));
    private static final MethodHandle CONNECT = LibC.bind("connect", FunctionDescriptor.of(INT, INT, PTR, INT));
    private static final MethodHandle GETSOCKNAME = LibC.bind("getsockname", FunctionDescriptor.of(INT, INT, PTR, PTR));
    private static final MethodHandle GETPEERNAME = LibC.bind("getpeername", FunctionDescriptor.of(INT, INT, PTR, PTR));
    private static final MethodHandle SETSOCKOPT =
            LibC.bind("setsockopt", FunctionDescriptor.of(INT, INT, INT, INT, PTR, INT));
    private static final MethodHandle GETSOCKOPT =
            LibC.bind("getsockopt", FunctionDescriptor.of(INT, INT, INT, INT, PTR, PTR));
    private static final MethodHandle SHUTDOWN = LibC.bind("shutdown", FunctionDescriptor.of(INT, INT, INT));
    private static final MethodHandle READV = LibC.bind("readv", FunctionDescriptor.of(LONG, INT, PTR, INT));
    private static final MethodHandle SENDMSG = LibC.bind("sendmsg", FunctionDescriptor.of(LONG, INT, PTR, INT));
    private static final MethodHandle IOCTL = LibC.bindVariadic("ioctl", FunctionDescriptor.of(INT, INT, LONG, PTR), 2);

    private static final long LENGTH_AT = 8;

    /** Per thread: an int at 0 and a socklen_t at 8, or a timeval. */
    private static final ThreadLocal<MemorySegment> SCRATCH = ThreadLocal.withInitial(() -> Arena.ofAuto().allocate(16, 16));
    private static final ThreadLocal<MessageHeader> MESSAGE = ThreadLocal.withInitial(MessageHeader::new);

    private Sockets() {
    }

    /** socket(2): a non-blocking, close-on-exec stream socket of the address's family. */
    public static int socket(SocketAddress address) {
        int family = address instanceof InetSocketAddress inet
                ? SockAddr.size(inet) == SockAddrLayout.SIZEOF_SIN6 ? AF_INET6 : AF_INET : AF_UNIX;
        MemorySegment captured = LibC.CAPTURED.get();
        try {
            return LibC.result((int) SOCKET.invokeExact(captured, family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0),
                    captured);
        } catch (Throwable t) {
            throw LibC.unexpected(t);
        }
    }

    /** bind(2). */
    public static int bind(int fd, SocketAddress address) {
        MemorySegment captured = LibC.CAPTURED.get();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment struct = encode(arena, address);
            return LibC.result((int) BIND.invokeExact(captured, fd, struct, (int) struct.byteSize()), captured);
        } catch (Throwable t) {
            throw LibC.unexpected(t);
        }
    }

    /** A socket address struct, of exactly its size, that lives as long as {@code arena}. */
    public static MemorySegment encode(Arena arena, SocketAddress address) {
        if (address instanceof UnixDomainSocketAddress unix) {
            MemorySegment struct = arena.allocate(UnixSockAddr.size(unix), 8);
            UnixSockAddr.encode(unix, struct);
            return struct;
        }
        InetSocketAddress inet = (InetSocketAddress) address;
        MemorySegment struct = arena.allocate(SockAddr.size(inet), 8);
        SockAddr.encode(inet, struct);
        return struct;
    }

    /** listen(2). */
    public static int listen(int fd, int backlog) {
        MemorySegment captured = LibC.CAPTURED.get();
        try {
            return LibC.result((int) LISTEN.invokeExact(captured, fd, backlog), captured);
        } catch (Throwable t) {
            throw LibC.unexpected(t);
        }
    }

    /** accept4(2): the new descriptor, non-blocking and close-on-exec. */
    public static int accept(int fd) {
        MemorySegment captured = LibC.CAPTURED.get();
        try {
            return LibC.result((int) ACCEPT4.invokeExact(captured, fd, MemorySegment.NULL, MemorySegment.NULL,
                    SOCK_NONBLOCK | SOCK_CLOEXEC), captured);
        } catch (Throwable t) {
            throw LibC.unexpected(t);
        }
    }

    /** connect(2); -EINPROGRESS when the answer comes later. */
    public static int connect(int fd, MemorySegment address) {
        MemorySegment captured = LibC.CAPTURED.get();
        try {
            return LibC.result((int) CONNECT.invokeExact(captured, fd, address, (int) address.byteSize()), captured);
        } catch (Throwable t) {
            throw LibC.unexpected(t);
        }
    }

    /** getsockname(2), or null. */
    public static @Nullable SocketAddress localAddress(int fd) {
        return name(GETSOCKNAME, fd);
    }

    /** getpeername(2), or null if it has none any more. */
    public static @Nullable SocketAddress peerAddress(int fd) {
        return name(GETPEERNAME, fd);
    }

    private static @Nullable SocketAddress name(MethodHandle function, int fd) {
        MemorySegment captured = LibC.CAPTURED.get();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment struct = arena.allocate(SockAddr.LARGEST, 8);
            MemorySegment length = arena.allocateFrom(INT, (int) SockAddr.LARGEST);
            int result = (int) function.invokeExact(captured, fd, struct, length);
            MemorySegment filled = struct.asSlice(0, Math.min(SockAddr.LARGEST, length.get(INT, 0)));
            if (result < 0) {
                return null;
            }
            return UnixSockAddr.is(filled) ? UnixSockAddr.decode(filled) : SockAddr.decode(filled);
        } catch (Throwable t) {
            throw LibC.unexpected(t);
        }
    }

    /** setsockopt(2) with an int. */
    public static int option(int fd, int level, int name, int value) {
        MemorySegment captured = LibC.CAPTURED.get();
        MemorySegment scratch = SCRATCH.get();
        scratch.set(INT, 0, value);
        try {
            return LibC.result((int) SETSOCKOPT.invokeExact(captured, fd, level, name, scratch, Integer.BYTES), captured);
        } catch (Throwable t) {
            throw LibC.unexpected(t);
        }
    }

    /** setsockopt(2) SO_RCVTIMEO: how long a read of a blocking socket waits, in microseconds, less than a second. */
    public static int receiveTimeout(int fd, int micros) {
        MemorySegment captured = LibC.CAPTURED.get();
        MemorySegment timeval = SCRATCH.get();
        timeval.set(LONG, 0, 0);
        timeval.set(LONG, LENGTH_AT, micros);
        try {
            return LibC.result((int) SETSOCKOPT.invokeExact(captured, fd, SOL_SOCKET, SO_RCVTIMEO, timeval,
                    (int) timeval.byteSize()), captured);
        } catch (Throwable t) {
            throw LibC.unexpected(t);
        }
    }

    /** getsockopt(2) of an option that is an int of zero or more. */
    public static int option(int fd, int level, int name) {
        MemorySegment captured = LibC.CAPTURED.get();
        MemorySegment scratch = SCRATCH.get();
        scratch.set(INT, LENGTH_AT, Integer.BYTES);
        try {
            int result = LibC.result((int) GETSOCKOPT.invokeExact(captured, fd, level, name, scratch,
                    scratch.asSlice(LENGTH_AT, Integer.BYTES)), captured);
            return result < 0 ? result : scratch.get(INT, 0);
        } catch (Throwable t) {
            throw LibC.unexpected(t);
        }
    }

    /** shutdown(2). */
    public static int shutdown(int fd, int how) {
        MemorySegment captured = LibC.CAPTURED.get();
        try {
            return LibC.result((int) SHUTDOWN.invokeExact(captured, fd, how), captured);
        } catch (Throwable t) {
            throw LibC.unexpected(t);
        }
    }

    /** readv(2) into {@code count} entries of an {@link IoVector}. */
    public static long readv(int fd, MemorySegment vector, int count) {
        MemorySegment captured = LibC.CAPTURED.get();
        try {
            return LibC.result((long) READV.invokeExact(captured, fd, vector, count), captured);
        } catch (Throwable t) {
            throw LibC.unexpected(t);
        }
    }

    /** sendmsg(2) of {@code count} entries of an {@link IoVector}; a closed connection is -EPIPE and never a signal. */
    public static long send(int fd, MemorySegment vector, int count) {
        MemorySegment captured = LibC.CAPTURED.get();
        MessageHeader header = MESSAGE.get();
        header.set(vector, count);
        try {
            return LibC.result((long) SENDMSG.invokeExact(captured, fd, header.segment(), MSG_NOSIGNAL), captured);
        } catch (Throwable t) {
            throw LibC.unexpected(t);
        }
    }

    /** ioctl(2) SIOCOUTQ: bytes that were written and that the peer's kernel has not acknowledged. */
    public static int unacknowledged(int fd) {
        MemorySegment captured = LibC.CAPTURED.get();
        MemorySegment scratch = SCRATCH.get();
        try {
            int result = LibC.result((int) IOCTL.invokeExact(captured, fd, SIOCOUTQ, scratch), captured);
            return result < 0 ? result : scratch.get(INT, 0);
        } catch (Throwable t) {
            throw LibC.unexpected(t);
        }
    }
}
