// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.connection;

import io.reactivenetio.api.TaggedMessage;
import io.reactivenetio.diagnostics.UnflippedBuffers;
import java.nio.ByteBuffer;

/** Copies messages for users who keep them longer than the receive buffer. */
public final class HeapCopy {

    private HeapCopy() {
    }

    /** A new heap buffer with the bytes of {@code message} from position to limit, which stay, in its byte order. */
    public static ByteBuffer of(ByteBuffer message) {
        int bytes = message.remaining();
        if (bytes == 0) {
            UnflippedBuffers.check(message);
        }
        return ByteBuffer.allocate(bytes).put(0, message, message.position(), bytes).order(message.order());
    }

    /** A message with a copy of {@code payload}. It is a {@link io.reactivenetio.api.TaggedDecoder}. */
    public static TaggedMessage tagged(long tag, int status, ByteBuffer payload) {
        return new TaggedMessage(tag, status, of(payload));
    }

    /** A new heap buffer with {@code before}, and behind it the bytes of {@code message} from position to limit, which stay. */
    public static ByteBuffer of(byte[] before, ByteBuffer message) {
        int bytes = message.remaining();
        if (bytes == 0) {
            UnflippedBuffers.check(message);
        }
        return ByteBuffer.allocate(before.length + bytes).put(0, before).put(before.length, message, message.position(), bytes);
    }
}
