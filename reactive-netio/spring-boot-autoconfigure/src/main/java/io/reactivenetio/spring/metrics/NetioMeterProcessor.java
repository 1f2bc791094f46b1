// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.reactivenetio.NetioLoops;
import io.reactivenetio.micrometer.NetioMeters;
import io.reactivenetio.pubsub.NetioPublisher;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;

/** Binds the meters of loops and publishers when these are made, which is when somebody uses them. */
final class NetioMeterProcessor implements BeanPostProcessor {
    private final ObjectProvider<MeterRegistry> registry;

    NetioMeterProcessor(ObjectProvider<MeterRegistry> registry) {
        this.registry = registry;
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        if (bean instanceof NetioLoops loops) {
            registry.ifAvailable(to -> NetioMeters.of(loops, Tags.empty()).bindTo(to));
        } else if (bean instanceof NetioPublisher publisher) {
            registry.ifAvailable(to -> NetioMeters.of(publisher, NetioMeterBinder.tags("publisher", beanName)).bindTo(to));
        }
        return bean;
    }
}
