// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.asyncmsg;

import io.reactivenetio.ffm.LibC;
import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.transport.Addresses;
import io.reactivenetio.transport.BackendCallbacks;
import io.reactivenetio.transport.BackendConfig;
import io.reactivenetio.transport.ConnectionParameters;
import io.reactivenetio.transport.ListenEndpoint;
import io.reactivenetio.transport.NetioSocketException;
import io.reactivenetio.transport.base.BackendBase;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import org.jspecify.annotations.Nullable;

/**
 * The network backend over non-blocking TCP sockets. On the wire each message is a u32 length, little-endian, and as many
 * bytes; a length of 0 is an empty message.
 *
 * <p>What differs from libfabric: credits are not told to the peer. A receiver without a free buffer stops reading, and the
 * sender goes on until both kernels' socket buffers are full. So {@code DELIVERY_COMPLETE} means that the peer's kernel has
 * acknowledged the message (SIOCOUTQ), while the peer's kernel may still hold it for a receiver without buffers; and what it
 * holds is lost if the peer closes without reading it.
 */
final class AsyncmsgBackend extends BackendBase<AsyncmsgBackend.Target, TcpEndpoint> {

    /** A resolved address. */
    record Target(InetSocketAddress address) implements AutoCloseable {
        @Override
        public void close() {
            // nothing to give back
        }
    }

    private final DeliveryWatch deliveries;

    AsyncmsgBackend(BackendConfig config, EventLoop loop, BackendCallbacks callbacks) {
        super(config, loop, callbacks);
        deliveries = new DeliveryWatch(this);
        closeWithLoop();
    }

    DeliveryWatch deliveries() {
        return deliveries;
    }

    /** What is told when a system call on a connection failed. */
    static NetioSocketException failure(Object connection, int errno) {
        return new NetioSocketException(connection + ": " + LibC.strerror(errno), Math.abs(errno));
    }

    @Override
    protected Target resolveLocal(InetSocketAddress address) throws UnknownHostException {
        return new Target(Addresses.resolve(address));
    }

    @Override
    protected Target resolveRemote(InetSocketAddress address) throws UnknownHostException {
        return new Target(Addresses.resolve(address));
    }

    @Override
    protected Listener listen(Target where, InetSocketAddress address, ConnectionParameters parameters,
            @Nullable Object attachment) {
        return TcpListener.open(this, where.address(), parameters, attachment);
    }

    @Override
    protected TcpEndpoint endpoint(InetSocketAddress remote, @Nullable ListenEndpoint parent, ConnectionParameters parameters) {
        return new TcpEndpoint(this, remote, parent, parameters);
    }

    @Override
    protected void connect(TcpEndpoint endpoint, Target where) {
        endpoint.connect(where.address());
    }

    @Override
    protected void closeRest() {
        deliveries.close();
    }
}
