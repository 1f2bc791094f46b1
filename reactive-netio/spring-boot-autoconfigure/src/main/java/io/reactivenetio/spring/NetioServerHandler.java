// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring;

import io.reactivenetio.api.NetioInbound;
import io.reactivenetio.api.NetioOutbound;
import org.reactivestreams.Publisher;

/** A bean that says what the server does with each connection, as {@link io.reactivenetio.NetioTransport#handle} describes. */
@FunctionalInterface
public interface NetioServerHandler {

    /** Called on the connection's loop, and must not block. The connection is closed when the returned Publisher ends. */
    Publisher<Void> handle(NetioInbound in, NetioOutbound out);
}
