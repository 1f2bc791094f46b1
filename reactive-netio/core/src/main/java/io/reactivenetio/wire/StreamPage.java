// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.wire;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/** The header of a stream page, and its checksum. */
final class StreamPage {
    static final int HEADER = 4;
    static final int HEADER_WITH_CRC = 8;

    static final int CONTROL_CREDITS = 2;
    static final int FLAGS = 3;
    static final int CRC = 4;

    /** The header is followed by a checksum. */
    static final int FLAG_CRC = 1;
    /** The page was sent on a data credit. */
    static final int FLAG_DATA = 1 << 1;

    private StreamPage() {
    }

    /** Computes the CRC32C of a page without the checksum's own four bytes. Moves no position. */
    static int checksum(CRC32C crc, ByteBuffer page, int begin, int end) {
        crc.reset();
        for (int i = 0; i < CRC; i++) {
            crc.update(page.get(begin + i));
        }
        int position = page.position();
        int limit = page.limit();
        page.limit(end).position(begin + HEADER_WITH_CRC);
        crc.update(page);
        page.limit(limit).position(position);
        return (int) crc.getValue();
    }
}
