// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.base;

import io.reactivenetio.transport.Addresses;
import io.reactivenetio.transport.ListenEndpoint;
import io.reactivenetio.transport.exceptions.ActiveEndpointAlreadyExistsException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The endpoints of a backend that are not closed yet, and the addresses that an exclusive backend has opened connections to. Loop
 * thread, but for the addresses.
 */
final class OpenEndpoints {
    private final boolean exclusive;
    private final Set<InetSocketAddress> taken = ConcurrentHashMap.newKeySet();
    private final Set<EndpointBase> open = new LinkedHashSet<>();

    OpenEndpoints(boolean exclusive) {
        this.exclusive = exclusive;
    }

    /** Fails if the backend is exclusive and has a connection to {@code address}. Any thread. */
    void reserve(InetSocketAddress address) {
        if (exclusive && !taken.add(address)) {
            throw new ActiveEndpointAlreadyExistsException("a connection to " + Addresses.format(address)
                    + " exists, and this backend is exclusive");
        }
    }

    /** Undoes {@link #reserve}. Any thread. */
    void free(InetSocketAddress address) {
        taken.remove(address);
    }

    void add(EndpointBase endpoint) {
        open.add(endpoint);
    }

    /** After the endpoint is closed. If it was opened from here, its address is free again. */
    void remove(EndpointBase endpoint) {
        open.remove(endpoint);
        if (endpoint.handle().listenEndpoint() == null) {
            free(endpoint.handle().remoteAddress());
        }
    }

    /** Closes those that {@code listener} has accepted. */
    void closeSpawned(ListenEndpoint listener) {
        for (EndpointBase endpoint : new ArrayList<>(open)) {
            if (endpoint.handle().listenEndpoint() == listener) {
                endpoint.close(null);
            }
        }
    }

    void closeAll() {
        for (EndpointBase endpoint : new ArrayList<>(open)) {
            endpoint.close(null);
        }
    }
}
