// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.base;

import io.reactivenetio.transport.ListenEndpoint;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;

/**
 * The receive buffers that connections share: all connections of a backend, or those of each listen endpoint. Confined to the
 * loop.
 *
 * @param <E> the backend's endpoints
 * @param <P> the backend's kind of shared buffers
 */
public final class SharedReceivePools<E extends EndpointBase, P extends SharedReceivePool<E>> {
    private final BackendContext context;
    /** By whose connections share them: the backend or a listen endpoint. */
    private final Map<Object, P> pools = new HashMap<>();

    public SharedReceivePools(BackendContext context) {
        this.context = context;
    }

    /** The buffers that {@code endpoint} shares with others. {@code opening} opens them if it is the first. */
    public P join(E endpoint, Supplier<P> opening) {
        P pool = pools.computeIfAbsent(sharers(endpoint), who -> opening.get());
        pool.join(endpoint);
        return pool;
    }

    /** After the endpoint is closed. The buffers of a listen endpoint go with its last connection. */
    public void leave(E endpoint, P pool) {
        if (pool.leave(endpoint) && !context.bufferPolicy().backendSharesReceives()) {
            pools.remove(sharers(endpoint));
            pool.close();
        }
    }

    private Object sharers(E endpoint) {
        ListenEndpoint listener = endpoint.handle().listenEndpoint();
        return context.bufferPolicy().backendSharesReceives() || listener == null ? context : listener;
    }

    /** After every endpoint is closed. */
    public void closeAll() {
        pools.values().forEach(SharedReceivePool::close);
        pools.clear();
    }
}
