// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.ffm;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.UnixDomainSocketAddress;
import java.nio.charset.Charset;

/** Translates {@code struct sockaddr_un} (unix(7)) from and to Java's addresses. */
public final class UnixSockAddr {
    /** How many bytes a path may have, besides the zero byte behind it. */
    public static final int LONGEST_PATH = 107;

    private static final int PATH = 2;
    private static final ValueLayout.OfShort FAMILY = ValueLayout.JAVA_SHORT_UNALIGNED;
    /** In which the JDK names files. */
    private static final Charset FILES = Charset.forName(System.getProperty("sun.jnu.encoding", "UTF-8"));

    private UnixSockAddr() {
    }

    /** The bytes of the path, as the kernel takes them. */
    public static byte[] path(UnixDomainSocketAddress address) {
        return address.getPath().toString().getBytes(FILES);
    }

    /** Returns whether {@code struct}, as far as the kernel has filled it, is of this family. */
    static boolean is(MemorySegment struct) {
        return struct.byteSize() >= PATH && struct.get(FAMILY, 0) == Sockets.AF_UNIX;
    }

    /** The address in {@code struct}; the path is empty if the socket has no name, or one that is no file's. */
    static UnixDomainSocketAddress decode(MemorySegment struct) {
        byte[] path = struct.asSlice(PATH).toArray(ValueLayout.JAVA_BYTE);
        int length = 0;
        while (length < path.length && path[length] != 0) {
            length++;
        }
        return UnixDomainSocketAddress.of(new String(path, 0, length, FILES));
    }

    static long size(UnixDomainSocketAddress address) {
        return PATH + path(address).length + 1L;
    }

    /** Fills {@code struct}, which is zeroed and of {@link #size} bytes. */
    static void encode(UnixDomainSocketAddress address, MemorySegment struct) {
        byte[] path = path(address);
        struct.set(FAMILY, 0, (short) Sockets.AF_UNIX);
        MemorySegment.copy(path, 0, struct, ValueLayout.JAVA_BYTE, PATH, path.length);
    }
}
