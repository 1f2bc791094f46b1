// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.base;

import io.reactivenetio.transport.backend.Addresses;
import io.reactivenetio.transport.backend.ListenEndpoint;
import io.reactivenetio.transport.exceptions.ListenEndpointAlreadyExistsException;
import io.reactivenetio.transport.exceptions.NetioCloseException;
import io.reactivenetio.transport.exceptions.UnknownListenEndpointException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.function.Consumer;

/** The open listen endpoints of a backend. Loop thread, but for {@link #of} and {@link #requireFree}. */
final class ListenEndpoints {
    private final Set<Listener> open = new CopyOnWriteArraySet<>();

    void add(Listener listener) {
        open.add(listener);
    }

    /** Fails if one of them listens on this port; port 0 is always free. The kernel says whether a path is free. Any thread. */
    void requireFree(SocketAddress address) {
        for (Listener listener : open) {
            if (address instanceof InetSocketAddress asked && asked.getPort() != 0
                    && listener.handle().localAddress() instanceof InetSocketAddress bound && isSame(bound, asked)) {
                throw new ListenEndpointAlreadyExistsException("cannot listen on " + Addresses.format(address)
                        + ": this backend does already, so the address is in use");
            }
        }
    }

    private static boolean isSame(InetSocketAddress bound, InetSocketAddress asked) {
        return bound.getPort() == asked.getPort()
                && (bound.getAddress().equals(asked.getAddress()) || bound.getHostString().equals(asked.getHostString()));
    }

    /** What is behind a handle, if it is one of the backend that {@code context} is of. */
    static Listener of(ListenEndpoint endpoint, BackendContext context) {
        if (endpoint.implementation() instanceof Listener listener && listener.context() == context) {
            return listener;
        }
        throw new UnknownListenEndpointException(endpoint + " is not of this backend");
    }

    void close(Listener listener, boolean withConnections) {
        open.remove(listener);
        try {
            listener.close(withConnections);
        } catch (RuntimeException e) {
            throw new NetioCloseException(listener.handle() + " could not be closed in order: " + e.getMessage(), e);
        }
    }

    /** Closes all of them, whatever one of them throws. */
    void closeAll(Consumer<? super Throwable> onFailure) {
        for (Listener listener : open) {
            try {
                listener.close(true);
            } catch (RuntimeException e) {
                onFailure.accept(e);
            }
        }
        open.clear();
    }
}
