// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.kafka;

import io.micrometer.core.instrument.binder.MeterBinder;
import io.reactivenetio.NetioServer;
import io.reactivenetio.kafka.NetioKafkaMeters;
import io.reactivenetio.kafka.NetioKafkaSink;
import io.reactivenetio.spring.NetioClients;
import io.reactivenetio.spring.NetioKeepAlive;
import io.reactivenetio.spring.NetioPhases;
import io.reactivenetio.spring.autoconfigure.NetioAutoConfiguration;
import io.reactivenetio.spring.metrics.NetioMeterBinder;
import io.reactivenetio.spring.server.NetioServerAutoConfiguration;
import io.reactivenetio.spring.settings.UnknownProperties;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingClass;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.Environment;

/** Has sinks and sources of Kafka run with the application, as {@code netio.kafka.*} says. */
@AutoConfiguration(after = {NetioAutoConfiguration.class, NetioServerAutoConfiguration.class})
@ConditionalOnClass(NetioServer.class)
@Conditional(OnNetioKafka.class)
@EnableConfigurationProperties(NetioKafkaProperties.class)
public final class NetioKafkaAutoConfiguration {

    /** Called by Spring. */
    public NetioKafkaAutoConfiguration() {
    }

    @Bean
    static UnknownProperties netioUnknownKafkaProperties(ConfigurableEnvironment environment) {
        return new UnknownProperties(environment, "netio.kafka", NetioKafkaProperties.class);
    }

    /** Where reactive-netio-kafka is there. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(NetioKafkaSink.class)
    static class Transfers {
        @Bean
        KafkaTransferFactory netioKafkaTransfers(NetioKafkaProperties properties, Environment environment) {
            return new KafkaTransferFactory(properties, environment);
        }

        @Bean
        KafkaTransfers netioKafkaSinks(KafkaTransferFactory factory, NetioClients clients, NetioKeepAlive keepAlive,
                ObjectProvider<NetioKafkaSinkCustomizer> customizers) {
            return new KafkaTransfers("sinks", NetioPhases.CONSUME,
                    factory.sinks(clients, customizers.orderedStream().toList()), keepAlive);
        }

        @Bean
        KafkaTransfers netioKafkaSources(KafkaTransferFactory factory, ListableBeanFactory beans, NetioKeepAlive keepAlive,
                ObjectProvider<NetioKafkaSourceCustomizer> customizers) {
            return new KafkaTransfers("sources", NetioPhases.SUPPLY,
                    factory.sources(beans, customizers.orderedStream().toList()), keepAlive);
        }
    }

    /** Where reactive-netio-kafka and Micrometer are there. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({NetioKafkaSink.class, MeterBinder.class})
    static class Meters {
        @Bean
        @ConditionalOnMissingBean(name = "netioKafkaMeterBinder")
        MeterBinder netioKafkaMeterBinder(ObjectProvider<KafkaTransfers> transfers) {
            return registry -> transfers.orderedStream().forEach(kind -> kind.all().forEach((name, one) -> {
                if (one instanceof KafkaSinkTransfer writing) {
                    NetioKafkaMeters.of(writing.sink(), NetioMeterBinder.tags("sink", name)).bindTo(registry);
                } else if (one instanceof KafkaSourceTransfer reading) {
                    NetioKafkaMeters.of(reading.source(), NetioMeterBinder.tags("source", name)).bindTo(registry);
                }
            }));
        }
    }

    /** Where it is configured, and not there. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnMissingClass("io.reactivenetio.kafka.NetioKafkaSink")
    static class Missing {
        Missing() {
            throw new KafkaSettingsException("Sinks or sources are configured under netio.kafka, and reactive-netio-kafka is not"
                    + " on the class path", "Add io.reactivenetio:reactive-netio-kafka to the dependencies, or remove"
                    + " netio.kafka.*", null);
        }
    }
}
