// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.ffm.fabric;

import io.reactivenetio.ffm.RawMemory;
import io.reactivenetio.ffm.SockAddr;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/** An endpoint that listens: connection requests arrive as FI_CONNREQ on its event queue; fi_cm(3). One thread. */
public final class FiPassiveEndpoint extends Fid {
    private final String where;

    FiPassiveEndpoint(FiFunctions functions, long address, String where) {
        super(functions, address);
        this.where = where;
    }

    public void bind(FiEventQueue queue) {
        bindTo(queue, 0);
    }

    /** Starts listening. Bind first. */
    public void listen() {
        long self = open();
        check("fi_listen on " + where, FiCalls.call(RawMemory.function(self, FiLayout.PEP_CM, FiLayout.OPS_CM_LISTEN), self));
    }

    /** The address it listens at, with the port that port 0 became; null if it is not an IP address. */
    public @Nullable InetSocketAddress name() {
        long self = open();
        return address(this, RawMemory.function(self, FiLayout.PEP_CM, FiLayout.OPS_CM_GETNAME), "fi_getname on " + where);
    }

    /**
     * Refuses the connection request {@code handle}, from {@link FiInfo#handle()}, once; {@code data} reaches the peer's
     * error event.
     */
    public void reject(long handle, byte... data) {
        long self = open();
        if (handle == 0) {
            throw new IllegalArgumentException("no connection request");
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment parameter = arena.allocateFrom(ValueLayout.JAVA_BYTE, data);
            check("fi_reject on " + where, FiCalls.call(RawMemory.function(self, FiLayout.PEP_CM, FiLayout.OPS_CM_REJECT), self,
                    handle, data.length == 0 ? 0 : parameter.address(), data.length));
        }
    }

    /** Calls getname or getpeer. */
    static @Nullable InetSocketAddress address(Fid endpoint, MemorySegment function, String operation) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment struct = arena.allocate(SockAddr.LARGEST, 8);
            MemorySegment length = arena.allocateFrom(ValueLayout.JAVA_LONG, SockAddr.LARGEST);
            endpoint.check(operation, FiCalls.call(function, endpoint.open(), struct.address(), length.address()));
            return SockAddr.decode(struct.asSlice(0, Math.min(SockAddr.LARGEST, length.get(ValueLayout.JAVA_LONG, 0))));
        }
    }
}
