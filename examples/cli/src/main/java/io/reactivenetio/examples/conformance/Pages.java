// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.conformance;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.zip.CRC32C;

/** Bytes of pages and handshakes, made and read by hand, so that a mistake of the library is not made here, too. */
public final class Pages {
    /** Bytes of a handshake. */
    static final int HANDSHAKE = 48;

    private static final int CHECKED = 44;
    private static final int DATA = 0x80; // kinds below are DATA
    private static final int STREAM = 4;
    private static final int TAG = 8;
    private static final int STATUS = 16;
    private static final int FIRST_AND_LAST = 3;

    private Pages() {
    }

    /** The bytes that hexadecimal digits and spaces stand for. */
    public static byte[] of(String hex) {
        return HexFormat.of().parseHex(hex.replace(" ", ""));
    }

    /** A page with one whole message of stream 0, without a tag. */
    static byte[] message(ByteBuffer payload) {
        ByteBuffer page = ByteBuffer.allocate(12 + payload.remaining()).order(ByteOrder.LITTLE_ENDIAN);
        return page.putInt(0x02000000).putInt(0x07000000 | payload.remaining()).putInt(0).put(payload.duplicate()).array();
    }

    /** A frame of a page, with its content in hexadecimal. */
    record Frame(int kind, String content) {
        boolean isMessage() {
            return kind < DATA && (kind & FIRST_AND_LAST) == FIRST_AND_LAST;
        }
    }

    /** The frames of a good page without a checksum. The content of DATA is its payload. */
    static List<Frame> frames(byte[] page) {
        List<Frame> frames = new ArrayList<>();
        ByteBuffer rest = ByteBuffer.wrap(page).order(ByteOrder.LITTLE_ENDIAN).position(4);
        while (rest.hasRemaining()) {
            int word = rest.getInt();
            int kind = word >>> 24;
            if (kind < DATA) {
                int skipped = ((kind & STREAM) != 0 ? 4 : 0) + ((kind & FIRST_AND_LAST) == 1 ? 4 : 0)
                        + ((kind & TAG) != 0 ? 8 : 0) + ((kind & STATUS) != 0 ? 1 : 0);
                rest.position(rest.position() + skipped);
            }
            byte[] content = new byte[word & 0xffffff];
            rest.get(content);
            frames.add(new Frame(kind, HexFormat.of().formatHex(content)));
        }
        return frames;
    }

    /** A good handshake of version 1 that supports nothing. */
    public static byte[] handshake(boolean connects) {
        ByteBuffer bytes = ByteBuffer.allocate(HANDSHAKE).order(ByteOrder.LITTLE_ENDIAN);
        bytes.put(of("4e494fff")).put((byte) 1).put((byte) 1).put((byte) 2).put((byte) (connects ? 1 : 2));
        bytes.putInt(0).putInt(0).putInt(61_440).putShort((short) 28).put((byte) 8).put((byte) HANDSHAKE);
        bytes.putInt(64 << 20).putInt(1_000).putLong(128L << 20).putInt(0);
        return sealed(bytes.array());
    }

    /** {@code handshake} with other bytes at {@code offset}, and the checksum that belongs to them. */
    public static byte[] changed(byte[] handshake, int offset, String hex) {
        byte[] changed = handshake.clone();
        byte[] bytes = of(hex);
        System.arraycopy(bytes, 0, changed, offset, bytes.length);
        return sealed(changed);
    }

    private static byte[] sealed(byte[] handshake) {
        CRC32C crc = new CRC32C();
        crc.update(handshake, 0, CHECKED);
        ByteBuffer.wrap(handshake).order(ByteOrder.LITTLE_ENDIAN).putInt(CHECKED, (int) crc.getValue());
        return handshake;
    }
}
