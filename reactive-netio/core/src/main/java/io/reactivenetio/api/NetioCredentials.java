// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.api;

import java.nio.charset.StandardCharsets;
import reactor.core.publisher.Mono;

/** What a client shows a server that asks who it is. Set with {@link io.reactivenetio.NetioClient#credentials}. */
public sealed interface NetioCredentials {
    /** How many bytes a secret has at least. */
    int SHORTEST_SECRET = 16;

    /** How many bytes a name has at most, in UTF-8. */
    int LONGEST_NAME = 255;

    /** How many bytes a token has at most, in UTF-8. */
    int LONGEST_TOKEN = 8_192;

    /**
     * A name, and a secret that this side and the server have. The secret itself is never sent. Both sides prove that they know
     * it.
     *
     * <p>This needs no TLS, and does not replace it: everybody on the way can read what follows, and can change it.
     * Whoever records the proofs can try secrets at leisure, so a secret has to be random bytes, and not a password.
     *
     * @throws IllegalArgumentException if the name has no character or more than {@value #LONGEST_NAME} bytes in UTF-8, or the
     *     secret less than {@value #SHORTEST_SECRET} bytes
     */
    static Secret secret(String name, byte[] secret) {
        return new Secret(name, secret);
    }

    /**
     * A token, such as a JWT, which the server has somebody check. Only with {@link io.reactivenetio.NetioTransport#secure},
     * because whoever reads it can use it.
     *
     * @param token subscribed to at each connect, on a worker thread; text of 1 to {@value #LONGEST_TOKEN} bytes in UTF-8, which
     *     must fit the server's receive buffer
     */
    static NetioCredentials token(Mono<String> token) {
        return new Token(token);
    }

    /** A name and a secret. */
    final class Secret implements NetioCredentials {
        private final String name;
        private final byte[] secret;

        private Secret(String name, byte[] secret) {
            int bytes = name.getBytes(StandardCharsets.UTF_8).length;
            if (bytes < 1 || bytes > LONGEST_NAME) {
                throw new IllegalArgumentException("the name of a secret has 1 to " + LONGEST_NAME + " bytes, and not " + bytes);
            }
            if (secret.length < SHORTEST_SECRET) {
                throw new IllegalArgumentException("a secret of " + secret.length + " bytes can be guessed: take "
                        + SHORTEST_SECRET + " random ones or more, such as those of openssl rand 32");
            }
            this.name = name;
            this.secret = secret.clone();
        }

        public String name() {
            return name;
        }

        /** A copy of the secret. */
        public byte[] secret() {
            return secret.clone();
        }

        @Override
        public String toString() {
            return "the secret of " + name;
        }
    }

    /** A token. */
    record Token(Mono<String> token) implements NetioCredentials {
        @Override
        public String toString() {
            return "a token";
        }
    }
}
