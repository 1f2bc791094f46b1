// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.recorder;

import io.reactivenetio.api.TaggedMessage;
import io.reactivenetio.api.Tags;
import io.reactivenetio.pubsub.Position;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The block that is being made, in memory that is used again for the next. A message that is larger than the memory has a block
 * of its own, and goes to the disk piece by piece.
 */
final class Block {
    private final ByteBuffer memory;
    private final ByteBuffer head = ByteBuffer.allocateDirect(BlockHeader.BYTES + Records.BYTES + Long.BYTES)
            .order(ByteOrder.LITTLE_ENDIAN);
    private final CRC32C crc = new CRC32C();
    private Tags tags = Tags.of(0);
    private int flags;
    private long run;
    private long first;
    private long next;
    private long firstTime;
    private long lastTime;
    private int records;
    private int messages;
    private @Nullable ByteBuffer large;
    private int length;

    Block(int bytes) {
        memory = ByteBuffer.allocateDirect(bytes / Format.PAGE * Format.PAGE).order(ByteOrder.LITTLE_ENDIAN);
    }

    boolean isEmpty() {
        return records == 0;
    }

    /** Begins a block, which must be empty. */
    void begin(Tags of, long inRun, long number, long time, boolean wentBack) {
        tags = of;
        run = inRun;
        first = number;
        next = number;
        firstTime = time;
        lastTime = time;
        flags = wentBack ? BlockHeader.WENT_BACK : 0;
        memory.clear().position(BlockHeader.BYTES);
        messages = 0;
        large = null;
    }

    /** Forgets what is in the block. */
    void clear() {
        records = 0;
        large = null;
    }

    /** How many of its records are messages. */
    int messages() {
        return messages;
    }

    long lastTime() {
        return lastTime;
    }

    /** Whether a record with so many bytes, this number and this time can be in this block. */
    boolean takes(int bytes, long number, long time) {
        return large == null && bytes <= memory.remaining() && number - first <= Records.FURTHEST
                && time - firstTime <= Records.FURTHEST;
    }

    void message(long number, long time, TaggedMessage message) {
        ByteBuffer payload = message.payload();
        int bytes = payload.remaining();
        boolean isLarge = Records.messageBytes(tags) + (long) bytes > memory.remaining();
        ByteBuffer target = isLarge ? head.clear().position(BlockHeader.BYTES) : memory;
        Records.begin(target, Records.MESSAGE, message.status(), number - first, time - firstTime, bytes);
        if (tags.kind() != Tags.Kind.ONE) {
            target.putLong(message.tag());
        }
        if (isLarge) {
            large = payload.duplicate();
        } else {
            int at = memory.position();
            memory.put(at, payload, payload.position(), bytes).position(at + bytes);
        }
        messages++;
        added(number + 1, time);
    }

    void gap(long from, long to, long time) {
        Records.begin(memory, Records.GAP, 0, from - first, time - firstTime, Records.CONTROL_PAYLOAD);
        memory.putLong(from).putLong(to);
        added(to + 1, time);
    }

    void runChange(Position last, long time) {
        Records.begin(memory, Records.RUN_CHANGE, 0, 0, time - firstTime, Records.CONTROL_PAYLOAD);
        memory.putLong(last.run()).putLong(last.sequence());
        added(next, time);
    }

    private void added(long behind, long time) {
        next = behind;
        lastTime = time;
        records++;
    }

    /** How many bytes the block takes on the disk. */
    int length() {
        ByteBuffer payload = large;
        return (int) Format.pages(payload == null ? memory.position() : BlockHeader.BYTES + (long) Records.messageBytes(tags)
                + payload.remaining());
    }

    /** Makes the header, for this place, with the checksums. It may be made again for another place. */
    BlockHeader finish(long recording, int segment, long offset) {
        length = length();
        ByteBuffer payload = large;
        int used = payload == null ? memory.position() - BlockHeader.BYTES : Records.messageBytes(tags) + payload.remaining();
        crc.reset();
        if (payload == null) {
            for (int at = memory.position(); at < length; at++) {
                memory.put(at, (byte) 0);
            }
            crc.update(memory.slice(BlockHeader.BYTES, length - BlockHeader.BYTES));
        } else {
            crc.update(head.slice(BlockHeader.BYTES, Records.messageBytes(tags)));
            crc.update(payload.duplicate());
            crc.update(new byte[length - BlockHeader.BYTES - used]);
        }
        BlockHeader header = new BlockHeader(flags, length, used, tags, run, first, next, firstTime, lastTime, recording, records,
                segment, (int) (offset / Format.PAGE), (int) crc.getValue());
        header.encode(payload == null ? memory : head, 0);
        return header;
    }

    /** Writes what {@link #finish} has made. It may be written again. */
    void writeTo(Disk.Output file) throws IOException {
        if (large == null) {
            file.write(memory.slice(0, length));
            return;
        }
        ByteBuffer payload = large.duplicate();
        int end = payload.limit();
        int padding = length - BlockHeader.BYTES - Records.messageBytes(tags) - payload.remaining();
        memory.clear().put(head.slice(0, BlockHeader.BYTES + Records.messageBytes(tags)));
        while (payload.position() < end || padding > 0) {
            payload.limit(Math.min(end, payload.position() + memory.remaining()));
            memory.put(payload);
            for (; padding > 0 && payload.position() == end && memory.hasRemaining(); padding--) {
                memory.put((byte) 0);
            }
            file.write(memory.flip());
            memory.clear();
        }
    }
}
