// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.tcp;

import io.reactivenetio.ffm.LibC;
import io.reactivenetio.ffm.Sockets;
import io.reactivenetio.loop.DelayedTask;
import io.reactivenetio.loop.LoopIo;
import io.reactivenetio.transport.SendCompletion;
import io.reactivenetio.transport.backend.Addresses;
import io.reactivenetio.transport.backend.ConnectionParameters;
import io.reactivenetio.transport.backend.ListenEndpoint;
import io.reactivenetio.transport.backend.OtherProtocol;
import io.reactivenetio.transport.backend.SendStatus;
import io.reactivenetio.transport.base.BackendContext;
import io.reactivenetio.transport.base.EndpointBase;
import io.reactivenetio.transport.base.ListenerBase;
import io.reactivenetio.transport.base.receive.ReceiveShare;
import io.reactivenetio.transport.base.receive.ReceiveSlot;
import io.reactivenetio.transport.base.receive.SharedReceivePools;
import io.reactivenetio.transport.base.send.GatherPool;
import io.reactivenetio.transport.base.send.GatherSlot;
import io.reactivenetio.transport.base.send.SendOperation;
import io.reactivenetio.transport.base.send.SendSlot;
import io.reactivenetio.transport.exceptions.NetioConnectException;
import io.reactivenetio.transport.exceptions.NetioException;
import io.reactivenetio.transport.exceptions.NetioProtocolException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** One connection over a TCP socket. Confined to its loop. */
final class TcpEndpoint extends EndpointBase implements MessageReader.Owner, MessageWriter.Owner {
    /** What the first bytes of a peer's handshake are as a length, docs/wire-format.md. */
    private static final int STREAM_HANDSHAKE = 0xff4f494e;

    private static final int NO_FD = -1;
    private static final int READS_PER_TURN = 8;
    /** After a write failed, how long a receiver without free buffers has to fetch what had arrived before. */
    private static final long GRACE_MILLIS = 2_000;
    /** How long to wait before one connects again to a Unix socket whose queue is full. */
    private static final long FULL_MILLIS = 10;

    private final BackendContext context;
    private final SharedReceivePools<TcpEndpoint, SharedReceives> sharedReceives;
    private final ConnectionParameters parameters;
    private final MessageWriter writer;
    private final DeliveryQueue deliveries;
    private @Nullable MessageReader reader;
    private @Nullable SharedReceives shared;
    private int fd = NO_FD;
    private LoopIo.@Nullable Handle io;
    /** The handshake, as long as it lasts, on the side that connects. */
    private @Nullable DataExchange exchange;
    /** The listener that has accepted it. */
    private @Nullable ListenerBase<?> listener;
    private int writeError;
    private @Nullable DelayedTask graceTimer;

    /** {@code poller} and {@code sharedReceives}: those of all connections of the context. */
    TcpEndpoint(BackendContext context, DeliveryPoller poller, SharedReceivePools<TcpEndpoint, SharedReceives> sharedReceives,
            SocketAddress remote, @Nullable ListenEndpoint parent, ConnectionParameters parameters) {
        super(context, remote, parent, parameters);
        this.context = context;
        this.sharedReceives = sharedReceives;
        this.parameters = parameters;
        GatherPool gathers = gathers();
        int most = sendBuffers() + (gathers == null ? 0 : gathers.slots());
        this.deliveries = new DeliveryQueue(this, poller, most);
        this.writer = new MessageWriter(this, most, deliveries, context.loop());
    }

    // ---- how it begins

    void connect(SocketAddress address) {
        int socket = Sockets.socket(address);
        if (socket < 0) {
            throw new NetioConnectException("cannot connect to " + Addresses.format(address) + ": "
                    + LibC.strerror(socket) + LibC.limitHint(socket), null);
        }
        MemorySegment to = Sockets.encode(Arena.ofAuto(), address);
        if (address instanceof UnixDomainSocketAddress unix) {
            connect(socket, unix, to);
        } else {
            open(socket).connect(to, this::connected);
        }
    }

    /** The kernel answers at once. If too many wait to be accepted it says so, and there is no event for when that is over. */
    private void connect(int socket, UnixDomainSocketAddress address, MemorySegment to) {
        int result = Sockets.connect(socket, to);
        if (result == -Sockets.EAGAIN) {
            LibC.close(socket);
            context.after(FULL_MILLIS, TimeUnit.MILLISECONDS, () -> closeOnFailure(() -> {
                if (isOpening()) {
                    connect(address);
                }
            }));
            return;
        }
        open(socket);
        connected(result);
    }

    private void connected(long result) {
        String address = Addresses.format(handle().remoteAddress());
        if (result == -Sockets.ECONNREFUSED || result == -Sockets.ENOENT || result == 0 && connectedToItself()) {
            close(new NetioConnectException("nobody listens on " + address + ": "
                    + LibC.strerror(result == 0 ? -Sockets.ECONNREFUSED : (int) result), null));
        } else if (result < 0) {
            close(new NetioConnectException("connecting to " + address + " failed: " + LibC.strerror((int) result), null));
        } else {
            begin();
        }
    }

    /** TCP can meet itself when nobody listens on a port that is free for outgoing connections. */
    private boolean connectedToItself() {
        SocketAddress local = Sockets.localAddress(fd);
        return local instanceof InetSocketAddress && local.equals(Sockets.peerAddress(fd));
    }

    /** Takes the socket over, whatever happens: nobody else may close it, because its number may be in use again by then. */
    void accepted(AcceptedSocket socket, ListenerBase<?> from) {
        listener = from;
        LoopIo.Handle handle = open(socket.fd());
        handle().peerSaid(socket.peerData());
        closeOnFailure(() -> start(handle, socket.first()));
    }

    private LoopIo.Handle open(int socket) {
        fd = socket;
        deliveries.start(socket);
        TcpSocket.configure(socket);
        LoopIo.Handle handle = context.loop().io().open(socket, READS_PER_TURN);
        io = handle;
        return handle;
    }

    private void begin() {
        LoopIo.Handle handle = io;
        if (handle == null || !isOpening()) {
            return;
        }
        if (parameters.data().isEmpty()) {
            closeOnFailure(() -> start(handle, null));
        } else {
            closeOnFailure(() -> {
                DataExchange begun = new DataExchange(handle, parameters.data(), peerData -> {
                    exchange = null;
                    handle().peerSaid(peerData);
                    closeOnFailure(() -> start(handle, null));
                }, problem -> close(new NetioConnectException("the handshake with "
                        + Addresses.format(handle().remoteAddress()) + " failed: " + problem, null)));
                exchange = begun;
                begun.start();
            });
        }
    }

    @Override
    protected String lateHint() {
        DataExchange begun = exchange;
        return begun == null ? "" : begun.hint();
    }

    /** Closes the endpoint if there is no memory for the step, or no room in epoll: nobody else would close it. */
    private void closeOnFailure(Runnable step) {
        try {
            step.run();
        } catch (RuntimeException | OutOfMemoryError e) {
            close(e instanceof NetioException known ? known
                    : new NetioException(handle() + " could not be made: " + e.getMessage(), e));
        }
    }

    private void start(LoopIo.Handle handle, @Nullable ByteBuffer first) {
        MessageReader starting = reader();
        reader = starting;
        handle().boundTo(Sockets.localAddress(fd));
        established();
        writer.start(handle);
        starting.start(handle, first);
    }

    private MessageReader reader() {
        if (context.bufferPolicy().sharesReceives(parameters)) {
            SharedReceives joined = sharedReceives.join(this, handle().listenEndpoint(),
                    () -> new SharedReceives(context, parameters));
            shared = joined;
            receiveFrom(joined.pool(), new ReceiveShare(this::onTurn));
        }
        return new MessageReader(this, receives(), share(), context.loop());
    }

    private void onTurn() {
        MessageReader reading = reader;
        if (reading != null && !isClosed()) {
            reading.onTurn();
        }
    }

    // ---- buffers

    @Override
    protected SendStatus post(SendSlot slot, SendCompletion level) {
        writer.enqueue(slot);
        return SendStatus.OK;
    }

    @Override
    protected SendStatus post(GatherSlot slot, SendCompletion level) {
        writer.enqueue(slot);
        return SendStatus.OK;
    }

    @Override
    protected void onReceiveBufferFree() {
        MessageReader reading = reader;
        if (reading != null) {
            reading.resume();
        }
    }

    @Override
    protected int creditsPosted() {
        MessageReader reading = reader;
        return reading == null ? 0 : receives().available() + reading.taken();
    }

    @Override
    protected int arrivedInPart() {
        MessageReader reading = reader;
        return reading == null ? 0 : reading.arrivedInPart();
    }

    // ---- what the reader and the writer report

    @Override
    public void received(ReceiveSlot slot, int length) {
        deliver(slot, length);
    }

    @Override
    public void tooLarge(int announced, ByteBuffer bytes) {
        if (announced == STREAM_HANDSHAKE) {
            close(new NetioProtocolException(Addresses.format(handle().remoteAddress()) + " uses STREAM framing, and this side"
                    + " does not: configure framing(Framing.stream()) here, or the framing of this side there", null));
            return;
        }
        String hint = OtherProtocol.hint(bytes);
        closeForTooLarge(Integer.toUnsignedString(announced), !hint.isEmpty() ? hint : announced < 0
                ? ": no peer of this backend sends such. Another protocol, or a framing with a handshake? Configure both alike"
                : ": use larger receive buffers, or smaller messages on the other side");
    }

    @Override
    public void otherProtocol(ByteBuffer bytes) {
        close(new NetioProtocolException("the first bytes of " + Addresses.format(handle().remoteAddress()) + " are no message"
                + OtherProtocol.hint(bytes), null));
    }

    @Override
    public void waitsForBuffer() {
        SharedReceives joined = shared;
        if (joined != null) {
            joined.onWaiting();
        }
    }

    /** Whether its reader waits for one of the shared buffers. */
    boolean isWaiting() {
        MessageReader reading = reader;
        return reading != null && reading.isWaiting();
    }

    /** Whether its peer has left a message unfinished in a shared buffer for longer than {@code nanos}. */
    boolean stalls(long nanos) {
        MessageReader reading = reader;
        return reading != null && reading.stalls(nanos);
    }

    @Override
    public void sent(SendOperation message) {
        switch (message) {
            case SendSlot slot -> sendCompleted(slot.key());
            case GatherSlot slot -> sendCompleted(slot);
        }
    }

    @Override
    public void batchSent() {
        offerResources();
    }

    /** Acknowledgements arrive with data, so this is a good moment to look for them. */
    @Override
    public void batchReceived() {
        deliveries.dataArrived();
    }

    @Override
    public void readEnded(@Nullable NetioException problem) {
        boolean closedByPeer = writeError == 0 || writeError == Sockets.EPIPE;
        close(problem != null || closedByPeer ? problem : TcpSocket.failure(handle(), writeError));
    }

    /**
     * The peer takes nothing more, and so the connection is over, but what arrived from it before comes first: the reader will
     * find the end, at once unless it waits for buffers.
     */
    @Override
    public void writeFailed(int errno) {
        writeError = errno;
        graceTimer = context.after(GRACE_MILLIS, TimeUnit.MILLISECONDS, () -> close(TcpSocket.failure(handle(), errno)));
    }

    // ---- the end

    @Override
    protected void releaseAll(boolean established) {
        DelayedTask waiting = graceTimer;
        if (waiting != null) {
            waiting.cancel();
        }
        LoopIo.Handle open = io;
        if (open != null) {
            deliveries.close(); // what was acknowledged meanwhile is told as completed, not as cancelled
            writer.close();
            open.close();
            TcpSocket.finish(fd);
        }
        MessageReader reading = reader;
        if (reading != null) {
            reading.close();
        }
        SharedReceives joined = shared;
        if (joined != null) {
            sharedReceives.leave(this, joined);
        }
        ListenerBase<?> from = listener;
        if (from != null) {
            from.released(handle().remoteAddress());
        }
    }
}
