// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.ffm.fabric;

import io.reactivenetio.ffm.LibC;
import io.reactivenetio.ffm.RawMemory;
import io.reactivenetio.ffm.SockAddr;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A {@code struct fi_info}: what is asked of {@code fi_getinfo} (hints) or one of its answers; see fi_getinfo(3).
 * Answers form a list. The head owns the list and frees it once, by {@link #close()}; the others are views on it, whose
 * close() does nothing and which throw once the head is closed. Sizes are in bytes, {@code txSize} and {@code rxSize} in
 * operations.
 *
 * <p>Used by one thread at a time; may be handed from the thread that looked it up to the loop.
 */
public final class FiInfo implements AutoCloseable {
    private final FiFunctions functions;
    private final @Nullable FiInfo head;
    private final long address;
    private byte[] connectionData = {};
    private boolean closed;

    FiInfo(FiFunctions functions, long address) {
        this(functions, null, address);
    }

    /** Wraps the fi_info of a connection request that came with {@code data}. */
    FiInfo(FiFunctions functions, long address, byte[] data) {
        this(functions, null, address);
        connectionData = data;
    }

    private FiInfo(FiFunctions functions, @Nullable FiInfo head, long address) {
        this.functions = functions;
        this.head = head;
        this.address = address;
    }

    /** New empty hints, owned by the caller. */
    static FiInfo hints(FiFunctions functions) {
        return new FiInfo(functions, functions.duplicateInfo(0));
    }

    /** The head of the list of answers of fi_getinfo(3), owned by the caller. Throws FabricException if there is none. */
    static FiInfo answers(FiFunctions functions, @Nullable String node, @Nullable String service, long flags, FiInfo hints) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment n = node == null ? MemorySegment.NULL : arena.allocateFrom(node);
            MemorySegment s = service == null ? MemorySegment.NULL : arena.allocateFrom(service);
            MemorySegment out = arena.allocate(ValueLayout.JAVA_LONG);
            int code = functions.getInfo(n.address(), s.address(), flags, hints.address(), out.address());
            functions.check("fi_getinfo for " + (node == null ? "any address" : node)
                    + (service == null ? "" : " port " + service), code);
            long list = out.get(ValueLayout.JAVA_LONG, 0);
            if (list == 0) {
                throw new FabricException("fi_getinfo", "no answer", Fi.FI_ENODATA);
            }
            return new FiInfo(functions, list);
        }
    }

    /** The struct's address, checked. */
    long address() {
        if (isClosed()) {
            throw new IllegalStateException("fi_info is closed");
        }
        return address;
    }

    /** What came with a connection request. May be padded. */
    public byte[] connectionData() {
        return connectionData.clone();
    }

    public boolean isClosed() {
        return head == null ? closed : head.closed;
    }

    /** Frees the whole list when this is its head. Idempotent. */
    @Override
    public void close() {
        if (head == null && !closed) {
            closed = true;
            functions.freeInfo(address);
        }
    }

    /** The next answer, as a view, or null at the end. */
    public @Nullable FiInfo next() {
        long next = field(FiLayout.INFO_NEXT);
        return next == 0 ? null : new FiInfo(functions, head == null ? this : head, next);
    }

    /** This answer and all that follow, as views except for a head. */
    public List<FiInfo> list() {
        List<FiInfo> all = new ArrayList<>();
        for (FiInfo info = this; info != null; info = info.next()) {
            all.add(info);
        }
        return all;
    }

    /** A copy of this single answer which the caller owns, by fi_dupinfo(3). */
    public FiInfo copy() {
        return new FiInfo(functions, functions.duplicateInfo(address()));
    }

    public String providerName() {
        return RawMemory.text(RawMemory.getLong(fabric(), FiLayout.FABRIC_PROV_NAME));
    }

    /** Returns the version as fi_info(1) shows it: 117.0 of tcp in libfabric 1.17.0. */
    public String providerVersion() {
        int version = RawMemory.getInt(fabric(), FiLayout.FABRIC_PROV_VERSION);
        return (version >>> 16) + "." + (version & 0xffff);
    }

    public String fabricName() {
        return RawMemory.text(RawMemory.getLong(fabric(), FiLayout.FABRIC_NAME));
    }

    public String domainName() {
        return RawMemory.text(RawMemory.getLong(domain(), FiLayout.DOMAIN_NAME));
    }

    public int endpointType() {
        return RawMemory.getInt(endpoint(), FiLayout.EP_TYPE);
    }

    /** The largest message in bytes; Long.MAX_VALUE for "no limit", which tcp says. */
    public long maxMsgSize() {
        long size = RawMemory.getLong(endpoint(), FiLayout.EP_MAX_MSG_SIZE);
        return size < 0 ? Long.MAX_VALUE : size;
    }

    public long caps() {
        return field(FiLayout.INFO_CAPS);
    }

    /** The local address, or null if there is none or it is not an IP address. */
    public @Nullable InetSocketAddress srcAddress() {
        return socketAddress(FiLayout.INFO_SRC_ADDR, FiLayout.INFO_SRC_ADDRLEN);
    }

    /** The address of the peer, or null if there is none or it is not an IP address. */
    public @Nullable InetSocketAddress destAddress() {
        return socketAddress(FiLayout.INFO_DEST_ADDR, FiLayout.INFO_DEST_ADDRLEN);
    }

    public long txSize() {
        return RawMemory.getLong(transmit(), FiLayout.TX_SIZE);
    }

    public long rxSize() {
        return RawMemory.getLong(receive(), FiLayout.RX_SIZE);
    }

    public long txIovLimit() {
        return RawMemory.getLong(transmit(), FiLayout.TX_IOV_LIMIT);
    }

    public int mrMode() {
        return RawMemory.getInt(domain(), FiLayout.DOMAIN_MR_MODE);
    }

    /** The connection request of an FI_CONNREQ answer, for {@link FiPassiveEndpoint#reject}; otherwise 0. */
    public long handle() {
        return field(FiLayout.INFO_HANDLE);
    }

    /** Whether endpoints opened from this take their receives from a {@link FiSharedReceive}. */
    public boolean isSharedReceiveContext() {
        return RawMemory.getLong(endpoint(), FiLayout.EP_RX_CTX_CNT) == Fi.FI_SHARED_CONTEXT;
    }

    public FiInfo caps(long caps) {
        RawMemory.putLong(address(), FiLayout.INFO_CAPS, caps);
        return this;
    }

    public FiInfo mode(long mode) {
        RawMemory.putLong(address(), FiLayout.INFO_MODE, mode);
        return this;
    }

    public FiInfo endpointType(int type) {
        RawMemory.putInt(endpoint(), FiLayout.EP_TYPE, type);
        return this;
    }

    public FiInfo addrFormat(int format) {
        RawMemory.putInt(address(), FiLayout.INFO_ADDR_FORMAT, format);
        return this;
    }

    public FiInfo providerName(String name) {
        RawMemory.replaceText(fabric(), FiLayout.FABRIC_PROV_NAME, name);
        return this;
    }

    public FiInfo domainName(String name) {
        RawMemory.replaceText(domain(), FiLayout.DOMAIN_NAME, name);
        return this;
    }

    public FiInfo mrMode(int mode) {
        RawMemory.putInt(domain(), FiLayout.DOMAIN_MR_MODE, mode);
        return this;
    }

    public FiInfo threading(int threading) {
        RawMemory.putInt(domain(), FiLayout.DOMAIN_THREADING, threading);
        return this;
    }

    public FiInfo txSize(long operations) {
        RawMemory.putLong(transmit(), FiLayout.TX_SIZE, operations);
        return this;
    }

    /**
     * Endpoints opened from this take their receives from a {@link FiSharedReceive}, which they are bound to. Set it in the
     * answer, or the connection request, that the endpoint is opened from; not in hints, which would narrow the answers.
     */
    public FiInfo sharedReceiveContext() {
        RawMemory.putLong(endpoint(), FiLayout.EP_RX_CTX_CNT, Fi.FI_SHARED_CONTEXT);
        return this;
    }

    /** The local address to use, port 0 for any. */
    public FiInfo srcAddress(InetSocketAddress source) {
        putSocketAddress(FiLayout.INFO_SRC_ADDR, FiLayout.INFO_SRC_ADDRLEN, source);
        return this;
    }

    /** The address of the peer. */
    public FiInfo destAddress(InetSocketAddress destination) {
        putSocketAddress(FiLayout.INFO_DEST_ADDR, FiLayout.INFO_DEST_ADDRLEN, destination);
        return this;
    }

    private void putSocketAddress(long addressField, long lengthField, InetSocketAddress value) {
        long info = address();
        long length = SockAddr.size(value);
        long struct = RawMemory.calloc(length);
        SockAddr.encode(value, RawMemory.bytes(struct, length));
        LibC.free(MemorySegment.ofAddress(RawMemory.getLong(info, addressField)));
        RawMemory.putLong(info, addressField, struct);
        RawMemory.putLong(info, lengthField, length);
    }

    private @Nullable InetSocketAddress socketAddress(long addressField, long lengthField) {
        long struct = field(addressField);
        return struct == 0 ? null : SockAddr.decode(RawMemory.bytes(struct, field(lengthField)));
    }

    /** The peer's raw address for fi_connect. */
    long destination() {
        return field(FiLayout.INFO_DEST_ADDR);
    }

    private long field(long offset) {
        return RawMemory.getLong(address(), offset);
    }

    private long transmit() {
        return field(FiLayout.INFO_TX_ATTR);
    }

    /** The struct fi_rx_attr. */
    long receive() {
        return field(FiLayout.INFO_RX_ATTR);
    }

    private long endpoint() {
        return field(FiLayout.INFO_EP_ATTR);
    }

    private long domain() {
        return field(FiLayout.INFO_DOMAIN_ATTR);
    }

    long fabric() {
        return field(FiLayout.INFO_FABRIC_ATTR);
    }

    @Override
    public String toString() {
        return isClosed() ? "fi_info (closed)" : providerName() + " " + domainName() + " "
                + SockAddr.text(srcAddress()) + " -> " + SockAddr.text(destAddress());
    }
}
