// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring;

import io.reactivenetio.NetioClient;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.pubsub.NetioSubscriber;
import java.util.Set;
import reactor.core.publisher.Mono;

/**
 * The clients that are configured as {@code netio.clients.<name>}, by name. Where there is only one, the empty name means it.
 * Nothing connects before somebody subscribes. All methods may be called on any thread.
 *
 * <p>Each method throws {@link UnknownClientException}, which lists the names that there are, if there is no such client, or if
 * the name is empty and there are several.
 */
public interface NetioClients {

    /** The client of this name. Each of its connections is a new one. */
    NetioClient client(String name);

    /** The subscriber of this name: always the same one, so that all subscriptions to a publisher share a connection. */
    NetioSubscriber subscriber(String name);

    /**
     * The connection of this name that requests share. It is made when first subscribed to, and made anew, when subscribed to,
     * after it was lost. The Mono fails when it cannot be made. Whoever gets it must not dispose of it.
     */
    Mono<NetioConnection> connection(String name);

    /** The names that are configured. */
    Set<String> names();
}
