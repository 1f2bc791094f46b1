// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.annotation.autoconfigure;

import io.reactivenetio.NetioServer;
import io.reactivenetio.pubsub.NetioPublisher;
import io.reactivenetio.spring.NetioClientCustomizer;
import io.reactivenetio.spring.NetioClients;
import io.reactivenetio.spring.NetioCodecs;
import io.reactivenetio.spring.NetioKeepAlive;
import io.reactivenetio.spring.NetioProperties;
import io.reactivenetio.spring.annotation.NetioListenersProperties;
import io.reactivenetio.spring.annotation.NetioRequesters;
import io.reactivenetio.spring.annotation.listener.ListenerRegistry;
import io.reactivenetio.spring.annotation.listener.Listeners;
import io.reactivenetio.spring.annotation.mapping.MappingConnections;
import io.reactivenetio.spring.annotation.mapping.MappingRegistry;
import io.reactivenetio.spring.annotation.mapping.Mappings;
import io.reactivenetio.spring.annotation.method.AnnotatedMethods;
import io.reactivenetio.spring.annotation.method.Texts;
import io.reactivenetio.spring.annotation.publish.Published;
import io.reactivenetio.spring.autoconfigure.NetioAutoConfiguration;
import io.reactivenetio.spring.security.PeerScope;
import io.reactivenetio.spring.server.NetioServerAutoConfiguration;
import io.reactivenetio.spring.settings.UnknownProperties;
import java.util.function.BooleanSupplier;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.ConfigurableEnvironment;

/** Has methods that are annotated receive, answer and publish. */
@AutoConfiguration(after = {NetioAutoConfiguration.class, NetioServerAutoConfiguration.class})
@ConditionalOnClass(NetioServer.class)
@EnableConfigurationProperties(NetioListenersProperties.class)
public final class NetioAnnotationAutoConfiguration {

    /** Called by Spring. */
    public NetioAnnotationAutoConfiguration() {
    }

    @Bean
    ListenerRegistry netioListenerRegistry(NetioKeepAlive keepAlive) {
        return new ListenerRegistry(keepAlive);
    }

    @Bean
    static UnknownProperties netioUnknownListenersProperties(ConfigurableEnvironment environment) {
        return new UnknownProperties(environment, "netio.listeners", NetioListenersProperties.class);
    }

    @Bean
    MappingRegistry netioMappings(ObjectProvider<PeerScope.Factory> peers) {
        return new MappingRegistry(peers.getIfAvailable(() -> PeerScope::of));
    }

    @Bean
    NetioClientCustomizer netioMappingClients(MappingRegistry mappings) {
        return (name, client) -> client.doOnConnected(connection -> mappings.serve(name, connection));
    }

    @Bean
    MappingConnections netioMappingConnections(MappingRegistry mappings, NetioClients clients, NetioKeepAlive keepAlive) {
        return new MappingConnections(mappings, clients, keepAlive);
    }

    @Bean
    NetioRequesters netioRequesters(NetioClients clients, NetioCodecs codecs) {
        return new NetioRequesters(clients, codecs);
    }

    @Bean
    static AnnotatedMethods netioAnnotatedMethods(ConfigurableListableBeanFactory beans, NetioClients clients,
            NetioCodecs codecs, ListenerRegistry registry, MappingRegistry mappings, NetioProperties properties,
            NetioListenersProperties listeners, ObjectProvider<PeerScope.Factory> peers) {
        Texts texts = new Texts(beans);
        BooleanSupplier hasServer = () -> beans.getBeanNamesForType(NetioServer.class, true, false).length > 0;
        return new AnnotatedMethods(beans, new Listeners(beans, texts, clients, codecs, registry, listeners.onComplete(),
                peers.getIfAvailable(() -> PeerScope::of)),
                new Mappings(texts, clients, codecs, mappings, hasServer, properties.server().framing()),
                new Published(texts, codecs, () -> hasServer.getAsBoolean() ? beans.getBean(NetioPublisher.class) : null));
    }
}
