// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.server;

import io.reactivenetio.NetioLoops;
import io.reactivenetio.NetioServer;
import io.reactivenetio.api.NetioAuthenticator;
import io.reactivenetio.api.NetioAuthorizer;
import io.reactivenetio.api.NetioPropagator;
import io.reactivenetio.spring.NetioFigures;
import io.reactivenetio.spring.NetioKeepAlive;
import io.reactivenetio.spring.NetioProperties;
import io.reactivenetio.spring.NetioServerCustomizer;
import io.reactivenetio.spring.NetioServerHandler;
import io.reactivenetio.spring.NetioServerProperties;
import io.reactivenetio.spring.autoconfigure.NetioAutoConfiguration;
import io.reactivenetio.spring.security.PeerScope;
import io.reactivenetio.spring.settings.AccessSettings;
import io.reactivenetio.spring.settings.Setter;
import io.reactivenetio.spring.settings.TransportSettings;
import java.security.Principal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.autoconfigure.context.LifecycleProperties;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.ssl.DefaultSslBundleRegistry;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.core.env.ConfigurableEnvironment;
import reactor.core.publisher.Mono;

/** Configures the server as {@code netio.server.*} says, and starts and stops it with the application. */
@AutoConfiguration(after = NetioAutoConfiguration.class)
@ConditionalOnClass(NetioServer.class)
@EnableConfigurationProperties(LifecycleProperties.class)
public final class NetioServerAutoConfiguration {
    private static final Logger LOG = LoggerFactory.getLogger(NetioServerAutoConfiguration.class);

    /** Called by Spring. */
    public NetioServerAutoConfiguration() {
    }

    @Bean
    @Conditional(OnNetioServer.class)
    @ConditionalOnMissingBean
    NetioServer netioServer(NetioProperties properties, NetioLoops loops, NetioFigures figures,
            ObjectProvider<SslBundles> bundles, ObjectProvider<NetioPropagator> propagators,
            ObjectProvider<NetioServerHandler> handlers, ObjectProvider<NetioServerCustomizer> customizers,
            ObjectProvider<NetioAuthenticator> authenticators, ObjectProvider<NetioAuthorizer> authorizers,
            ObjectProvider<PeerScope.Factory> peers, ConfigurableListableBeanFactory beans) {
        NetioServerProperties own = properties.server();
        NetioServer server = TransportSettings.apply("netio.server.", properties, own, NetioServer.create().runOn(loops),
                bundles.getIfAvailable(DefaultSslBundleRegistry::new));
        server = new Setter<>("netio.server.", server)
                .set("address", own.address(), NetioServer::host)
                .set("port", own.port(), NetioServer::port)
                .set("max-handshakes", own.maxHandshakes(), NetioServer::maxHandshakes)
                .set("max-connections", own.maxConnections(), NetioServer::maxConnections)
                .set("max-connections-per-address", own.maxConnectionsPerAddress(), NetioServer::maxConnectionsPerAddress)
                .get().metrics(figures.server());
        server = AccessSettings.apply(server, own, authenticators.getIfAvailable(), authorizers.getIfAvailable());
        for (NetioPropagator propagator : propagators.orderedStream().toList()) {
            server = server.propagation(propagator);
        }
        List<NetioServerCustomizer> serving = new ArrayList<>();
        for (NetioServerCustomizer customizer : customizers.orderedStream().toList()) {
            NetioServer before = server;
            server = Objects.requireNonNull(customizer.customize(before), () -> customizer + " has returned null");
            if (server != before) {
                serving.add(customizer);
            }
        }
        NetioServerHandler handler = handlers.getIfAvailable();
        server = new ServedTags(beans, own,
                () -> handler != null || serving.stream().anyMatch(NetioServerCustomizer::serves)).on(server);
        PeerScope.Factory scopes = peers.getIfAvailable(() -> PeerScope::of);
        return handler == null ? server : server.handle((in, out) -> Mono.defer(() -> Mono.fromDirect(handler.handle(in, out)))
                .contextWrite(context -> context.putAll(
                        scopes.of(context.getOrDefault(Principal.class, null)).context().readOnly())));
    }

    @Bean
    @ConditionalOnSingleCandidate(NetioServer.class)
    @ConditionalOnMissingBean
    NetioServerLifecycle netioServerLifecycle(NetioServer server, NetioKeepAlive keepAlive, ConfigurableEnvironment environment,
            NetioServerDrain drain) {
        return new NetioServerLifecycle(server, keepAlive, new LocalPort(environment), drain);
    }

    @Bean
    @ConditionalOnSingleCandidate(NetioServer.class)
    NetioServerDrain netioServerDrain(LifecycleProperties lifecycle, NetioProperties properties) {
        Duration wished = properties.server().shutdownTimeout();
        if (wished != null && wished.isNegative()) {
            throw new InvalidConfigurationPropertyValueException("netio.server.shutdown-timeout", wished,
                    "it must not be negative; 0 closes connections at once");
        }
        return new NetioServerDrain(lifecycle.getTimeoutPerShutdownPhase(), wished);
    }

    @Bean
    static SmartInitializingSingleton netioServerChoice(ListableBeanFactory beans) {
        return () -> {
            String[] servers = beans.getBeanNamesForType(NetioServer.class, true, false);
            if (servers.length > 1 && beans.getBeanNamesForType(NetioServerLifecycle.class, true, false).length == 0) {
                LOG.warn("none of these beans of NetioServer is bound: {}. Mark one as @Primary, and bind the others yourself",
                        List.of(servers));
            }
        };
    }

    @Bean
    @ConditionalOnSingleCandidate(NetioServer.class)
    ApplicationListener<ContextClosedEvent> netioServerStopping(NetioServerLifecycle lifecycle, ApplicationContext own) {
        return closed -> {
            if (closed.getApplicationContext() == own) {
                lifecycle.stopping();
            }
        };
    }
}
