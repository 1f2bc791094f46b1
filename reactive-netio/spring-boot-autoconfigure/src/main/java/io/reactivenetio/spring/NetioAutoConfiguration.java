// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring;

import io.reactivenetio.NetioServer;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;

/** Configures loops, a server, clients, a publisher and subscribers as {@code netio.*} says. */
@AutoConfiguration
@ConditionalOnClass(NetioServer.class)
public final class NetioAutoConfiguration {

    /** Called by Spring. */
    public NetioAutoConfiguration() {
    }
}
