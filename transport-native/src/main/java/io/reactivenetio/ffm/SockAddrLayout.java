// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.ffm;

/** Offsets and sizes of struct sockaddr_in and sockaddr_in6, and their families. */
public final class SockAddrLayout {
    static final long SIN_PORT = 2;
    static final long SIN_ADDR = 4;
    static final long SIZEOF_SIN = 16;
    static final long SIN6_ADDR = 8;
    static final long SIN6_SCOPE_ID = 24;
    static final long SIZEOF_SIN6 = 28;
    static final long AF_INET = 2;
    static final long AF_INET6 = 10;

    private SockAddrLayout() {
    }
}
