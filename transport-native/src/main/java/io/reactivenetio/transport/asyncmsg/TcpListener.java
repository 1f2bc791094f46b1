// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.asyncmsg;

import io.reactivenetio.ffm.LibC;
import io.reactivenetio.ffm.Sockets;
import io.reactivenetio.loop.LoopIo;
import io.reactivenetio.transport.Addresses;
import io.reactivenetio.transport.ConnectionParameters;
import io.reactivenetio.transport.ListenEndpoint;
import io.reactivenetio.transport.NetioBindException;
import io.reactivenetio.transport.NetioException;
import io.reactivenetio.transport.base.BackendBase;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A listening socket: accepts up to a limit of connections, with buffers of its own for each. Confined to its loop. */
final class TcpListener implements BackendBase.Listener, LoopIo.Completion {
    /** Connections of one listener at a time; a further one is accepted and closed at once, so that its peer knows. */
    static final int MAX_CONNECTIONS = 4096;

    private static final int BACKLOG = 1024;
    private static final int ACCEPTS_PER_TURN = 16;
    private static final long PAUSE_MILLIS = 100;

    private final AsyncmsgBackend backend;
    private final ConnectionParameters parameters;
    private final int fd;
    private final ListenEndpoint handle;
    private final LoopIo.Handle io;
    private int connections;
    private boolean complained;
    private boolean closed;

    private TcpListener(AsyncmsgBackend backend, int fd, InetSocketAddress bound, ConnectionParameters parameters,
            @Nullable Object attachment) {
        this.backend = backend;
        this.parameters = parameters;
        this.fd = fd;
        this.handle = new ListenEndpoint(bound, this, attachment);
        this.io = backend.loop().io().open(fd, ACCEPTS_PER_TURN);
    }

    static TcpListener open(AsyncmsgBackend backend, InetSocketAddress address, ConnectionParameters parameters,
            @Nullable Object attachment) {
        int fd = Sockets.socket(address);
        int result = fd;
        if (result >= 0) {
            Sockets.option(fd, Sockets.SOL_SOCKET, Sockets.SO_REUSEADDR, 1);
            result = Sockets.bind(fd, address);
        }
        if (result >= 0) {
            result = Sockets.listen(fd, BACKLOG);
        }
        if (result < 0) {
            if (fd >= 0) {
                LibC.close(fd);
            }
            throw new NetioBindException("cannot listen on " + Addresses.format(address) + ": " + LibC.strerror(result), null);
        }
        InetSocketAddress bound = Sockets.localAddress(fd);
        TcpListener listener = new TcpListener(backend, fd, bound != null ? bound : address, parameters, attachment);
        listener.io.accept(listener);
        return listener;
    }

    @Override
    public ListenEndpoint handle() {
        return handle;
    }

    @Override
    public void completed(long result) {
        if (result >= 0) {
            try {
                accept((int) result);
            } finally {
                next();
            }
        } else if (result == -Sockets.ECONNABORTED || result == -Sockets.EPROTO) {
            next(); // gone before we came to it
        } else {
            complain(LibC.strerror((int) result));
            backend.after(PAUSE_MILLIS, TimeUnit.MILLISECONDS, this::next); // at once, it would spin
        }
    }

    private void next() {
        if (!closed) {
            io.accept(this);
        }
    }

    private void accept(int accepted) {
        InetSocketAddress remote = Sockets.peerAddress(accepted);
        if (remote == null || connections >= MAX_CONNECTIONS) {
            if (remote != null) {
                complain(MAX_CONNECTIONS + " connections are open: closing the one from " + Addresses.format(remote));
            }
            LibC.close(accepted);
            return;
        }
        TcpEndpoint endpoint;
        try {
            endpoint = backend.accepting(remote, handle, parameters);
        } catch (NetioException e) {
            complain(String.valueOf(e.getMessage()));
            LibC.close(accepted);
            return;
        }
        connections++;
        complained = false;
        endpoint.accepted(accepted, this);
    }

    /** One of the accepted connections is over. */
    void released() {
        connections--;
    }

    /** Once per spell: a full table or a port scan must not fill the log. */
    private void complain(String what) {
        if (!complained) {
            complained = true;
            backend.report(new IOException(handle + ": " + what));
        }
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            io.close();
            LibC.close(fd);
        }
    }
}
