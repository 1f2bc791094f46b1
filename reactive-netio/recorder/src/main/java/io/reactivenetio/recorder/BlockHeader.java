// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.recorder;

import io.reactivenetio.api.Tags;
import io.reactivenetio.pubsub.Gap;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The header of a block: what is in it, and where it belongs. All but the length is as written; nothing is believed before the
 * checksum is right.
 *
 * @param flags see {@link #WENT_BACK}
 * @param length bytes of the whole block, a multiple of pages
 * @param used bytes of its records
 * @param tags the stream
 * @param run the run of all its records
 * @param first the number that its first record has or begins with
 * @param next the number behind its last record
 * @param firstTime the time of the first record
 * @param lastTime the time of the last, not before the first
 * @param recording the recording's number, which is random
 * @param records how many records
 * @param segment the segment's number
 * @param page where in the segment
 * @param bodyCrc the checksum of all that follows the header, padding included
 */
record BlockHeader(int flags, int length, int used, Tags tags, long run, long first, long next, long firstTime, long lastTime,
        long recording, int records, int segment, int page, int bodyCrc) {
    static final int BYTES = 100;
    /** The flag of a block that begins before the one before it ended, as the clock was set back. */
    static final int WENT_BACK = 1;

    private static final int MAGIC = 0x4b424e52; // RNBK
    private static final int CRC_AT = 96;
    private static final Tags.Kind[] KINDS = {Tags.Kind.ONE, Tags.Kind.RANGE, Tags.Kind.MASK};

    static int code(Tags.Kind kind) {
        return switch (kind) {
            case ONE -> 0;
            case RANGE -> 1;
            case MASK -> 2;
        };
    }

    /** @throws IllegalArgumentException if no choice of tags is written so */
    static Tags tags(int kind, long first, long second) {
        if (kind < 0 || kind >= KINDS.length) {
            throw new IllegalArgumentException("unknown kind of tags: " + kind);
        }
        return new Tags(KINDS[kind], first, second);
    }

    long offset() {
        return Integer.toUnsignedLong(page) * Format.PAGE;
    }

    long end() {
        return offset() + length;
    }

    /** What is missing if this block cannot be read, from {@code from} on; null if there was nothing to miss. */
    @Nullable Gap gap(long from) {
        long begin = Math.max(from, first);
        return begin < next ? new Gap(tags, run, begin, next - 1) : null;
    }

    /** Writes the header at {@code at} of a little-endian buffer. */
    void encode(ByteBuffer target, int at) {
        target.putInt(at, MAGIC).put(at + 4, (byte) flags).put(at + 5, (byte) code(tags.kind()))
                .put(at + 6, (byte) Format.VERSION).put(at + 7, (byte) 0)
                .putInt(at + 8, length).putInt(at + 12, used).putLong(at + 16, tags.first()).putLong(at + 24, tags.second())
                .putLong(at + 32, run).putLong(at + 40, first).putLong(at + 48, next)
                .putLong(at + 56, firstTime).putLong(at + 64, lastTime).putLong(at + 72, recording)
                .putInt(at + 80, records).putInt(at + 84, segment).putInt(at + 88, page).putInt(at + 92, bodyCrc);
        target.putInt(at + CRC_AT, Format.crc(target, at, at + CRC_AT));
    }

    /** Reads the header at {@code at} of a little-endian buffer. Returns null if there is none, or it is damaged. */
    static @Nullable BlockHeader decode(ByteBuffer source, int at) {
        if (source.getInt(at) != MAGIC || source.getInt(at + CRC_AT) != Format.crc(source, at, at + CRC_AT)) {
            return null;
        }
        if (source.get(at + 6) != Format.VERSION) {
            throw Format.laterVersion("a block", source.get(at + 6));
        }
        Tags tags;
        try {
            tags = tags(source.get(at + 5), source.getLong(at + 16), source.getLong(at + 24));
        } catch (IllegalArgumentException e) {
            return null;
        }
        BlockHeader header = new BlockHeader(source.get(at + 4), source.getInt(at + 8), source.getInt(at + 12), tags,
                source.getLong(at + 32), source.getLong(at + 40), source.getLong(at + 48), source.getLong(at + 56),
                source.getLong(at + 64), source.getLong(at + 72), source.getInt(at + 80), source.getInt(at + 84),
                source.getInt(at + 88), source.getInt(at + 92));
        return header.isSound() ? header : null;
    }

    private boolean isSound() {
        return length >= Format.PAGE && length % Format.PAGE == 0 && used >= 0 && used <= length - BYTES && run != 0
                && first >= 0 && next >= first && records > 0 && page > 0 && lastTime >= firstTime;
    }
}
