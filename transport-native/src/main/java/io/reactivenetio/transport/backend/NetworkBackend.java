// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.backend;

import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.transport.BackendType;
import io.reactivenetio.transport.SendCompletion;
import io.reactivenetio.transport.exceptions.ActiveEndpointAlreadyExistsException;
import io.reactivenetio.transport.exceptions.BackendUnavailableException;
import io.reactivenetio.transport.exceptions.InvalidConnectionParametersException;
import io.reactivenetio.transport.exceptions.InvalidEndpointAddressException;
import io.reactivenetio.transport.exceptions.ListenEndpointAlreadyExistsException;
import io.reactivenetio.transport.exceptions.NetioBindException;
import io.reactivenetio.transport.exceptions.NetioCloseException;
import io.reactivenetio.transport.exceptions.NoBuffersAllocatedException;
import io.reactivenetio.transport.exceptions.NotSupportedException;
import io.reactivenetio.transport.exceptions.UnknownActiveEndpointException;
import io.reactivenetio.transport.exceptions.UnknownListenEndpointException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.ServiceLoader;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Message endpoints on one event loop: what netio3 calls the backend. All message memory is allocated and registered when a
 * connection is made; sends and receives then only move ownership of buffers.
 *
 * <p>Threads: see {@link ThreadSafetyModel}. In the UNSAFE model every method is for the loop's thread unless it says
 * otherwise, and throws {@link IllegalStateException} on another. A handle of another backend is an {@link
 * UnknownActiveEndpointException} or {@link UnknownListenEndpointException}; one whose connection is over is not: closing is
 * asynchronous, so a call may always come too late.
 */
public interface NetworkBackend extends AutoCloseable {

    /**
     * Creates a backend on {@code loop}. May block while libraries load, so best called elsewhere than on a running loop. The
     * backend closes with the loop at the latest.
     *
     * @throws BackendUnavailableException if the library or the provider is not on this machine
     * @throws NotSupportedException if the provider is {@code sockets}, which libfabric 2 has removed
     */
    static NetworkBackend create(BackendType type, BackendConfig config, EventLoop loop, BackendCallbacks callbacks) {
        return provider(type).create(config, loop, callbacks);
    }

    /**
     * The provider of {@code type}, found by ServiceLoader.
     *
     * @throws IllegalArgumentException for {@link BackendType#AUTO}, which whoever connects or listens chooses a type for
     */
    static BackendProvider provider(BackendType type) {
        if (type == BackendType.AUTO) {
            throw new IllegalArgumentException("AUTO is a choice between TCP and LIBFABRIC, and no backend of its own");
        }
        return ServiceLoader.load(BackendProvider.class, NetworkBackend.class.getClassLoader()).stream()
                .map(ServiceLoader.Provider::get)
                .filter(p -> p.type() == type)
                .findFirst()
                .orElseThrow(() -> new BackendUnavailableException("no backend of type " + type + " on the class path", null));
    }

    /** Listens, with every accepted connection on this backend. See the other method of this name. */
    default ListenEndpoint openListenEndpoint(SocketAddress address, ConnectionParameters parameters,
            @Nullable Object attachment) {
        return openListenEndpoint(address, parameters, attachment, remote -> this);
    }

    /**
     * Listens. Each accepted connection gets buffers as {@code parameters} says. Any thread: what may block is done on the
     * caller's, which must not be a loop's unless the caller accepts to stall it.
     *
     * @param attachment the caller's object, found again in the handle of the listener of each accepted connection
     * @param chooser which backend, and so which loop, an accepted connection is for
     * @return the handle, with the address really bound
     * @throws InvalidEndpointAddressException if the host is unknown, or the address is of a kind that the backend has not
     * @throws ListenEndpointAlreadyExistsException if this backend listens there already
     * @throws InvalidConnectionParametersException if the parameters contradict the backend's shared buffers, or are more than
     *     the provider has
     * @throws NetioBindException if it is not possible for any other reason: the address is not local, in use, or not one of the
     *     provider's
     * @throws IllegalStateException if the backend is closed, or no thread has run its loop for the connect time-out
     */
    ListenEndpoint openListenEndpoint(SocketAddress address, ConnectionParameters parameters, @Nullable Object attachment,
            BackendChooser chooser);

    /**
     * Starts to connect, and returns at once; name look-up and address selection happen on worker threads, where a name that
     * takes long holds up only those who ask for it. Then follows exactly one of {@code onConnectionEstablished} and {@code
     * onConnectionRefused}.
     *
     * @throws InvalidEndpointAddressException if there is no port to connect to
     * @throws ActiveEndpointAlreadyExistsException if the backend is exclusive and has opened a connection to this address
     * @throws InvalidConnectionParametersException if the parameters contradict the backend's shared buffers
     * @throws IllegalStateException if the backend is closed, or its loop is ending
     */
    Endpoint openActiveEndpoint(SocketAddress address, ConnectionParameters parameters);

    /**
     * Looks up what {@code address} stands for: itself, or all addresses of a host name, IPv6 and IPv4 by turns, beginning with
     * the first that the system has. It returns at once. Who does not wait any more cancels the result. A name that takes long
     * holds up only those who ask for it. Any thread.
     *
     * @return fails with {@link io.reactivenetio.transport.exceptions.NetioConnectException} if the name is not known
     */
    default CompletableFuture<List<InetSocketAddress>> addressesOf(InetSocketAddress address) {
        return CompletableFuture.completedFuture(List.of(address));
    }

    /**
     * Lends a free send buffer, empty, or returns null: then {@code onResourcesAvailable} follows, unless the connection is over.
     *
     * @throws NoBuffersAllocatedException if the connection was opened without send buffers
     */
    @Nullable SendBuffer getBuffer(Endpoint endpoint);

    /**
     * Sends a buffer from {@link #getBuffer}. Messages of one endpoint leave and arrive in the order of these calls.
     *
     * @return {@code OK}: the backend owns the buffer; {@code NO_RESOURCES}: the caller still does; {@code FAILED}: it has gone
     *     back, or was not this endpoint's to send
     */
    SendStatus sendBuffer(Endpoint endpoint, SendBuffer buffer, SendCompletion level);

    /**
     * Sends what {@code message} gathers from the connection's {@link MemoryRegion}, without copying it: it must not change until
     * {@code key} comes back as completed or cancelled. In order with all other sends.
     *
     * @param key the caller's own; not looked at
     * @throws NotSupportedException if the connection was opened without a region
     * @throws IllegalArgumentException if a span lies outside the region, the message is larger than the parameters allow, or it
     *     has more spans than the provider takes; not while all sends that the parameters allow are in flight
     */
    SendStatus sendZeroCopy(Endpoint endpoint, GatherList message, long key, SendCompletion level);

    /**
     * Sends a copy of what remains in {@code data}, which can be used again at once; its position is moved only with {@code
     * OK}. No completion is told. Takes a send buffer for as long as the message is on its way. {@link BackendType#TCP} only.
     *
     * @throws NotSupportedException if the backend is libfabric's, or the connection was opened without send buffers
     * @throws IllegalArgumentException if the message is larger than a send buffer
     */
    SendStatus sendCopy(Endpoint endpoint, ByteBuffer data);

    /** Send buffers that {@link #getBuffer} could lend at this moment. */
    int freeSendBuffers(Endpoint endpoint);

    /** Receive buffers that are posted at this moment: the credits the peer has, together with others if they are shared. */
    int creditsPosted(Endpoint endpoint);

    /**
     * How many bytes have arrived of a message that is not whole yet. It tells whoever waits for messages that the peer is there.
     * 0 if there are none, or the backend cannot tell: libfabric's cannot.
     */
    default int arrivedInPart(Endpoint endpoint) {
        return 0;
    }

    /**
     * Closes a connection at once; what was not delivered is lost, so whoever cares waits for completions first. The closed
     * callback follows in the same turn of the loop. Does nothing if it is closing or closed.
     */
    void closeActiveEndpoint(Endpoint endpoint);

    /**
     * Stops listening, and closes the connections that were accepted. Does nothing if closed.
     *
     * @throws NetioCloseException if that failed; it does not listen any more nevertheless. Called on another thread than the
     *     loop's this returns before it is done: then {@link io.reactivenetio.loop.EventLoop#onError} is told
     */
    void closeListenEndpoint(ListenEndpoint endpoint);

    /**
     * Stops listening; accepted connections live on. Does nothing if closed.
     *
     * @throws NetioCloseException if that failed; it does not listen any more nevertheless. Called on another thread than the
     *     loop's this returns before it is done: then {@link io.reactivenetio.loop.EventLoop#onError} is told
     */
    void stopListening(ListenEndpoint endpoint);

    /** Closes every endpoint, then the backend, at the end of the loop's turn. Does nothing if closed. */
    @Override
    void close();
}
