// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.autoconfigure;

import io.reactivenetio.NetioLoops;
import io.reactivenetio.NetioServer;
import io.reactivenetio.api.NetioPropagator;
import io.reactivenetio.pubsub.NetioPublisher;
import io.reactivenetio.spring.NetioClientCustomizer;
import io.reactivenetio.spring.NetioClients;
import io.reactivenetio.spring.NetioFigures;
import io.reactivenetio.spring.NetioKeepAlive;
import io.reactivenetio.spring.NetioLoopsCustomizer;
import io.reactivenetio.spring.NetioProperties;
import io.reactivenetio.spring.NetioProperties.Loops;
import io.reactivenetio.spring.NetioPublisherCustomizer;
import io.reactivenetio.spring.client.ConfiguredClients;
import io.reactivenetio.spring.client.NetioClientsFactory;
import io.reactivenetio.spring.settings.Setter;
import io.reactivenetio.spring.settings.UnknownProperties;
import io.reactivenetio.transport.BackendType;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.ssl.DefaultSslBundleRegistry;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.ConfigurableEnvironment;

/** Configures loops, clients with their subscribers, and a publisher, as {@code netio.*} says. */
@AutoConfiguration
@ConditionalOnClass(NetioServer.class)
@EnableConfigurationProperties(NetioProperties.class)
@ImportRuntimeHints(NetioRuntimeHints.class)
public final class NetioAutoConfiguration {
    private static final Logger LOG = LoggerFactory.getLogger(NetioAutoConfiguration.class);

    /** Called by Spring. */
    public NetioAutoConfiguration() {
    }

    @Bean(destroyMethod = "dispose")
    @Lazy // no threads where nothing is configured
    @ConditionalOnMissingBean
    NetioLoops netioLoops(NetioProperties properties, ObjectProvider<NetioLoopsCustomizer> customizers) {
        NetioLoops.Builder builder = configured(properties.loops());
        for (NetioLoopsCustomizer customizer : customizers.orderedStream().toList()) {
            builder = Objects.requireNonNull(customizer.customize(builder), () -> customizer + " has returned null");
        }
        NetioLoops loops = build(builder, properties.loops());
        if (!BackendType.class.getModule().isNativeAccessEnabled()) { // the module that calls native functions
            LOG.info("native access is not enabled, which later JDKs deny: start the JVM with --enable-native-access=ALL-UNNAMED,"
                    + " or have Enable-Native-Access: ALL-UNNAMED in the manifest of the jar that is started");
        }
        return loops;
    }

    private static NetioLoops build(NetioLoops.Builder builder, Loops loops) {
        try {
            return builder.build();
        } catch (IllegalArgumentException e) { // only CPUs are refused as late as this
            throw new InvalidConfigurationPropertyValueException("netio.loops.cpus", loops.cpus(), e.getMessage());
        } catch (UncheckedIOException e) { // descriptors
            throw new InvalidConfigurationPropertyValueException("netio.loops.number", loops.number(), "there cannot be so many"
                    + " loops here: " + e.getMessage());
        }
    }

    private static NetioLoops.Builder configured(Loops loops) {
        List<Integer> cpus = loops.cpus();
        if (cpus != null && cpus.isEmpty()) {
            throw new InvalidConfigurationPropertyValueException("netio.loops.cpus", "", "it names no CPU: name one for each"
                    + " loop, or leave it out");
        }
        Integer number = loops.number() == null && cpus != null ? Integer.valueOf(cpus.size()) : loops.number();
        return new Setter<>("netio.loops.", NetioLoops.builder().name(loops.name()).daemon(loops.daemon()))
                .set("number", number, NetioLoops.Builder::number)
                .set("spin", loops.spin(), NetioLoops.Builder::spin)
                .set("adaptive-spin", loops.adaptiveSpin(), NetioLoops.Builder::adaptiveSpin)
                .set("mechanism", loops.mechanism(), NetioLoops.Builder::mechanism)
                .set("cpus", cpus, (builder, all) -> builder.affinity(all.stream().mapToInt(Integer::intValue).toArray()))
                .set("reassembly-budget", loops.reassemblyBudget(), (builder, size) -> builder.reassemblyBudget(size.toBytes()))
                .get();
    }

    @Bean
    static UnknownProperties netioUnknownProperties(ConfigurableEnvironment environment) {
        return new UnknownProperties(environment, "netio", NetioProperties.class, "netio.kafka", "netio.listeners");
    }

    @Bean
    NetioFigures netioFigures(NetioProperties properties) {
        return new NetioFigures(properties.clients().keySet());
    }

    @Bean
    @ConditionalOnMissingBean
    NetioKeepAlive netioKeepAlive() {
        return new NetioKeepAlive();
    }

    @Bean
    @ConditionalOnMissingBean(NetioClients.class)
    ConfiguredClients netioClients(NetioProperties properties, NetioFigures figures, ObjectProvider<NetioLoops> loops,
            ObjectProvider<NetioPropagator> propagators, ObjectProvider<NetioClientCustomizer> customizers,
            ObjectProvider<SslBundles> bundles) {
        return properties.clients().isEmpty() ? new ConfiguredClients(Map.of())
                : new NetioClientsFactory(properties, figures, propagators.orderedStream().toList(),
                        customizers.orderedStream().toList(), bundles.getIfAvailable(DefaultSslBundleRegistry::new))
                        .make(loops.getObject());
    }

    @Bean(destroyMethod = "dispose")
    @Lazy // ServedTags sees whether somebody uses it
    @ConditionalOnMissingBean
    NetioPublisher netioPublisher(NetioProperties properties, ObjectProvider<NetioPublisherCustomizer> customizers) {
        NetioProperties.Publisher own = properties.publisher();
        NetioPublisher.Builder settings = new Setter<>("netio.publisher.", NetioPublisher.builder().whenSlow(own.policy()))
                .set("queue", own.queue(), NetioPublisher.Builder::queue)
                .set("stall-timeout", own.stallTimeout(), NetioPublisher.Builder::stallTimeout)
                .get();
        NetioProperties.ByteOrder served = properties.server().byteOrder();
        if (served != null) {
            settings = settings.byteOrder(served.order()); // what the server's connections show, encoders write
        }
        NetioPublisher publisher = settings.build();
        customizers.orderedStream().forEach(customizer -> customizer.customize(publisher));
        return publisher;
    }
}
