// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.tcp;

import io.reactivenetio.ffm.LibC;
import io.reactivenetio.ffm.Sockets;
import io.reactivenetio.loop.LoopIo;
import io.reactivenetio.transport.backend.Addresses;
import io.reactivenetio.transport.backend.BackendChooser;
import io.reactivenetio.transport.backend.ConnectionData;
import io.reactivenetio.transport.backend.ConnectionParameters;
import io.reactivenetio.transport.backend.ListenEndpoint;
import io.reactivenetio.transport.base.ListenerBase;
import io.reactivenetio.transport.exceptions.NetioBindException;
import java.io.IOException;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A listening socket. It accepts connections up to a limit, with buffers of its own for each. If there is connection data, or the
 * peer speaks first, an accepted socket becomes a connection when that has arrived. Confined to its loop.
 */
final class TcpListener extends ListenerBase<TcpBackend> implements LoopIo.Completion, Handshakes.Owner {
    /**
     * Peers that wait to be accepted; the kernel takes net.core.somaxconn at most, 4096 by default. Beyond that it drops what
     * asks to connect, and the peer's kernel asks again only after 1, 3 and 7 s.
     */
    private static final int BACKLOG = 4096;
    private static final int ACCEPTS_PER_TURN = 16;
    private static final long PAUSE_MILLIS = 100;
    private static final int NONE = -1;
    private static final UnixDomainSocketAddress UNNAMED = UnixDomainSocketAddress.of("");

    private final int fd;
    private final @Nullable SocketFile file;
    private final ListenEndpoint handle;
    private final LoopIo.Handle io;
    private final Handshakes handshakes;
    /** Whether an accept is under way. */
    private boolean accepting;
    /**
     * A socket that was accepted, or NONE. It waits while there is no room for its handshake, and while the last place is being
     * taken: its peer must hear nothing before that is decided, because it would take what it hears for a connection.
     */
    private int parked = NONE;
    private boolean waitingForRoom;
    private boolean warned;

    private TcpListener(TcpBackend backend, int fd, SocketAddress bound, ConnectionParameters parameters,
            @Nullable Object attachment, BackendChooser chooser) {
        super(backend, TcpBackend.class, parameters, chooser);
        this.fd = fd;
        this.file = bound instanceof UnixDomainSocketAddress unix ? SocketFile.of(unix) : null;
        this.handle = new ListenEndpoint(bound, this, attachment);
        this.handshakes = new Handshakes(backend.context(), parameters, handle.turns(), this);
        this.io = backend.loop().io().open(fd, ACCEPTS_PER_TURN);
    }

    static TcpListener open(TcpBackend backend, SocketAddress address, ConnectionParameters parameters,
            @Nullable Object attachment, BackendChooser chooser) {
        int fd = Sockets.socket(address);
        int result = fd;
        if (result >= 0) {
            Sockets.option(fd, Sockets.SOL_SOCKET, Sockets.SO_REUSEADDR, 1);
            result = Sockets.bind(fd, address);
            if (result == -Sockets.EADDRINUSE && address instanceof UnixDomainSocketAddress unix
                    && SocketFile.deleteStale(unix)) {
                result = Sockets.bind(fd, address);
            }
        }
        if (result >= 0) {
            result = Sockets.listen(fd, BACKLOG);
        }
        if (result < 0) {
            if (fd >= 0) {
                LibC.close(fd);
            }
            throw new NetioBindException("cannot listen on " + Addresses.format(address) + ": " + LibC.strerror(result)
                    + LibC.limitHint(result), null);
        }
        SocketAddress bound = Sockets.localAddress(fd);
        TcpListener listener = new TcpListener(backend, fd, bound != null ? bound : address, parameters, attachment,
                chooser);
        try {
            listener.acceptNext();
        } catch (RuntimeException e) {
            listener.close(false);
            throw new NetioBindException("cannot listen on " + Addresses.format(address) + ": " + e.getMessage(), e);
        }
        return listener;
    }

    @Override
    public ListenEndpoint handle() {
        return handle;
    }

    @Override
    public void completed(long result) {
        accepting = false;
        if (result >= 0) {
            parked = (int) result;
            acceptNext();
        } else if (result == -Sockets.ECONNABORTED || result == -Sockets.EPROTO) {
            acceptNext(); // the peer has gone before its socket was accepted
        } else {
            warnOnce(LibC.strerror((int) result) + LibC.limitHint(result));
            context().after(PAUSE_MILLIS, TimeUnit.MILLISECONDS, this::acceptNext); // a try at once would spin
        }
    }

    private void acceptNext() {
        if (isClosed() || accepting) {
            return;
        }
        int next = parked;
        if (next == NONE) {
            accepting = true;
            io.accept(this);
        } else if (hasRoom(next)) {
            parked = NONE;
            try {
                accept(next);
            } finally {
                acceptNext();
            }
        }
    }

    /**
     * Returns whether there is a place for the socket, if only to close it. While there is none, those behind it stay in the
     * kernel's queue. The handshakes of a burst of honest peers are over in a moment.
     */
    private boolean hasRoom(int next) {
        int connected = connections();
        int limit = context().config().maxConnections();
        int handshaking = handshakes.size();
        if (handshaking == 0 || connected >= limit
                || handshaking < context().config().maxHandshakes() && connected + handshaking < limit) {
            return true;
        }
        if (!waitingForRoom) {
            SocketAddress remote = peer(next);
            if (remote == null) {
                return true; // the peer has gone
            }
            long nanos = handshakes.makeRoom(remote);
            if (nanos == 0) {
                return false; // the socket has been taken already, see failed()
            }
            waitingForRoom = true;
            context().after(nanos, TimeUnit.NANOSECONDS, () -> {
                waitingForRoom = false;
                acceptNext();
            });
        }
        return false;
    }

    /** Null if the peer has gone. What a client of a Unix socket has bound itself to is not asked for: it could be anything. */
    private @Nullable SocketAddress peer(int socket) {
        return handle.localAddress() instanceof UnixDomainSocketAddress ? UNNAMED : Sockets.peerAddress(socket);
    }

    /** A socket beyond the limit is accepted and closed at once, so that its peer knows. */
    private void accept(int accepted) {
        SocketAddress remote = peer(accepted);
        int limit = context().config().maxConnections();
        if (remote == null || connections() >= limit) {
            if (remote != null) {
                warnOnce(limit + " connections are open: closing the one from " + Addresses.format(remote)
                        + "; maxConnections sets how many there may be");
            }
            LibC.close(accepted);
            return;
        }
        if (!admits(remote) || !hasRoomFor(remote, () -> handshakes.sizeOf(remote))) {
            LibC.close(accepted);
            return;
        }
        warned = false;
        if (parameters().data().isEmpty() && !parameters().peerSpeaksFirst()) {
            completed(new AcceptedSocket(accepted, remote, ConnectionData.none(), null));
        } else {
            handshakes.begin(accepted, remote);
        }
    }

    @Override
    public void completed(AcceptedSocket socket) {
        accepted(socket.remote());
        try {
            handOver(socket);
        } catch (Throwable t) { // also of the chooser: the peer waits for an answer
            warnOnce(t.toString());
            LibC.close(socket.fd());
            released(socket.remote());
        }
        acceptNext();
    }

    @Override
    public void failed() {
        acceptNext();
    }

    private void handOver(AcceptedSocket socket) {
        TcpBackend choice = choose(socket.remote());
        if (choice == null) {
            throw new IllegalStateException("the chooser gave no plain TCP backend to the connection from "
                    + Addresses.format(socket.remote()));
        }
        if (isClosed()) { // by the chooser, which is the user's code
            LibC.close(socket.fd());
            released(socket.remote());
        } else if (choice.loop().inEventLoop()) {
            choice.accept(socket, this, parameters());
        } else {
            giveTo(choice, () -> choice.accept(socket, this, parameters()));
        }
    }

    /** Warns once until the next connection is accepted: a full table or a port scan must not fill the log. */
    private void warnOnce(String what) {
        if (!warned) {
            warned = true;
            context().report(new IOException(handle + ": " + what));
        }
    }

    @Override
    protected void stop() {
        io.close();
        LibC.close(fd);
        if (file != null) {
            file.delete();
        }
        if (parked != NONE) {
            LibC.close(parked);
            parked = NONE;
        }
        handshakes.close();
    }
}
