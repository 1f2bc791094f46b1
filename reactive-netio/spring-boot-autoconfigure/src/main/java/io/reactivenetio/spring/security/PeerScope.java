// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.security;

import java.security.Principal;
import org.jspecify.annotations.Nullable;
import reactor.util.context.Context;

/** Has code of the application that works for one peer know who that is. Any thread. */
public interface PeerScope {

    /** Who the peer is; null if nobody knows. */
    @Nullable Principal principal();

    /**
     * Who the peer is, for a parameter of this type, which is a kind of {@link Principal}.
     *
     * @throws IllegalStateException if the peer is another kind of it
     */
    default @Nullable Principal as(Class<?> type) {
        Principal peer = principal();
        if (peer != null && !type.isInstance(peer)) {
            throw new IllegalStateException("the peer is a " + peer.getClass().getName() + ", and the method takes a "
                    + type.getName() + "; take a Principal");
        }
        return peer;
    }

    /** Returns what the Context of work for the peer has, to know who that is; nothing if nobody knows. */
    Context context();

    /** Calls {@code code}, which can ask its thread who the peer is. */
    @Nullable Object call(Code code) throws Throwable;

    /** Code of the application. */
    @FunctionalInterface
    interface Code {
        @Nullable Object call() throws Throwable;
    }

    /** Makes the scopes of peers. */
    @FunctionalInterface
    interface Factory {
        /** Returns the scope of {@code peer}, which is null if nobody knows who it is. */
        PeerScope of(@Nullable Principal peer);
    }

    /** Returns the scope in which only the Context tells who {@code peer} is. */
    static PeerScope of(@Nullable Principal peer) {
        Context context = peer == null ? Context.empty() : Context.of(Principal.class, peer);
        return new PeerScope() {
            @Override
            public @Nullable Principal principal() {
                return peer;
            }

            @Override
            public Context context() {
                return context;
            }

            @Override
            public @Nullable Object call(Code code) throws Throwable {
                return code.call();
            }
        };
    }
}
