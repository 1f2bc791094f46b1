// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.actuate;

import io.reactivenetio.NetioServer;
import io.reactivenetio.spring.NetioProperties;
import io.reactivenetio.spring.autoconfigure.NetioAutoConfiguration;
import io.reactivenetio.spring.kafka.KafkaTransfers;
import io.reactivenetio.spring.kafka.NetioKafkaAutoConfiguration;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.info.ConditionalOnEnabledInfoContributor;
import org.springframework.boot.actuate.info.InfoContributor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** Tells of the backend at the info endpoint, where the Actuator is there. */
@AutoConfiguration(after = {NetioAutoConfiguration.class, NetioKafkaAutoConfiguration.class})
@ConditionalOnClass({NetioServer.class, InfoContributor.class, ConditionalOnEnabledInfoContributor.class})
public final class NetioInfoAutoConfiguration {

    /** Called by Spring. */
    public NetioInfoAutoConfiguration() {
    }

    @Bean
    @ConditionalOnEnabledInfoContributor("netio")
    @ConditionalOnMissingBean(name = "netioInfoContributor")
    InfoContributor netioInfoContributor(NetioProperties properties, ObjectProvider<KafkaTransfers> kafka) {
        return new NetioInfo(properties, kafka.orderedStream().toList());
    }
}
