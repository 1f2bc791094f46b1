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
import reactor.util.context.Context;

/** Has Spring Security know who the peer is: in the Context, and on the thread while a method is called. */
record AuthenticatedPeer(Authentication principal, Context context) implements PeerScope {

    static PeerScope of(@Nullable Principal peer) {
        if (peer == null) {
            return PeerScope.of(null);
        }
        Authentication known = peer instanceof Authentication own ? own : withoutAuthorities(peer);
        return new AuthenticatedPeer(known, ReactiveSecurityContextHolder.withAuthentication(known).put(Principal.class, known));
    }

    private static Authentication withoutAuthorities(Principal peer) {
        return UsernamePasswordAuthenticationToken.authenticated(peer, "", List.of());
    }

    /** For a type of the application's own, what the authentication is of. */
    @Override
    public @Nullable Principal as(Class<?> type) {
        return !type.isInstance(principal) && type.isInstance(principal.getPrincipal()) ? (Principal) principal.getPrincipal()
                : PeerScope.super.as(type);
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
