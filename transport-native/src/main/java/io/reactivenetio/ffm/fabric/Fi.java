// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.ffm.fabric;

/**
 * The numbers of libfabric's headers ({@code rdma/fabric.h}, {@code fi_errno.h}, {@code fi_eq.h}) that this library
 * uses, under their own names; the same from version 1.14 to 2.6. Error codes are positive here; functions return them
 * negated. A test compares every one with the installed headers.
 */
public final class Fi {
    // Capabilities and operation flags, fi_getinfo(3) and fi_endpoint(3).
    public static final long FI_MSG = 1L << 1;
    public static final long FI_RMA = 1L << 2;
    public static final long FI_RECV = 1L << 10;
    public static final long FI_SEND = 1L << 11;
    public static final long FI_TRANSMIT = FI_SEND;
    public static final long FI_COMPLETION = 1L << 24;
    public static final long FI_TRANSMIT_COMPLETE = 1L << 27;
    public static final long FI_DELIVERY_COMPLETE = 1L << 28;
    public static final long FI_NUMERICHOST = 1L << 55;
    public static final long FI_SOURCE = 1L << 57;
    public static final long FI_CONTEXT = 1L << 59;
    public static final long FI_CONTEXT2 = 1L << 52;

    // Endpoint types.
    public static final int FI_EP_MSG = 1;
    public static final int FI_EP_RDM = 3;
    /** The number of receive contexts that stands for a shared one. */
    static final long FI_SHARED_CONTEXT = -1L;

    // Address formats.
    public static final int FI_SOCKADDR_IN = 2;
    public static final int FI_SOCKADDR_IN6 = 3;

    // Memory registration modes, fi_mr(3).
    public static final int FI_MR_LOCAL = 1 << 2;
    public static final int FI_MR_VIRT_ADDR = 1 << 4;
    public static final int FI_MR_ALLOCATED = 1 << 5;
    public static final int FI_MR_PROV_KEY = 1 << 6;

    // Domain attributes, fi_domain(3).
    public static final int FI_THREAD_DOMAIN = 3;

    // Events of an event queue, fi_eq(3).
    public static final int FI_CONNREQ = 1;
    public static final int FI_CONNECTED = 2;
    public static final int FI_SHUTDOWN = 3;

    // Queue attributes.
    static final int FI_CQ_FORMAT_MSG = 2;
    static final int FI_WAIT_NONE = 0;
    static final int FI_WAIT_FD = 3;

    // Commands of fi_control(3).
    static final int FI_GETWAIT = 5;
    static final int FI_ENABLE = 6;

    // What fi_tostr(3) is to tell.
    static final int FI_TYPE_VERSION = 18;

    // Errors.
    public static final int FI_EIO = 5;
    public static final int FI_EAGAIN = 11;
    public static final int FI_EBUSY = 16;
    public static final int FI_ENODEV = 19;
    public static final int FI_ENODATA = 61;
    public static final int FI_EADDRINUSE = 98;
    public static final int FI_ECONNRESET = 104;
    public static final int FI_ENOTCONN = 107;
    public static final int FI_ECONNREFUSED = 111;
    public static final int FI_ECANCELED = 125;
    public static final int FI_EOTHER = 256;
    public static final int FI_EAVAIL = 259;
    public static final int FI_ETRUNC = 265;
    public static final int FI_ENOKEY = 266;

    private Fi() {
    }
}
