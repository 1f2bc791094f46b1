// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.client;

import io.reactivenetio.NetioClient;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.pubsub.NetioSubscriber;
import io.reactivenetio.spring.NetioClients;
import io.reactivenetio.spring.UnknownClientException;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.DisposableBean;
import reactor.core.publisher.Mono;

/** The clients of {@code netio.clients}. */
public final class ConfiguredClients implements NetioClients, DisposableBean {
    private final Map<String, ConfiguredClient> clients;

    /** {@code clients}: by name. */
    public ConfiguredClients(Map<String, ConfiguredClient> clients) {
        this.clients = Collections.unmodifiableMap(clients);
    }

    @Override
    public NetioClient client(String name) {
        return find(name).client();
    }

    @Override
    public NetioSubscriber subscriber(String name) {
        return find(name).subscriber();
    }

    @Override
    public Mono<NetioConnection> connection(String name) {
        return find(name).connection();
    }

    @Override
    public Set<String> names() {
        return clients.keySet();
    }

    /** All of them, by name. */
    public Map<String, ConfiguredClient> all() {
        return clients;
    }

    private ConfiguredClient find(String name) {
        @Nullable ConfiguredClient found = name.isEmpty() && clients.size() == 1 ? clients.values().iterator().next()
                : clients.get(name);
        if (found == null) {
            throw new UnknownClientException(name, names());
        }
        return found;
    }

    @Override
    public void destroy() {
        clients.values().forEach(ConfiguredClient::dispose);
    }
}
