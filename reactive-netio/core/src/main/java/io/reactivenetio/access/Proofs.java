// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.access;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Proofs that a side knows a secret: HMAC-SHA-256 over all that was said before. Not for the loop.
 *
 * @param accepting,connecting what the two sides have said first: their handshakes
 * @param challenge,answer a random number of each
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record Proofs(byte[] accepting, byte[] connecting, byte[] challenge, byte[] answer, String name) {
    private static final String ALGORITHM = "HmacSHA256";
    private static final SecureRandom RANDOM = new SecureRandom();

    /** Who proves it. */
    enum Side {
        CONNECTS(1),
        ACCEPTS(2);

        private final byte code;

        Side(int code) {
            this.code = (byte) code;
        }
    }

    /** A random number that nobody has seen before. */
    static byte[] nonce(int bytes) {
        byte[] nonce = new byte[bytes];
        RANDOM.nextBytes(nonce);
        return nonce;
    }

    byte[] of(Side side, byte[] secret) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(secret, ALGORITHM));
            mac.update(side.code);
            mac.update(accepting);
            mac.update(connecting);
            mac.update(challenge);
            mac.update(answer);
            return mac.doFinal(name.getBytes(StandardCharsets.UTF_8));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has " + ALGORITHM, e);
        }
    }
}
