// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring;

import io.reactivenetio.NetioServer;
import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.CompositeHealthContributor;
import org.springframework.boot.health.contributor.HealthContributor;
import org.springframework.context.annotation.Bean;

/** Shows the health of the server and of each client, where Spring Boot's health is there. */
@AutoConfiguration(after = NetioServerAutoConfiguration.class)
@ConditionalOnClass({NetioServer.class, HealthContributor.class, ConditionalOnEnabledHealthIndicator.class})
public final class NetioHealthAutoConfiguration {

    /** Called by Spring. */
    public NetioHealthAutoConfiguration() {
    }

    /** {@code server}, and {@code clients} with one for each name. */
    @Bean
    @ConditionalOnEnabledHealthIndicator("netio")
    @ConditionalOnMissingBean(name = "netioHealthContributor")
    HealthContributor netioHealthContributor(ObjectProvider<NetioServerLifecycle> server,
            ObjectProvider<ConfiguredClients> clients) {
        Map<String, HealthContributor> all = new LinkedHashMap<>();
        server.ifAvailable(lifecycle -> all.put("server", new NetioServerHealth(lifecycle)));
        clients.ifAvailable(configured -> {
            if (!configured.all().isEmpty()) {
                all.put("clients", CompositeHealthContributor.fromMap(configured.all(), NetioClientHealth::new));
            }
        });
        return CompositeHealthContributor.fromMap(all);
    }
}
