// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.security;

import java.security.Principal;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.context.ReactiveSecurityContextHolder;
import org.springframework.security.core.context.SecurityContext;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.core.context.SecurityContextHolderStrategy;
import org.springframework.security.core.context.SecurityContextImpl;
import reactor.core.publisher.Mono;

/** Has Spring Security know who the peer is: in the Context, and on the thread while a method is called. */
record AuthenticatedPeer(Authentication principal) implements PeerScope {

    static PeerScope of(@Nullable Principal peer) {
        return peer == null ? PeerScope.of(null)
                : new AuthenticatedPeer(peer instanceof Authentication known ? known : withoutAuthorities(peer));
    }

    private static Authentication withoutAuthorities(Principal peer) {
        return UsernamePasswordAuthenticationToken.authenticated(peer, "", List.of());
    }

    @Override
    public <T> Mono<T> tell(Mono<T> work) {
        return work.contextWrite(context -> context.put(Principal.class, principal)
                .putAll(ReactiveSecurityContextHolder.withAuthentication(principal).readOnly()));
    }

    @Override
    public @Nullable Object call(Code code) throws Throwable {
        SecurityContextHolderStrategy holder = SecurityContextHolder.getContextHolderStrategy();
        SecurityContext before = holder.getContext();
        holder.setContext(new SecurityContextImpl(principal)); // one for each call, as code may change it
        try {
            return code.call();
        } finally {
            if (before.getAuthentication() == null) {
                holder.clearContext();
            } else {
                holder.setContext(before);
            }
        }
    }
}
