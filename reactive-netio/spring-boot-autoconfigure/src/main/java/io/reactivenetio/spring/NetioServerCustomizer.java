// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring;

import io.reactivenetio.NetioServer;

/** A bean that changes the server before it is bound, after {@code netio.server.*}. Several are called in their order. */
@FunctionalInterface
public interface NetioServerCustomizer {

    /** Returns {@code server}, or what its settings make of it. */
    NetioServer customize(NetioServer server);

    /**
     * Whether what {@link #customize} has changed gives those who connect something: a handler, responders, sources. It is asked
     * when the server is about to listen. A server for which nobody gives anything is told of in the log.
     */
    default boolean serves() {
        return true;
    }
}
