// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.framing.stream;

import io.reactivenetio.send.page.MessageSender;
import io.reactivenetio.wire.FrameWriter;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Writes the further parts of a stream's message of which the first part is written, and keeps the peer's room for all of it. The
 * bytes belong to the sender or to the shared message, or are a copy here. On the loop.
 */
final class FragmentWriter {
    private final RoomAtPeer room;
    private final FragmentCopies copies;
    private @Nullable ByteBuffer rest;
    private @Nullable MessageSender<?> sender;
    private @Nullable ByteBuffer copied;
    /** The size of the whole message in bytes. The peer has reserved them until its last part, or until the end of the stream. */
    private int reserved;

    FragmentWriter(RoomAtPeer room, FragmentCopies copies) {
        this.room = room;
        this.copies = copies;
    }

    /**
     * Begins with what is left of a message, for which {@code bytes} are reserved. {@code of} is null if it is a source's
     * message.
     */
    void begin(ByteBuffer message, int bytes, @Nullable MessageSender<?> of) {
        rest = message;
        reserved = bytes;
        sender = of;
    }

    /**
     * Copies what is left of a message of {@code bytes}. The memory is used again for the next message, of which more may be
     * left: it has room for all of this one.
     */
    ByteBuffer copy(ByteBuffer left, int bytes) {
        int length = left.remaining();
        ByteBuffer copy = copies.take(length, bytes).clear().limit(length);
        copied = copy;
        return copy.put(0, left, left.position(), length);
    }

    boolean isOpen() {
        return rest != null;
    }

    @Nullable MessageSender<?> sender() {
        return sender;
    }

    /** Writes the next part. Returns the size of the message if that was the last part, or -1 if the page is full. */
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

    /**
     * Forgets the message, of which no further part will be written. Its room is free only when the peer has been told, with
     * {@link #release}.
     */
    void forget() {
        rest = null;
        sender = null;
        ByteBuffer copy = copied;
        if (copy != null) {
            copied = null;
            copies.give(copy);
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
