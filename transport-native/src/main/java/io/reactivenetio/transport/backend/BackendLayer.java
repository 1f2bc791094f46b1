// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.backend;

import io.reactivenetio.transport.SendCompletion;
import io.reactivenetio.transport.exceptions.NetioException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What stands between one connection and its backend, in both directions. It is a backend to the connection, and the callbacks of
 * the endpoint to the backend. Each method passes on what it is told, until a subclass does something else.
 */
public abstract class BackendLayer implements NetworkBackend, BackendCallbacks {
    private final NetworkBackend backend;

    protected BackendLayer(NetworkBackend backend) {
        this.backend = backend;
    }

    /** Returns the callbacks of the connection. Called once it is made only. */
    protected abstract BackendCallbacks above();

    protected final NetworkBackend below() {
        return backend;
    }

    // ---- down

    @Override
    public ListenEndpoint openListenEndpoint(SocketAddress address, ConnectionParameters parameters,
            @Nullable Object attachment, BackendChooser chooser) {
        return backend.openListenEndpoint(address, parameters, attachment, chooser);
    }

    @Override
    public Endpoint openActiveEndpoint(SocketAddress address, ConnectionParameters parameters) {
        return backend.openActiveEndpoint(address, parameters);
    }

    @Override
    public @Nullable SendBuffer getBuffer(Endpoint endpoint) {
        return backend.getBuffer(endpoint);
    }

    @Override
    public SendStatus sendBuffer(Endpoint endpoint, SendBuffer buffer, SendCompletion level) {
        return backend.sendBuffer(endpoint, buffer, level);
    }

    @Override
    public SendStatus sendZeroCopy(Endpoint endpoint, GatherList message, long key, SendCompletion level) {
        return backend.sendZeroCopy(endpoint, message, key, level);
    }

    @Override
    public SendStatus sendCopy(Endpoint endpoint, ByteBuffer data) {
        return backend.sendCopy(endpoint, data);
    }

    @Override
    public int freeSendBuffers(Endpoint endpoint) {
        return backend.freeSendBuffers(endpoint);
    }

    @Override
    public int creditsPosted(Endpoint endpoint) {
        return backend.creditsPosted(endpoint);
    }

    @Override
    public int arrivedInPart(Endpoint endpoint) {
        return backend.arrivedInPart(endpoint);
    }

    @Override
    public void closeActiveEndpoint(Endpoint endpoint) {
        backend.closeActiveEndpoint(endpoint);
    }

    @Override
    public void closeListenEndpoint(ListenEndpoint endpoint) {
        backend.closeListenEndpoint(endpoint);
    }

    @Override
    public void stopListening(ListenEndpoint endpoint) {
        backend.stopListening(endpoint);
    }

    @Override
    public void close() {
        backend.close();
    }

    // ---- up

    @Override
    public void onData(Endpoint endpoint, ReceivedBuffer buffer) {
        above().onData(endpoint, buffer);
    }

    @Override
    public void onSendCompleted(Endpoint endpoint, SendKind kind, long key) {
        above().onSendCompleted(endpoint, kind, key);
    }

    @Override
    public void onResourcesAvailable(Endpoint endpoint) {
        above().onResourcesAvailable(endpoint);
    }

    @Override
    public void onConnectionClosed(Endpoint endpoint, List<SendKey> cancelled, @Nullable NetioException cause) {
        above().onConnectionClosed(endpoint, cancelled, cause);
    }
}
