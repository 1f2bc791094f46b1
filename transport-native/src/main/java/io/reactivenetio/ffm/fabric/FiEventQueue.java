// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.ffm.fabric;

import io.reactivenetio.ffm.LibC;
import io.reactivenetio.ffm.RawMemory;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.ref.Reference;
import org.jspecify.annotations.Nullable;

/** The queue of connection events; fi_eq(3). One thread. The event last read stays readable until the next read. */
public final class FiEventQueue extends FiQueue {
    /** libfabric's providers carry at most 256 bytes of connection data. */
    private static final long LARGEST_EVENT = FiLayout.EQ_CM_DATA + 1024;

    private final MemorySegment read;
    private final MemorySegment readError;
    private final MemorySegment kind = memory.allocate(ValueLayout.JAVA_LONG);
    private final MemorySegment entry = memory.allocate(LARGEST_EVENT, 8);
    private int event = -1;
    private long size;
    private @Nullable FiInfo info;

    FiEventQueue(FiFunctions functions, long address) {
        super(functions, address);
        this.read = RawMemory.function(address, FiLayout.EQ_OPS, FiLayout.OPS_EQ_READ);
        this.readError = RawMemory.function(address, FiLayout.EQ_OPS, FiLayout.OPS_EQ_READERR);
    }

    /**
     * Reads one event. On tcp this is also what makes connections progress.
     *
     * @return the event ({@code Fi.FI_CONNREQ}, FI_CONNECTED, FI_SHUTDOWN, …), -FI_EAGAIN if there is none, -FI_EAVAIL if
     *     {@link #readError()} has one, or another negated error
     */
    public int read() {
        long self = open();
        dropInfo();
        long result;
        // Up to 2.1, tcp takes whatever errno says for the reason when a peer closes without having said anything, and forgets
        // the socket if that is EAGAIN (prov/tcp/src/tcpx_conn_mgr.c:90, xnet_cm.c xnet_recv_cm_msg; upstream 86ae6d745).
        LibC.clearErrno();
        try {
            result = FiCalls.readEvent(read, self, kind.address(), entry.address(), LARGEST_EVENT);
        } finally {
            Reference.reachabilityFence(this);
        }
        if (result < 0) {
            event = -1;
            size = 0;
            return (int) result;
        }
        event = kind.get(ValueLayout.JAVA_INT, 0);
        size = result;
        long address = event == Fi.FI_CONNREQ ? entry.get(ValueLayout.JAVA_LONG, FiLayout.EQ_CM_INFO) : 0;
        info = address == 0 ? null : new FiInfo(functions, address, data());
        return event;
    }

    /** The event last read, or -1. */
    public int event() {
        return event;
    }

    /**
     * The {@link Fid#address()} of the object that the event is about: the listener for FI_CONNREQ, otherwise the
     * endpoint.
     */
    public long fid() {
        return size < Long.BYTES ? 0 : entry.get(ValueLayout.JAVA_LONG, FiLayout.EQ_CM_FID);
    }

    /** The connection request of an FI_CONNREQ event, now owned by the caller; null for other events and the second time. */
    public @Nullable FiInfo takeInfo() {
        FiInfo taken = info;
        info = null;
        return taken;
    }

    /** A copy of the peer's connection data. May be padded: a protocol that uses it carries a length of its own. */
    public byte[] data() {
        if (size <= FiLayout.EQ_CM_DATA) {
            return new byte[0];
        }
        return entry.asSlice(FiLayout.EQ_CM_DATA, size - FiLayout.EQ_CM_DATA).toArray(ValueLayout.JAVA_BYTE);
    }

    /** Takes the error that {@link #read()} announced; null if there is none. The object is reused. */
    public @Nullable FiError readError() {
        if (!fillErrorEntry(readError)) {
            return null;
        }
        error.event(errorEntry.get(ValueLayout.JAVA_LONG, FiLayout.EQ_ERR_FID),
                errorEntry.get(ValueLayout.JAVA_LONG, FiLayout.EQ_ERR_CONTEXT));
        error.codes(errorEntry.get(ValueLayout.JAVA_INT, FiLayout.EQ_ERR_ERR),
                errorEntry.get(ValueLayout.JAVA_INT, FiLayout.EQ_ERR_PROV_ERRNO));
        return error;
    }

    private void dropInfo() {
        FiInfo untaken = takeInfo();
        if (untaken != null) {
            untaken.close();
        }
    }

    @Override
    public void close() {
        dropInfo();
        super.close();
    }
}
