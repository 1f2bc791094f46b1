// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.reactivenetio.NetioServer;
import io.reactivenetio.micrometer.NetioMeters;
import io.reactivenetio.spring.NetioFigures;
import io.reactivenetio.spring.annotation.autoconfigure.NetioAnnotationAutoConfiguration;
import io.reactivenetio.spring.annotation.listener.ListenerRegistry;
import io.reactivenetio.spring.client.ConfiguredClients;
import io.reactivenetio.spring.server.NetioServerAutoConfiguration;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** Has meters for what server, clients and listeners do, where Micrometer is there. Spring Boot binds them to its registries. */
@AutoConfiguration(after = {NetioServerAutoConfiguration.class, NetioAnnotationAutoConfiguration.class})
@ConditionalOnClass({NetioServer.class, NetioMeters.class, MeterBinder.class})
public final class NetioMetricsAutoConfiguration {

    /** Called by Spring. */
    public NetioMetricsAutoConfiguration() {
    }

    @Bean
    @ConditionalOnMissingBean(name = "netioMeterBinder")
    MeterBinder netioMeterBinder(NetioFigures figures, ObjectProvider<NetioServer> server,
            ObjectProvider<ConfiguredClients> clients) {
        return new NetioMeterBinder(figures, server.stream().findAny().isPresent(), clients.getIfAvailable());
    }

    @Bean
    @ConditionalOnBean(ListenerRegistry.class)
    @ConditionalOnMissingBean(name = "netioListenerMeters")
    MeterBinder netioListenerMeters(ListenerRegistry listeners) {
        return new NetioListenerMeters(listeners);
    }

    @Bean
    static NetioMeterProcessor netioMeterProcessor(ObjectProvider<MeterRegistry> registry) {
        return new NetioMeterProcessor(registry);
    }
}
