// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.demo.event;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/**
 * Fragments as bytes, little-endian.
 *
 * <pre>
 *  0  u32  magic                     16  u16  bunch crossing
 *  4  u8   version                   18  u16  number of hits
 *  5  u8   status                    20  u32  payload length
 *  6  u16  link                      24  u32  CRC32C of bytes 0 to 23
 *  8  u64  event                     28  u32  CRC32C of bytes 0 to 27 and the payload
 * 32  hits: u16 channel, u16 charge each
 * </pre>
 *
 * <p>The header has a CRC of its own so that a wrong length is told from a truncated payload. Not thread-safe.
 */
public final class FragmentCodec {
    public static final int HEADER = 32;
    public static final int HIT = 4;

    /** The largest fragment; also the size of the buffers. */
    public static final int MAX_SIZE = 4096;
    public static final int MAX_HITS = (MAX_SIZE - HEADER) / HIT;

    private static final int MAGIC = 0x4752_4644; // "DFRG"
    private static final int VERSION = 1;

    private final CRC32C crc = new CRC32C();

    /** Writes a fragment to {@code out}, from 0, and flips it. A hit is its channel, and its charge 16 bits higher. */
    public void encode(ByteBuffer out, int link, long event, int status, int[] hits, int count) {
        int payload = count * HIT;
        out.clear().order(ByteOrder.LITTLE_ENDIAN);
        out.putInt(0, MAGIC).put(4, (byte) VERSION).put(5, (byte) status).putShort(6, (short) link);
        out.putLong(8, event);
        out.putShort(16, (short) Fragment.crossingOf(event)).putShort(18, (short) count).putInt(20, payload);
        for (int i = 0; i < count; i++) {
            out.putInt(HEADER + i * HIT, hits[i]);
        }
        crc.reset();
        update(out, 0, 24);
        out.putInt(24, (int) crc.getValue());
        update(out, 24, 28);
        update(out, HEADER, HEADER + payload);
        out.putInt(28, (int) crc.getValue());
        out.position(0).limit(HEADER + payload);
    }

    /** Reads the fragment between position and limit, and leaves them as they were. */
    public Fragment decode(ByteBuffer in) {
        int start = in.position();
        int end = in.limit();
        in.order(ByteOrder.LITTLE_ENDIAN);
        try {
            return decode(in, start, end);
        } finally {
            in.limit(end).position(start);
        }
    }

    private Fragment decode(ByteBuffer in, int start, int end) {
        if (end - start < HEADER) {
            return Fragment.unreadable(Fault.TRUNCATED);
        }
        crc.reset();
        update(in, start, start + 24);
        if ((int) crc.getValue() != in.getInt(start + 24)
                || in.getInt(start) != MAGIC || in.get(start + 4) != VERSION || in.getLong(start + 8) < 0) {
            return Fragment.unreadable(Fault.CORRUPTED);
        }
        int length = in.getInt(start + 20);
        int hits = Short.toUnsignedInt(in.getShort(start + 18));
        int present = end - start - HEADER;
        if (length > present) {
            return fragment(in, start, 0, 0, Fault.TRUNCATED);
        }
        if (length != present || length != hits * HIT) {
            return fragment(in, start, 0, 0, Fault.CORRUPTED);
        }
        int expected = in.getInt(start + 28);
        update(in, start + 24, start + 28);
        update(in, start + HEADER, end);
        if ((int) crc.getValue() != expected) {
            return fragment(in, start, 0, 0, Fault.CORRUPTED);
        }
        long charge = 0;
        for (int at = start + HEADER; at < end; at += HIT) {
            charge += Short.toUnsignedInt(in.getShort(at + 2));
        }
        return fragment(in, start, hits, charge, Fault.NONE);
    }

    private static Fragment fragment(ByteBuffer in, int start, int hits, long charge, Fault fault) {
        return new Fragment(Short.toUnsignedInt(in.getShort(start + 6)), in.getLong(start + 8),
                Short.toUnsignedInt(in.getShort(start + 16)), Byte.toUnsignedInt(in.get(start + 5)), hits, charge, fault);
    }

    private void update(ByteBuffer buffer, int from, int to) {
        int limit = buffer.limit();
        crc.update(buffer.limit(to).position(from));
        buffer.limit(limit);
    }
}
