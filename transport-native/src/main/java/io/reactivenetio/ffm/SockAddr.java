// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.ffm;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * Translates {@code struct sockaddr_in} and {@code sockaddr_in6} (ip(7), ipv6(7)) from and to Java's addresses, scope
 * included.
 */
public final class SockAddr {
    /** Large enough for any socket address: the size of {@code struct sockaddr_storage}. */
    public static final long LARGEST = 128;

    private static final ValueLayout.OfShort FAMILY = ValueLayout.JAVA_SHORT_UNALIGNED;
    private static final ValueLayout.OfShort PORT = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfInt SCOPE = ValueLayout.JAVA_INT_UNALIGNED;

    private SockAddr() {
    }

    /** The address in {@code struct}, or null for another family or a truncated struct. */
    public static @Nullable InetSocketAddress decode(MemorySegment struct) {
        if (struct.byteSize() < SockAddrLayout.SIZEOF_SIN) {
            return null;
        }
        int family = struct.get(FAMILY, 0);
        int port = Short.toUnsignedInt(struct.get(PORT, SockAddrLayout.SIN_PORT));
        try {
            if (family == SockAddrLayout.AF_INET) {
                return new InetSocketAddress(InetAddress.getByAddress(bytes(struct, SockAddrLayout.SIN_ADDR, 4)), port);
            }
            if (family == SockAddrLayout.AF_INET6 && struct.byteSize() >= SockAddrLayout.SIZEOF_SIN6) {
                byte[] address = bytes(struct, SockAddrLayout.SIN6_ADDR, 16);
                int scope = struct.get(SCOPE, SockAddrLayout.SIN6_SCOPE_ID);
                InetAddress decoded = scope == 0 ? InetAddress.getByAddress(address)
                        : Inet6Address.getByAddress(null, address, scope);
                return new InetSocketAddress(decoded, port);
            }
            return null;
        } catch (UnknownHostException e) {
            throw new IllegalStateException(e);
        }
    }

    private static byte[] bytes(MemorySegment struct, long offset, int length) {
        return struct.asSlice(offset, length).toArray(ValueLayout.JAVA_BYTE);
    }

    /** The size in bytes of the struct for {@code address}, which must be resolved. */
    public static long size(InetSocketAddress address) {
        return resolved(address) instanceof Inet6Address ? SockAddrLayout.SIZEOF_SIN6 : SockAddrLayout.SIZEOF_SIN;
    }

    /** Fills {@code struct}, which is zeroed and of at least {@link #size} bytes. */
    public static void encode(InetSocketAddress address, MemorySegment struct) {
        InetAddress ip = resolved(address);
        boolean v6 = ip instanceof Inet6Address;
        struct.set(FAMILY, 0, (short) (v6 ? SockAddrLayout.AF_INET6 : SockAddrLayout.AF_INET));
        struct.set(PORT, SockAddrLayout.SIN_PORT, (short) address.getPort());
        byte[] raw = ip.getAddress();
        long at = v6 ? SockAddrLayout.SIN6_ADDR : SockAddrLayout.SIN_ADDR;
        MemorySegment.copy(raw, 0, struct, ValueLayout.JAVA_BYTE, at, raw.length);
        if (ip instanceof Inet6Address scoped) {
            struct.set(SCOPE, SockAddrLayout.SIN6_SCOPE_ID, scoped.getScopeId());
        }
    }

    private static InetAddress resolved(InetSocketAddress address) {
        InetAddress ip = address.getAddress();
        if (ip == null) {
            throw new IllegalArgumentException("unresolved address " + address);
        }
        return ip;
    }

    /** host:port without a reverse look-up, for messages. */
    public static String text(@Nullable InetSocketAddress address) {
        if (address == null || address.getAddress() == null) {
            return String.valueOf(address);
        }
        String host = address.getAddress().getHostAddress();
        return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + address.getPort();
    }
}
