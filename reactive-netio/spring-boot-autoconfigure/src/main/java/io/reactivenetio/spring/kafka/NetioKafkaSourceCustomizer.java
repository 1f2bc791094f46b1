// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.kafka;

import io.reactivenetio.kafka.NetioKafkaSource;

/** A bean that changes the settings of a source of {@code netio.kafka.sources}. Several are called in their order. */
@FunctionalInterface
public interface NetioKafkaSourceCustomizer {

    /** Called once for each source, with its name. Returns what is used instead of {@code source}. */
    NetioKafkaSource customize(String name, NetioKafkaSource source);
}
