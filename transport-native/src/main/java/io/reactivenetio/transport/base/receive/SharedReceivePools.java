// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.base.receive;

import io.reactivenetio.transport.backend.ListenEndpoint;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The receive buffers that connections share: all connections of a backend, or those of each listen endpoint. Confined to the
 * loop.
 *
 * @param <E> the backend's endpoints
 * @param <P> the backend's kind of shared buffers
 */
public final class SharedReceivePools<E, P extends SharedReceivePool<E>> {
    private final boolean ofBackend;
    /** The pools by whose connections share them: a listen endpoint, or the backend, for which this stands. */
    private final Map<Object, P> pools = new HashMap<>();

    /** {@code ofBackend}: all connections of the backend share their buffers, not only those of one listen endpoint. */
    public SharedReceivePools(boolean ofBackend) {
        this.ofBackend = ofBackend;
    }

    /**
     * The buffers that {@code endpoint} shares with others. {@code listener} has accepted it, or is null. {@code opening} opens
     * the buffers if it is the first.
     */
    public P join(E endpoint, @Nullable ListenEndpoint listener, Supplier<P> opening) {
        P pool = pools.computeIfAbsent(ofBackend || listener == null ? this : listener, who -> opening.get());
        pool.join(endpoint);
        return pool;
    }

    /** Lets a closed endpoint leave. The buffers of a listen endpoint go with its last connection. */
    public void leave(E endpoint, P pool) {
        if (pool.leave(endpoint) && !ofBackend) {
            pools.values().remove(pool);
            pool.close();
        }
    }

    /** Closes all pools, after every endpoint is closed. */
    public void closeAll() {
        pools.values().forEach(SharedReceivePool::close);
        pools.clear();
    }
}
