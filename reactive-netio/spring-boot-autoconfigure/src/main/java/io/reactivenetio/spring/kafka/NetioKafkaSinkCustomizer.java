// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.kafka;

import io.reactivenetio.kafka.NetioKafkaSink;

/** A bean that changes the settings of a sink of {@code netio.kafka.sinks}. Several are called in their order. */
@FunctionalInterface
public interface NetioKafkaSinkCustomizer {

    /** Called once for each sink, with its name. Returns what is used instead of {@code sink}. */
    NetioKafkaSink customize(String name, NetioKafkaSink sink);
}
