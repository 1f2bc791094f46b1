// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport;

import io.reactivenetio.loop.EventLoop;
import java.net.InetSocketAddress;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;

/**
 * Message endpoints on one event loop: what netio3 calls the backend. All message memory is allocated and registered when a
 * connection is made; sends and receives then only move ownership of buffers.
 *
 * <p>Every method is for the loop's thread unless it says otherwise, and throws {@link IllegalStateException} on another.
 */
public interface NetworkBackend extends AutoCloseable {

    /**
     * Creates a backend on {@code loop}. May block while libraries load, so best called elsewhere than on a running loop. The
     * backend closes with the loop at the latest.
     *
     * @throws BackendUnavailableException if the library or the provider is not on this machine
     */
    static NetworkBackend create(BackendType type, BackendConfig config, EventLoop loop, BackendCallbacks callbacks) {
        return provider(type).create(config, loop, callbacks);
    }

    /** The provider of {@code type}, found by ServiceLoader. */
    static BackendProvider provider(BackendType type) {
        return ServiceLoader.load(BackendProvider.class, NetworkBackend.class.getClassLoader()).stream()
                .map(ServiceLoader.Provider::get)
                .filter(p -> p.type() == type)
                .findFirst()
                .orElseThrow(() -> new BackendUnavailableException("no backend of type " + type + " on the class path", null));
    }

    /**
     * Listens. Each accepted connection gets its own buffers as {@code parameters} says. Any thread: what may block is done on
     * the caller's, which must not be a loop's unless the caller accepts to stall it.
     *
     * @param attachment the caller's object, found again in the handle of the listener of each accepted connection
     * @return the handle, with the address really bound
     * @throws NetioBindException if the address is unknown, in use, or not possible with this provider
     */
    ListenEndpoint openListenEndpoint(InetSocketAddress address, ConnectionParameters parameters, @Nullable Object attachment);

    /**
     * Starts to connect, and returns at once; name look-up and address selection happen on a worker thread. Then follows exactly
     * one of {@code onConnectionEstablished} and {@code onConnectionRefused}.
     */
    Endpoint openActiveEndpoint(InetSocketAddress address, ConnectionParameters parameters);

    /** Lends a free send buffer, or returns null: then {@code onResourcesAvailable} follows. */
    @Nullable SendBuffer getBuffer(Endpoint endpoint);

    /**
     * Sends a buffer from {@link #getBuffer}. Messages of one endpoint leave and arrive in the order of these calls.
     *
     * @return {@code OK}: the backend owns the buffer; {@code NO_RESOURCES}: the caller still does; {@code FAILED}: it has gone
     *     back
     */
    SendStatus sendBuffer(Endpoint endpoint, SendBuffer buffer, CompletionLevel level);

    /** Send buffers that {@link #getBuffer} could lend at this moment. */
    int freeSendBuffers(Endpoint endpoint);

    /** Receive buffers that are posted at this moment: the credits the peer has. */
    int creditsPosted(Endpoint endpoint);

    /**
     * Closes a connection at once; what was not delivered is lost, so whoever cares waits for completions first. The closed
     * callback follows in the same turn of the loop. Does nothing if it is closing or closed.
     */
    void closeActiveEndpoint(Endpoint endpoint);

    /** Stops listening; accepted connections live on. Does nothing if closed. */
    void closeListenEndpoint(ListenEndpoint endpoint);

    /** Closes every endpoint, then the backend, at the end of the loop's turn. Does nothing if closed. */
    @Override
    void close();
}
