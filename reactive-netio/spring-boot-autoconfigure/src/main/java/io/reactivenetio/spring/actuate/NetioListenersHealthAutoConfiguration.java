// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.actuate;

import io.reactivenetio.NetioServer;
import io.reactivenetio.spring.annotation.NetioListenerRegistry;
import io.reactivenetio.spring.annotation.autoconfigure.NetioAnnotationAutoConfiguration;
import io.reactivenetio.spring.annotation.listener.ListenerRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthContributor;
import org.springframework.context.annotation.Bean;

/** Shows the health of annotated listeners, where Spring Boot's health is there. */
@AutoConfiguration(after = NetioAnnotationAutoConfiguration.class)
@ConditionalOnClass({NetioServer.class, HealthContributor.class, ConditionalOnEnabledHealthIndicator.class})
public final class NetioListenersHealthAutoConfiguration {

    /** Called by Spring. */
    public NetioListenersHealthAutoConfiguration() {
    }

    @Bean
    @ConditionalOnBean(NetioListenerRegistry.class)
    @ConditionalOnEnabledHealthIndicator("netio")
    @ConditionalOnMissingBean(name = "netioListenersHealthContributor")
    HealthContributor netioListenersHealthContributor(ListenerRegistry registry) {
        return new NetioListenersHealth(registry);
    }
}
