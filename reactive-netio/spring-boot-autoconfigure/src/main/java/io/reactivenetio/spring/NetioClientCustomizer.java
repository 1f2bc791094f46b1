// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring;

import io.reactivenetio.NetioClient;

/** A bean that changes each client, after {@code netio.clients.<name>.*}. Several are called in their order. */
@FunctionalInterface
public interface NetioClientCustomizer {

    /** Returns {@code client}, which is configured as {@code name}, or what its settings make of it. */
    NetioClient customize(String name, NetioClient client);
}
