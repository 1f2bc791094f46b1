// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.security;

import java.security.Principal;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** Has code of the application that works for one peer know who that is. Any thread. */
public interface PeerScope {

    /** Who the peer is; null if nobody knows. */
    @Nullable Principal principal();

    /** Has what {@code work} does for the peer know, by its Context, who that is. */
    <T> Mono<T> tell(Mono<T> work);

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

    /** Returns the scope in which only the Context tells who {@code peer} is, as it does without this. */
    static PeerScope of(@Nullable Principal peer) {
        return new PeerScope() {
            @Override
            public @Nullable Principal principal() {
                return peer;
            }

            @Override
            public <T> Mono<T> tell(Mono<T> work) {
                return work;
            }

            @Override
            public @Nullable Object call(Code code) throws Throwable {
                return code.call();
            }
        };
    }
}
