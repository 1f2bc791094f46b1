// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.api;

import java.security.Principal;
import java.util.Map;
import reactor.core.publisher.Mono;

/**
 * Says who a client is, by what it shows. Set with {@link io.reactivenetio.NetioServer#authenticate}.
 *
 * <p>A client whose Mono is empty or fails is refused, and told no more than that. The server's log has the reason. An answer
 * that takes longer than the connect time-out counts as a failure. Each failure makes the next answer to the same address later:
 * by 0.1 s, 0.2 s, and so on up to 3.2 s, until the address has had none for a minute.
 */
@FunctionalInterface
public interface NetioAuthenticator {

    /**
     * Who has shown {@code shown}. Called on a worker thread, for each connection. It may block for a moment. The Mono may
     * signal on any thread.
     */
    Mono<? extends Principal> authenticate(PeerCredentials shown);

    /**
     * Clients that prove that they know the secret of the name that they say: see {@link NetioCredentials#secret}.
     *
     * @param secrets the secrets, of 16 bytes or more, by name; looked at for each connection
     */
    static NetioAuthenticator secrets(Map<String, byte[]> secrets) {
        return shown -> {
            byte[] secret = secrets.get(shown.name());
            // an unknown name takes as long as a known one
            boolean proven = shown.proves(secret == null ? new byte[NetioCredentials.SHORTEST_SECRET] : secret);
            return proven && secret != null ? Mono.just(new NamedPrincipal(shown.name())) : Mono.empty();
        };
    }
}
