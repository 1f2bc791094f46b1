// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.recorder;

import io.reactivenetio.api.TaggedMessage;
import io.reactivenetio.api.Tags;
import io.reactivenetio.pubsub.Gap;
import io.reactivenetio.pubsub.Position;
import io.reactivenetio.pubsub.RunChange;
import io.reactivenetio.pubsub.SequencedEvent;
import io.reactivenetio.pubsub.SequencedMessage;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** Writes and reads the records of a block. A record has its kind, and how far it is behind the block's first number and time. */
final class Records {
    static final int MESSAGE = 0;
    static final int GAP = 1;
    static final int RUN_CHANGE = 2;
    /** What a record takes before its payload, without the tag that follows where a block is of several tags. */
    static final int BYTES = 16;
    static final int CONTROL_PAYLOAD = 16;
    /** No number or time of a block is further behind its first. */
    static final long FURTHEST = 0xffff_ffffL;

    private Records() {
    }

    /** How many bytes a message's record takes without its payload. */
    static int messageBytes(Tags tags) {
        return tags.kind() == Tags.Kind.ONE ? BYTES : BYTES + Long.BYTES;
    }

    static void begin(ByteBuffer target, int kind, int status, long number, long time, int bytes) {
        target.put((byte) kind).put((byte) status).putShort((short) 0).putInt((int) number).putInt((int) time).putInt(bytes);
    }

    /** Reads the records of one block, in order. What breaks the rules is an exception. */
    static final class Reader {
        private final BlockHeader header;
        private final ByteBuffer body;
        private final int end;
        private long time;

        /** {@code body} is little-endian, and is what follows the header. */
        Reader(BlockHeader header, ByteBuffer body) {
            this.header = header;
            this.body = body;
            this.end = body.position() + header.used();
        }

        /** The time of the last event. */
        long time() {
            return time;
        }

        /** The next event; null if there is no more. */
        @Nullable SequencedEvent next() {
            int left = end - body.position();
            if (left < BYTES) {
                return null;
            }
            int kind = body.get();
            int status = Byte.toUnsignedInt(body.get());
            body.getShort();
            long number = header.first() + Integer.toUnsignedLong(body.getInt());
            time = header.firstTime() + Integer.toUnsignedLong(body.getInt());
            int bytes = body.getInt();
            Tags tags = header.tags();
            boolean tagged = kind == MESSAGE && tags.kind() != Tags.Kind.ONE;
            if (bytes < 0 || bytes > left - BYTES - (tagged ? Long.BYTES : 0)
                    || kind != MESSAGE && bytes != CONTROL_PAYLOAD || kind > RUN_CHANGE || kind < 0) {
                throw new IllegalStateException("record of kind " + kind + " with " + bytes + " bytes");
            }
            return switch (kind) {
                case GAP -> new Gap(tags, header.run(), body.getLong(), body.getLong());
                case RUN_CHANGE -> new RunChange(tags, new Position(body.getLong(), body.getLong()), header.run());
                default -> new SequencedMessage(tags, header.run(), number,
                        new TaggedMessage(tagged ? body.getLong() : tags.first(), status, payload(bytes)));
            };
        }

        /** A copy for the receiver, or the block's memory itself where that is hardly more. */
        private ByteBuffer payload(int bytes) {
            int at = body.position();
            body.position(at + bytes);
            if (bytes > header.length() / 2) {
                return body.slice(at, bytes);
            }
            return ByteBuffer.allocate(bytes).put(0, body, at, bytes);
        }
    }
}
