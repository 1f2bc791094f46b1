// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.base;

import io.reactivenetio.transport.backend.Addresses;
import io.reactivenetio.transport.backend.Endpoint;
import io.reactivenetio.transport.backend.ListenEndpoint;
import io.reactivenetio.transport.exceptions.ActiveEndpointAlreadyExistsException;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The endpoints of a backend that are not closed yet, and the addresses that an exclusive backend has opened connections to. Loop
 * thread, but for the addresses.
 */
final class OpenEndpoints {
    private final boolean exclusive;
    private final Set<SocketAddress> taken = ConcurrentHashMap.newKeySet();
    private final Map<Endpoint, EndpointBase> open = new LinkedHashMap<>();

    OpenEndpoints(boolean exclusive) {
        this.exclusive = exclusive;
    }

    /** Fails if the backend is exclusive and has a connection to {@code address}. Any thread. */
    void reserve(SocketAddress address) {
        if (exclusive && !taken.add(address)) {
            throw new ActiveEndpointAlreadyExistsException("a connection to " + Addresses.format(address)
                    + " exists, and this backend is exclusive");
        }
    }

    /** Undoes {@link #reserve}. Any thread. */
    void free(SocketAddress address) {
        taken.remove(address);
    }

    void add(EndpointBase endpoint) {
        open.put(endpoint.handle(), endpoint);
    }

    /** Forgets an endpoint that is closed. If it was opened from here, its address is free again. */
    void remove(Endpoint endpoint) {
        open.remove(endpoint);
        if (endpoint.listenEndpoint() == null) {
            free(endpoint.remoteAddress());
        }
    }

    /** Closes those that {@code listener} has accepted. */
    void closeSpawned(ListenEndpoint listener) {
        for (EndpointBase endpoint : new ArrayList<>(open.values())) {
            if (endpoint.handle().listenEndpoint() == listener) {
                endpoint.close(null);
            }
        }
    }

    void closeAll() {
        for (EndpointBase endpoint : new ArrayList<>(open.values())) {
            endpoint.close(null);
        }
    }
}
