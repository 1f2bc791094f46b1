// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.recorder;

import io.reactivenetio.recorder.NetioRecordingException.Reason;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32C;

/** What all files have in common: names, numbers, checksums. The page docs/beyond-one-machine.md has them byte by byte. */
final class Format {
    static final int PAGE = 4096;
    static final int VERSION = 1;
    /** The largest message that can be recorded, in bytes. */
    static final int LARGEST = 1 << 30;
    static final int SEGMENT_MAGIC = 0x47534e52; // RNSG
    static final int INDEX_MAGIC = 0x58494e52; // RNIX
    static final String LOCK = "recorder.lock";

    private static final Pattern SEGMENT = Pattern.compile("(\\d{10})\\.segment");
    private static final int SEGMENT_CRC_AT = 32;

    private Format() {
    }

    static String segmentName(int number) {
        return String.format(Locale.ROOT, "%010d.segment", number);
    }

    static Path index(Path segment) {
        String name = segment.getFileName().toString();
        return segment.resolveSibling(name.substring(0, name.length() - "segment".length()) + "index");
    }

    /** The number of a segment's file; -1 if it is another file. */
    static int number(Path file) {
        Matcher matcher = SEGMENT.matcher(file.getFileName().toString());
        if (!matcher.matches()) {
            return -1;
        }
        long number = Long.parseLong(matcher.group(1));
        return number > 0 && number < Integer.MAX_VALUE ? (int) number : -1;
    }

    static long pages(long bytes) {
        return (bytes + PAGE - 1) / PAGE * PAGE;
    }

    /** The CRC-32C of some bytes; position and limit of the buffer stay. */
    static int crc(ByteBuffer buffer, int from, int to) {
        CRC32C crc = new CRC32C();
        crc.update(buffer.slice(from, to - from));
        return (int) crc.getValue();
    }

    /** The first page of a segment. */
    static ByteBuffer segmentHeader(long recording, int number, long time) {
        ByteBuffer page = ByteBuffer.allocate(PAGE).order(ByteOrder.LITTLE_ENDIAN);
        page.putInt(0, SEGMENT_MAGIC).put(4, (byte) VERSION).putLong(8, recording).putInt(16, number).putLong(24, time);
        return page.putInt(SEGMENT_CRC_AT, crc(page, 0, PAGE));
    }

    /**
     * The recording's number in the first page of a segment; 0 if the page is damaged.
     *
     * @throws NetioRecordingException if the segment is of a later version
     */
    static long recording(ByteBuffer page, Path file) {
        page.order(ByteOrder.LITTLE_ENDIAN);
        int crc = page.getInt(SEGMENT_CRC_AT);
        page.putInt(SEGMENT_CRC_AT, 0);
        boolean good = page.getInt(0) == SEGMENT_MAGIC && crc(page, 0, PAGE) == crc;
        if (good && page.get(4) != VERSION) {
            throw laterVersion(file.toString(), page.get(4));
        }
        return good ? page.getLong(8) : 0;
    }

    /** The segment's number in its first page. */
    static int numberIn(ByteBuffer page) {
        return page.order(ByteOrder.LITTLE_ENDIAN).getInt(16);
    }

    static NetioRecordingException laterVersion(String file, int version) {
        return new NetioRecordingException(Reason.FORMAT, file + " has version " + version + " of the format, and this program"
                + " knows version " + VERSION + ": read it with a later one");
    }
}
