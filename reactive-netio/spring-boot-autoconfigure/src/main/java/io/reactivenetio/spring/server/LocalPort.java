// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.server;

import java.util.HashMap;
import java.util.Map;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.MutablePropertySources;

/** Tells in property {@code local.netio.port} which port the server listens on, as Spring Boot does for web servers. */
final class LocalPort {
    private static final String SOURCE = "netio.ports";
    private static final String NAME = "local.netio.port";

    private final ConfigurableEnvironment environment;

    LocalPort(ConfigurableEnvironment environment) {
        this.environment = environment;
    }

    void set(int port) {
        MutablePropertySources sources = environment.getPropertySources();
        Map<String, Object> ports = new HashMap<>();
        ports.put(NAME, port);
        sources.remove(SOURCE);
        sources.addFirst(new MapPropertySource(SOURCE, ports));
    }
}
