// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.security;

import io.reactivenetio.NetioServer;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.security.core.Authentication;

/** Has Spring Security, if it is there, know who the peer is. */
@AutoConfiguration
@ConditionalOnClass({NetioServer.class, Authentication.class})
public final class NetioSecurityAutoConfiguration {

    /** Called by Spring. */
    public NetioSecurityAutoConfiguration() {
    }

    @Bean
    PeerScope.Factory netioPeerScopes() {
        return AuthenticatedPeer::of;
    }
}
