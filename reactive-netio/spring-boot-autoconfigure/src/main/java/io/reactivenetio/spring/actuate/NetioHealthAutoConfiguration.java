// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.actuate;

import io.reactivenetio.NetioServer;
import io.reactivenetio.spring.client.ConfiguredClients;
import io.reactivenetio.spring.kafka.KafkaTransfers;
import io.reactivenetio.spring.kafka.NetioKafkaAutoConfiguration;
import io.reactivenetio.spring.server.NetioServerAutoConfiguration;
import io.reactivenetio.spring.server.NetioServerLifecycle;
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

/** Shows the health of the server, of each client and of what goes to and from Kafka, where Spring Boot's health is there. */
@AutoConfiguration(after = {NetioServerAutoConfiguration.class, NetioKafkaAutoConfiguration.class})
@ConditionalOnClass({NetioServer.class, HealthContributor.class, ConditionalOnEnabledHealthIndicator.class})
public final class NetioHealthAutoConfiguration {

    /** Called by Spring. */
    public NetioHealthAutoConfiguration() {
    }

    /** {@code server}; {@code clients}, with one for each name; {@code kafka} with its sinks and sources. */
    @Bean
    @ConditionalOnEnabledHealthIndicator("netio")
    @ConditionalOnMissingBean(name = "netioHealthContributor")
    HealthContributor netioHealthContributor(ObjectProvider<NetioServerLifecycle> server,
            ObjectProvider<ConfiguredClients> clients, ObjectProvider<KafkaTransfers> kafka) {
        Map<String, HealthContributor> all = new LinkedHashMap<>();
        server.ifAvailable(lifecycle -> all.put("server", new NetioServerHealth(lifecycle)));
        clients.ifAvailable(configured -> {
            if (!configured.all().isEmpty()) {
                all.put("clients", CompositeHealthContributor.fromMap(configured.all(), NetioClientHealth::new));
            }
        });
        Map<String, HealthContributor> kinds = new LinkedHashMap<>();
        kafka.orderedStream().filter(kind -> !kind.all().isEmpty()).forEach(kind ->
                kinds.put(kind.kind(), CompositeHealthContributor.fromMap(kind.all(), NetioKafkaHealth::new)));
        if (!kinds.isEmpty()) {
            all.put("kafka", CompositeHealthContributor.fromMap(kinds));
        }
        return CompositeHealthContributor.fromMap(all);
    }
}
