// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.security;

import java.security.Principal;
import org.jspecify.annotations.Nullable;
import reactor.util.context.Context;

/** Has code of the application that works for one peer know who that is. Any thread. */
public interface PeerScope {

    /** Who the peer is; null if nobody knows. */
    @Nullable Principal principal();

    /** Returns {@code context} with who the peer is. */
    Context in(Context context);

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
        return new PeerScope() {
            @Override
            public @Nullable Principal principal() {
                return peer;
            }

            @Override
            public Context in(Context context) {
                return peer == null ? context : context.put(Principal.class, peer);
            }

            @Override
            public @Nullable Object call(Code code) throws Throwable {
                return code.call();
            }
        };
    }
}
