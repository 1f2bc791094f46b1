// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.metrics;

import io.micrometer.observation.ObservationRegistry;
import io.reactivenetio.NetioServer;
import io.reactivenetio.micrometer.NetioObservations;
import io.reactivenetio.spring.autoconfigure.NetioAutoConfiguration;
import io.reactivenetio.spring.server.NetioServerAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** Has the server and each client observed, where there is an {@link ObservationRegistry}, as Actuator brings one. */
@AutoConfiguration(before = {NetioAutoConfiguration.class, NetioServerAutoConfiguration.class}, afterName =
        "org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration")
@ConditionalOnClass({NetioServer.class, NetioObservations.class, ObservationRegistry.class})
@ConditionalOnBean(ObservationRegistry.class)
public final class NetioObservationAutoConfiguration {

    /** Called by Spring. */
    public NetioObservationAutoConfiguration() {
    }

    @Bean
    @ConditionalOnMissingBean
    NetioObservations netioObservations(ObservationRegistry registry) {
        return NetioObservations.create(registry);
    }
}
