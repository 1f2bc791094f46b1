// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.base;

import io.reactivenetio.transport.backend.ListenEndpoint;

/** An open listen endpoint. Confined to its backend's loop, but for {@link #handle} and {@link #context}. */
public interface Listener {
    ListenEndpoint handle();

    /** Returns the context of the backend whose it is. */
    BackendContext context();

    /** Idempotent. {@code withConnections}: those it has spawned are closed too. */
    void close(boolean withConnections);
}
