// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.conformance;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HexFormat;
import java.util.zip.CRC32C;

/** What has arrived: how many messages, how many bytes, and the CRC-32C over all and over the last one. Any thread. */
final class Digest {
    private static final int PERIOD = 251;
    private static final int STEP = 7;
    private static final byte[] PATTERN = pattern();

    private final CRC32C all = new CRC32C();
    private final ByteBuffer header = ByteBuffer.allocate(Long.BYTES + 1 + Integer.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    private long count;
    private long bytes;
    private long last;
    private long sum;

    private static byte[] pattern() {
        byte[] pattern = new byte[PERIOD * 257];
        for (int i = 0; i < pattern.length; i++) {
            pattern[i] = (byte) (i % PERIOD);
        }
        return pattern;
    }

    /** The payload of message {@code n}: byte i is (7 n + i) mod 251. */
    static ByteBuffer payload(long n, int size) {
        ByteBuffer payload = ByteBuffer.allocate(size);
        int start = (int) (n * STEP % PERIOD);
        while (payload.hasRemaining()) {
            int room = Math.min(payload.remaining(), PERIOD * 256);
            payload.put(PATTERN, start, room);
            // what is copied at once is whole periods, but for the end
        }
        return payload.flip();
    }

    /** What {@code count} such messages with one tag are. */
    static Digest of(int count, int size, long tag, int status) {
        return new Digest().addAll(count, size, tag, status);
    }

    Digest addAll(int number, int size, long tag, int status) {
        for (int n = 0; n < number; n++) {
            add(tag, status, payload(n, size));
        }
        return this;
    }

    synchronized void add(long tag, int status, ByteBuffer payload) {
        int size = payload.remaining();
        header.clear().putLong(tag).put((byte) status).putInt(size);
        CRC32C one = new CRC32C();
        one.update(header.array());
        one.update(payload.duplicate());
        all.update(header.array());
        all.update(payload.duplicate());
        count++;
        bytes += size;
        last = one.getValue();
        sum += last;
    }

    synchronized long count() {
        return count;
    }

    synchronized String crc() {
        return hex(all.getValue());
    }

    synchronized String last() {
        return hex(last);
    }

    /** {@code line} with the fields count, bytes, crc and last. */
    synchronized Line in(Line line) {
        return line.with("count", count).with("bytes", bytes).with("crc", hex(all.getValue())).with("last", hex(last));
    }

    /** The same, with the sum of the CRCs as crc: for answers, which come in any order. */
    synchronized Line sumIn(Line line) {
        return line.with("count", count).with("bytes", bytes).with("crc", hex(sum)).with("last", hex(0));
    }

    private static String hex(long crc) {
        return HexFormat.of().toHexDigits((int) crc);
    }
}
