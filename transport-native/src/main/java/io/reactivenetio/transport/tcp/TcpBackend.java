// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.tcp;

import io.reactivenetio.ffm.LibC;
import io.reactivenetio.ffm.UnixSockAddr;
import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.transport.backend.Addresses;
import io.reactivenetio.transport.backend.BackendCallbacks;
import io.reactivenetio.transport.backend.BackendChooser;
import io.reactivenetio.transport.backend.BackendConfig;
import io.reactivenetio.transport.backend.ConnectionParameters;
import io.reactivenetio.transport.backend.ListenEndpoint;
import io.reactivenetio.transport.base.BackendBase;
import io.reactivenetio.transport.base.Listener;
import io.reactivenetio.transport.base.receive.SharedReceivePools;
import io.reactivenetio.transport.exceptions.InvalidEndpointAddressException;
import java.io.IOException;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.net.UnknownHostException;
import org.jspecify.annotations.Nullable;

/**
 * The network backend over non-blocking TCP sockets. On the wire each message is a u32 length, little-endian, and as many
 * bytes; a length of 0 is an empty message.
 *
 * <p>Unlike libfabric, it does not tell its credits to the peer. A receiver without a free buffer stops reading, and the
 * sender goes on until both kernels' socket buffers are full. So {@code DELIVERED} means that the peer's kernel has
 * acknowledged the message (SIOCOUTQ), while the peer's kernel may still hold it for a receiver without buffers; and what it
 * holds is lost if the peer closes without reading it.
 */
final class TcpBackend extends BackendBase<TcpBackend.Target, TcpEndpoint> {

    /** A resolved address. */
    record Target(SocketAddress address) implements AutoCloseable {
        static Target of(SocketAddress address) throws UnknownHostException {
            SocketAddress resolved = Addresses.resolve(address);
            if (resolved instanceof UnixDomainSocketAddress unix) {
                int length = UnixSockAddr.path(unix).length;
                if (length == 0 || length > UnixSockAddr.LONGEST_PATH) {
                    throw new InvalidEndpointAddressException("the path of a Unix socket has 1 to " + UnixSockAddr.LONGEST_PATH
                            + " bytes: '" + unix + "' has " + length);
                }
            }
            return new Target(resolved);
        }

        @Override
        public void close() {
            // nothing to give back
        }
    }

    private final DeliveryPoller deliveries;
    private final SharedReceivePools<TcpEndpoint, SharedReceives> sharedReceives;

    TcpBackend(BackendConfig config, EventLoop loop, BackendCallbacks callbacks) {
        super(config, loop, callbacks, MessageWriter.HEADROOM, true);
        deliveries = new DeliveryPoller(loop);
        sharedReceives = new SharedReceivePools<>(context().bufferPolicy().backendSharesReceives());
        closeWithLoop();
    }

    /**
     * Makes a connection of a socket that {@code listener}, perhaps on another loop, has accepted. Takes the socket over,
     * whatever happens. On this loop.
     */
    void accept(AcceptedSocket socket, TcpListener listener, ConnectionParameters parameters) {
        TcpEndpoint endpoint;
        try {
            endpoint = openAccepted(socket.remote(), listener.handle(), parameters);
        } catch (RuntimeException | OutOfMemoryError e) {
            context().report(new IOException(listener.handle() + ": " + e.getMessage(), e));
            LibC.close(socket.fd());
            listener.released(socket.remote());
            return;
        }
        endpoint.accepted(socket, listener);
    }

    @Override
    protected Target resolveLocal(SocketAddress address) throws UnknownHostException {
        return Target.of(address);
    }

    @Override
    protected Target resolveRemote(SocketAddress address) throws UnknownHostException {
        return Target.of(address);
    }

    @Override
    protected boolean resolvesLiteralsAtOnce() {
        return true;
    }

    @Override
    protected Listener listen(Target where, SocketAddress address, ConnectionParameters parameters,
            @Nullable Object attachment, BackendChooser chooser) {
        return TcpListener.open(this, where.address(), parameters, attachment, chooser);
    }

    @Override
    protected TcpEndpoint endpoint(SocketAddress remote, @Nullable ListenEndpoint parent, ConnectionParameters parameters) {
        return new TcpEndpoint(context(), deliveries, sharedReceives, remote, parent, parameters);
    }

    @Override
    protected void connect(TcpEndpoint endpoint, Target where) {
        endpoint.connect(where.address());
    }

    @Override
    protected void closeResources() {
        deliveries.close();
        sharedReceives.closeAll();
    }
}
