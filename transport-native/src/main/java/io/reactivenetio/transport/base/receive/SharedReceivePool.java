// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.base.receive;

import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.transport.backend.SharedBuffers;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * Receive buffers that several connections share. The backend's subclass says what happens when one of them keeps the buffers
 * from the others. Confined to the loop.
 *
 * @param <E> the backend's endpoints
 */
public abstract class SharedReceivePool<E> {
    private final ReceivePool pool;
    private final Set<E> users = new LinkedHashSet<>();

    /** Allocates the buffers. */
    protected SharedReceivePool(EventLoop loop, SharedBuffers buffers) {
        this.pool = ReceivePool.shared(loop, buffers, this::onFree);
    }

    /** Called as {@link ReceivePool} says. */
    protected abstract void onFree();

    public final ReceivePool pool() {
        return pool;
    }

    /** The connections that share the buffers. */
    protected final Set<E> users() {
        return users;
    }

    protected void join(E endpoint) {
        users.add(endpoint);
    }

    /** Returns whether that was the last. */
    final boolean leave(E endpoint) {
        users.remove(endpoint);
        return users.isEmpty();
    }

    /** Closes the pool, after every endpoint that uses it. What is held stays valid. */
    protected void close() {
        pool.close();
    }
}
