// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.ffm.fabric;

import io.reactivenetio.ffm.RawMemory;
import io.reactivenetio.ffm.SockAddr;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.ref.Reference;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * One end of a connection; fi_endpoint(3), fi_cm(3), fi_msg(3). One thread. In order: bind an event queue and completion
 * queues, {@link #enable()}, post receives, connect or accept, wait for FI_CONNECTED.
 *
 * <p>{@link #recv}, {@link #send} and {@link #sendMessage} are the data path: they return 0 or a negated error, allocate
 * nothing, and take raw addresses. The buffer and its registration stay valid until the operation completes.
 */
public final class FiEndpoint extends Fid {
    private final Fid domain;
    /** The message for the sends of one span. */
    private final FiMessage single = new FiMessage(1);
    private final boolean shares;
    private final boolean writes;
    private final long mostSpans;
    private @Nullable FiSharedReceive shared;
    /** The address once enabled, 0 before that and after close: one check on the data path serves both. */
    private long enabled;
    private MemorySegment recv = MemorySegment.NULL;
    private MemorySegment send = MemorySegment.NULL;
    private MemorySegment sendMessage = MemorySegment.NULL;

    /** Wraps an endpoint of {@code domain}, a {@link FiDomain}. */
    FiEndpoint(FiFunctions functions, Fid domain, long address, FiInfo info) {
        super(functions, address);
        this.domain = domain;
        this.shares = info.isSharedReceiveContext();
        this.writes = (info.caps() & Fi.FI_RMA) != 0;
        this.mostSpans = Math.max(1, info.txIovLimit());
    }

    public void bind(FiEventQueue queue) {
        bindTo(queue, 0);
    }

    /** Binds the queue for completions of FI_TRANSMIT, FI_RECV or both, as {@code flags} say. */
    public void bind(FiCompletionQueue queue, long flags) {
        bindTo(queue, flags);
    }

    /**
     * Takes all receives from {@code context} instead of its own. Before {@link #enable()}; the context is closed after the
     * endpoint.
     *
     * @throws IllegalArgumentException if the context belongs to another domain
     * @throws IllegalStateException if the info the endpoint was opened from had no {@link FiInfo#sharedReceiveContext()}, or
     *     a context is bound already
     */
    public void bind(FiSharedReceive context) {
        if (context.domain() != domain) {
            throw new IllegalArgumentException(context + " belongs to another domain than " + this);
        }
        if (!shares || shared != null) {
            throw new IllegalStateException(shares ? this + " is bound to " + shared + " already"
                    : this + " has receives of its own: open it from an info with sharedReceiveContext()");
        }
        bindTo(context, 0);
        shared = context;
        context.endpointBound();
    }

    /** fi_enable: receives may be posted from here on. */
    public void enable() {
        if (shares && shared == null) {
            throw new IllegalStateException(this + " was opened for shared receives: bind a FiSharedReceive first");
        }
        check("fi_enable", control(Fi.FI_ENABLE, 0));
        readTable();
    }

    /** Providers may exchange the table when the endpoint is enabled or connected. */
    private void readTable() {
        long self = open();
        recv = RawMemory.function(self, FiLayout.EP_MSG, FiLayout.OPS_MSG_RECV);
        send = RawMemory.function(self, FiLayout.EP_MSG, FiLayout.OPS_MSG_SEND);
        sendMessage = RawMemory.function(self, FiLayout.EP_MSG, FiLayout.OPS_MSG_SENDMSG);
        enabled = self;
    }

    /**
     * Starts to connect to the destination of {@code info}, from fi_getinfo. FI_CONNECTED or an error follows on the
     * event queue.
     */
    public void connect(FiInfo info, byte... data) {
        long destination = info.destination();
        if (destination == 0) {
            throw new IllegalArgumentException("no destination in " + info);
        }
        connect(destination, "fi_connect to " + SockAddr.text(info.destAddress()), data);
    }

    /** Starts to connect to {@code address}. FI_CONNECTED or an error follows on the event queue. */
    public void connect(InetSocketAddress address, byte... data) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment struct = arena.allocate(SockAddr.LARGEST, 8);
            SockAddr.encode(address, struct);
            connect(struct.address(), "fi_connect to " + SockAddr.text(address), data);
        }
    }

    private void connect(long destination, String operation, byte[] data) {
        long self = open();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment parameter = arena.allocateFrom(ValueLayout.JAVA_BYTE, data);
            check(operation, FiCalls.call(connectionManager(FiLayout.OPS_CM_CONNECT), self, destination,
                    data.length == 0 ? 0 : parameter.address(), data.length));
        }
        readTable();
    }

    /** Accepts the connection request that the endpoint was opened for. FI_CONNECTED or an error follows. */
    public void accept(byte... data) {
        long self = open();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment parameter = arena.allocateFrom(ValueLayout.JAVA_BYTE, data);
            check("fi_accept", FiCalls.call(connectionManager(FiLayout.OPS_CM_ACCEPT), self,
                    data.length == 0 ? 0 : parameter.address(), data.length));
        }
        readTable();
    }

    /** fi_shutdown. FI_ENOTCONN, when the connection is already gone, is no error. */
    public void shutdown() {
        int code = FiCalls.call(connectionManager(FiLayout.OPS_CM_SHUTDOWN), open(), 0);
        if (code != -Fi.FI_ENOTCONN) {
            check("fi_shutdown", code);
        }
    }

    /** The local address; null if it is not an IP address. */
    public @Nullable InetSocketAddress name() {
        return FiPassiveEndpoint.address(this, connectionManager(FiLayout.OPS_CM_GETNAME), "fi_getname");
    }

    /** The address of the peer; null if it is not an IP address. */
    public @Nullable InetSocketAddress peer() {
        return FiPassiveEndpoint.address(this, connectionManager(FiLayout.OPS_CM_GETPEER), "fi_getpeer");
    }

    private MemorySegment connectionManager(long offset) {
        return RawMemory.function(open(), FiLayout.EP_CM, offset);
    }

    /**
     * Posts a receive of at most {@code length} bytes. 0, -FI_EAGAIN if the queue of receives is full, or another
     * negated error.
     *
     * @throws IllegalStateException if the endpoint takes its receives from a {@link FiSharedReceive}
     */
    public int recv(long address, long length, long descriptor, long context) {
        long self = enabled();
        if (shares) {
            throw new IllegalStateException(this + " takes its receives from " + shared + ": post them there");
        }
        return (int) FiCalls.post(recv, self, address, length, descriptor, context);
    }

    /** Posts a send. 0, -FI_EAGAIN if the queue of sends is full (tcp never says so), or another negated error. */
    public int send(long address, long length, long descriptor, long context) {
        return (int) FiCalls.post(send, enabled(), address, length, descriptor, context);
    }

    /**
     * Posts a send with flags of its own, which replace the endpoint's: FI_COMPLETION and, say, FI_DELIVERY_COMPLETE. 0,
     * -FI_EAGAIN, or another negated error.
     */
    public int sendMessage(long address, long length, long descriptor, long context, long flags) {
        return post(single.clear().add(address, length, descriptor), context, flags);
    }

    /**
     * Posts a send of a message that is gathered from several spans and arrives as one. The spans stay valid until the send
     * completes; {@code message} itself is free again when this returns.
     *
     * @throws IllegalArgumentException if it has no span, or more than {@link FiInfo#txIovLimit()} of the info that the
     *     endpoint was opened from
     */
    public int sendMessage(FiMessage message, long context, long flags) {
        int count = message.count();
        if (count == 0 || count > mostSpans) {
            throw new IllegalArgumentException(count == 0 ? "a message without spans"
                    : "a message of " + count + " spans, and the provider takes at most " + mostSpans + ": copy some together");
        }
        return post(message, context, flags);
    }

    private int post(FiMessage message, long context, long flags) {
        long self = enabled();
        try {
            return (int) FiCalls.transfer(sendMessage, self, message.prepare(context), flags);
        } finally {
            Reference.reachabilityFence(message);
        }
    }

    /**
     * Posts a write of no bytes, which needs no receive and no memory of the peer, and completes once the peer's network card has
     * acknowledged it: a question whether it is there. fi_rma(3). 0, -FI_EAGAIN, or another negated error.
     *
     * @param address of a buffer of ours, with its descriptor; it is not read
     * @throws IllegalStateException if the info the endpoint was opened from had no FI_RMA among its capabilities
     */
    public int writeNothing(long address, long descriptor, long context) {
        long self = enabled();
        if (!writes) {
            throw new IllegalStateException(this + " was opened without FI_RMA");
        }
        MemorySegment write = RawMemory.function(self, FiLayout.EP_RMA, FiLayout.OPS_RMA_WRITE);
        return (int) FiCalls.writeNothing(write, self, address, descriptor, context);
    }

    private long enabled() {
        long self = enabled;
        if (self == 0) {
            throw new IllegalStateException(this + (isClosed() ? " is closed" : " is not enabled"));
        }
        return self;
    }

    @Override
    public void close() {
        enabled = 0;
        if (isClosed()) {
            return;
        }
        try {
            super.close();
        } finally {
            FiSharedReceive context = shared;
            if (isClosed() && context != null) {
                context.endpointClosed();
            }
        }
    }
}
