// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.framing.stream;

import io.reactivenetio.send.MessageSender;
import io.reactivenetio.send.WaitingMessage;
import io.reactivenetio.wire.FrameWriter;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** The rest of a stream's message of which the first part is sent, and the room that the peer has for all of it. On the loop. */
final class FragmentWriter {
    /** Bytes; what a stream may hold on to between messages. */
    private static final int MOST_KEPT = 1 << 20;

    private final RoomAtPeer room;
    private @Nullable ByteBuffer rest;
    private @Nullable MessageSender<?> sender;
    private @Nullable WaitingMessage copied;
    private @Nullable WaitingMessage spare;
    /** Bytes of the whole message: the peer has room for them until its last part, or the end of the stream. */
    private int reserved;

    FragmentWriter(RoomAtPeer room) {
        this.room = room;
    }

    /** {@code bytes} are reserved; {@code of} is null if it is a source's message. */
    void begin(ByteBuffer message, int bytes, @Nullable MessageSender<?> of) {
        rest = message;
        reserved = bytes;
        sender = of;
    }

    /** A copy of what is left of a message; its memory is used again for the next one. */
    WaitingMessage copy(long tag, int status, ByteBuffer left) {
        WaitingMessage message = spare;
        spare = null;
        message = (message == null ? new WaitingMessage(left.remaining(), null) : message).fill(tag, status, left);
        copied = message;
        return message;
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
        WaitingMessage copy = copied;
        if (copy != null) {
            copied = null;
            spare = copy.data().capacity() <= MOST_KEPT ? copy : null;
        }
    }

    void release() {
        int bytes = reserved;
        if (bytes > 0) {
            reserved = 0;
            room.release(bytes);
        }
    }
}
