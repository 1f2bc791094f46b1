// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.connection;

import io.reactivenetio.diagnostics.KeptBuffers;
import io.reactivenetio.receive.MessageRun;
import io.reactivenetio.transport.backend.Addresses;
import java.net.SocketAddress;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;

/**
 * Looks at what a decoder does: whether it keeps its buffer, at the first message and three more, {@link KeptBuffers#SAMPLING}
 * apart: a look allocates. If it reads beyond its message, that is said with the tag, the size and the peer. On the loop.
 */
final class DecoderWatch {
    private static final int LOOKS = 4;

    private final Object decoder;
    private final SocketAddress peer;
    /** How many messages are not looked at before the next one that is; below 0 if none is. */
    private int unseen = KeptBuffers.SAMPLING > 0 ? 0 : -1;
    private int looks = LOOKS;

    DecoderWatch(Object decoder, SocketAddress peer) {
        this.decoder = decoder;
        this.peer = peer;
    }

    /** The decoder has made {@code made} of {@code message}. */
    <T> T made(T made, ByteBuffer message) {
        if (unseen == 0) {
            unseen = --looks > 0 ? KeptBuffers.SAMPLING : -1;
            KeptBuffers.check(made, message, decoder);
        }
        if (unseen > 0) {
            unseen--;
        }
        return made;
    }

    RuntimeException failed(RuntimeException thrown, MessageRun at) {
        String tag = at.tag() == 0 ? "" : " with tag " + Long.toUnsignedString(at.tag());
        String what = "decoding a message of " + at.length() + " bytes" + tag + " from " + Addresses.format(peer) + " failed: "
                + thrown;
        RuntimeException told = thrown instanceof BufferUnderflowException ? new Underflow(what)
                : new IndexOutOfBoundsException(what);
        told.initCause(thrown);
        return told;
    }

    /** A BufferUnderflowException has no text. */
    private static final class Underflow extends BufferUnderflowException {
        private static final long serialVersionUID = 1;

        private final String text;

        Underflow(String text) {
            this.text = text;
        }

        @Override
        public String getMessage() {
            return text;
        }
    }
}
