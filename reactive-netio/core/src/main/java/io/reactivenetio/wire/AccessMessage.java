// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.wire;

import io.reactivenetio.api.NetioCredentials;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** A message with which a client shows who it is, or the answer to that. docs/wire-format.md has the bytes. */
@SuppressWarnings("ArrayRecordComponent") // they are read once, and never compared
public sealed interface AccessMessage {
    /** Bytes of a random number. */
    int NONCE = 32;
    /** Bytes of a proof: HMAC-SHA-256. */
    int PROOF = 32;

    /** The accepting side asks. */
    record Challenge(byte[] nonce) implements AccessMessage {
        @Override
        public byte[] encode() {
            return joined(1, nonce);
        }
    }

    /** The connecting side knows the secret of this name. */
    record SecretAnswer(String name, byte[] nonce, byte[] proof) implements AccessMessage {
        @Override
        public byte[] encode() {
            byte[] utf8 = name.getBytes(StandardCharsets.UTF_8);
            return joined(2, new byte[] {(byte) utf8.length}, utf8, nonce, proof);
        }
    }

    /** The connecting side has a token. */
    record TokenAnswer(String token) implements AccessMessage {
        @Override
        public byte[] encode() {
            return joined(3, token.getBytes(StandardCharsets.UTF_8));
        }
    }

    /** The accepting side knows who it is. The proof is that it knows the secret; without one it has no bytes. */
    record Accepted(byte[] proof) implements AccessMessage {
        @Override
        public byte[] encode() {
            return joined(4, proof);
        }
    }

    /** The accepting side refuses, and closes the connection. */
    record Refused(String text) implements AccessMessage {
        private static final int MOST = 512;

        @Override
        public byte[] encode() {
            byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
            return joined(5, utf8.length > MOST ? Arrays.copyOf(utf8, MOST) : utf8);
        }
    }

    /** All of its bytes. */
    byte[] encode();

    private static byte[] joined(int kind, byte[]... parts) {
        ByteBuffer all = ByteBuffer.allocate(1 + Arrays.stream(parts).mapToInt(part -> part.length).sum());
        all.put((byte) kind);
        for (byte[] part : parts) {
            all.put(part);
        }
        return all.array();
    }

    /**
     * Reads a message, from the position of {@code source} to its limit.
     *
     * @throws ProtocolException if it is none
     */
    static AccessMessage decode(ByteBuffer source) throws ProtocolException {
        ByteBuffer rest = source.duplicate();
        int bytes = rest.remaining();
        int kind = bytes == 0 ? 0 : rest.get();
        AccessMessage message = switch (kind) {
            case 1 -> new Challenge(next(rest, NONCE));
            case 2 -> new SecretAnswer(text(next(rest, length(rest))), next(rest, NONCE), next(rest, PROOF));
            case 3 -> new TokenAnswer(text(next(rest, rest.remaining())));
            case 4 -> new Accepted(next(rest, rest.hasRemaining() ? PROOF : 0));
            case 5 -> new Refused(PeerText.shown(new String(next(rest, rest.remaining()), StandardCharsets.UTF_8)));
            default -> throw new ProtocolException("a message of kind " + kind + " and " + bytes
                    + " bytes before it is known who connects");
        };
        if (rest.hasRemaining() || message instanceof SecretAnswer secret && secret.name.isEmpty()
                || message instanceof TokenAnswer && (bytes == 1 || bytes > 1 + NetioCredentials.LONGEST_TOKEN)) {
            throw wrongLength(bytes);
        }
        return message;
    }

    private static int length(ByteBuffer rest) throws ProtocolException {
        return Byte.toUnsignedInt(next(rest, 1)[0]);
    }

    private static byte[] next(ByteBuffer rest, int bytes) throws ProtocolException {
        if (rest.remaining() < bytes) {
            throw wrongLength(rest.limit());
        }
        byte[] part = new byte[bytes];
        rest.get(part);
        return part;
    }

    private static ProtocolException wrongLength(int bytes) {
        return new ProtocolException("a message of " + bytes + " bytes, which is wrong for its kind, before it is known"
                + " who connects");
    }

    private static String text(byte[] utf8) throws ProtocolException {
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(utf8)).toString();
        } catch (CharacterCodingException e) {
            throw new ProtocolException("a name or a token that is not UTF-8");
        }
    }
}
