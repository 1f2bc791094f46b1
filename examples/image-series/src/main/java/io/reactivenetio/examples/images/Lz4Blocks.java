// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.images;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import net.jpountz.lz4.LZ4Compressor;
import net.jpountz.lz4.LZ4Exception;
import net.jpountz.lz4.LZ4Factory;

/**
 * LZ4 in the framing of HDF5's filter: the size of the whole as a big-endian u64, that of a block as u32, then each block with
 * its compressed size as u32 before it. A block whose size does not shrink is stored as it is.
 */
final class Lz4Blocks {
    private static final int HEADER_BYTES = Long.BYTES + Integer.BYTES;
    private static final int BLOCK_BYTES = 1 << 18;
    private static final LZ4Factory LZ4 = LZ4Factory.safeInstance();

    private Lz4Blocks() {
    }

    static byte[] compress(byte[] data) {
        LZ4Compressor compressor = LZ4.fastCompressor();
        int blocks = Math.ceilDiv(data.length, BLOCK_BYTES);
        ByteBuffer out = ByteBuffer.allocate(HEADER_BYTES + blocks * Integer.BYTES + compressor.maxCompressedLength(data.length)
                + blocks * Long.BYTES);
        out.putLong(data.length).putInt(BLOCK_BYTES);
        for (int at = 0; at < data.length; at += BLOCK_BYTES) {
            int size = Math.min(BLOCK_BYTES, data.length - at);
            int start = out.position() + Integer.BYTES;
            int compressed = compressor.compress(data, at, size, out.array(), start);
            if (compressed >= size) {
                System.arraycopy(data, at, out.array(), start, size);
                compressed = size;
            }
            out.putInt(compressed).position(start + compressed);
        }
        return Arrays.copyOf(out.array(), out.position());
    }

    /**
     * Returns the data.
     *
     * @param expected how many bytes it must have
     * @throws IllegalArgumentException if {@code compressed} is no such data, or of another size
     */
    static byte[] decompress(byte[] compressed, int expected) {
        ByteBuffer in = ByteBuffer.wrap(compressed);
        try {
            long total = in.getLong();
            int block = in.getInt();
            if (total != expected || block < 1) {
                throw new IllegalArgumentException(total + " bytes in blocks of " + block + ", where " + expected
                        + " bytes were expected");
            }
            byte[] data = new byte[expected];
            for (int at = 0; at < expected; at += block) {
                int size = Math.min(block, expected - at);
                int length = in.getInt();
                if (length < 0 || length > in.remaining()) {
                    throw new IllegalArgumentException("a block of " + length + " bytes, of which there are " + in.remaining());
                }
                if (length == size) {
                    in.get(data, at, size);
                } else {
                    int had = LZ4.safeDecompressor().decompress(compressed, in.position(), length, data, at, size);
                    if (had != size) {
                        throw new IllegalArgumentException("a block has " + had + " of " + size + " bytes");
                    }
                    in.position(in.position() + length);
                }
            }
            return data;
        } catch (BufferUnderflowException | LZ4Exception e) {
            throw new IllegalArgumentException("the compressed data is damaged or cut off", e);
        }
    }
}
