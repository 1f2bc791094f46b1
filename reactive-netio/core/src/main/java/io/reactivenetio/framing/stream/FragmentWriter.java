// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.framing.stream;

import io.reactivenetio.send.MessageSender;
import io.reactivenetio.wire.FrameWriter;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** The rest of a stream's message of which the first part is sent, and the room that the peer has for all of it. On the loop. */
final class FragmentWriter {
    private final StreamSession session;
    private @Nullable ByteBuffer rest;
    private @Nullable MessageSender<?> sender;
    /** Bytes of the whole message: the peer has room for them until its last part, or the end of the stream. */
    private int reserved;

    FragmentWriter(StreamSession session) {
        this.session = session;
    }

    /** {@code bytes} are reserved; {@code of} is null if it is a feed's message. */
    void begin(ByteBuffer message, int bytes, @Nullable MessageSender<?> of) {
        rest = message;
        reserved = bytes;
        sender = of;
    }

    boolean isOpen() {
        return rest != null;
    }

    @Nullable MessageSender<?> sender() {
        return sender;
    }

    /** The next part; the bytes of the message if that was the last, or -1 if the page is full. */
    int write(FrameWriter writer, int stream) {
        ByteBuffer message = rest;
        if (message == null || writer.nextPart(stream, message) < 0 || message.hasRemaining()) {
            return -1;
        }
        int bytes = reserved;
        forget();
        release();
        return bytes;
    }

    /** It will not go on. The room is free when the peer has been told so, and not before. */
    void forget() {
        rest = null;
        sender = null;
    }

    void release() {
        int bytes = reserved;
        if (bytes > 0) {
            reserved = 0;
            session.roomAtPeer().release(bytes);
        }
    }
}
