// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.recorder;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The file beside a segment that is complete: the headers of its blocks once more, so that nobody has to look for them. Whoever
 * finds it missing or damaged scans the segment.
 */
final class SegmentIndex {
    private static final int BYTES = 40;
    /** A segment with more blocks has no index, and is scanned: ten million blocks are 40 GiB at least. */
    private static final long LONGEST = 1L << 30;

    private SegmentIndex() {
    }

    static ByteBuffer encode(long recording, int number, long length, List<BlockHeader> blocks) {
        int size = Math.toIntExact(BYTES + (long) blocks.size() * BlockHeader.BYTES);
        ByteBuffer file = ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN);
        file.putInt(0, Format.INDEX_MAGIC).put(4, (byte) Format.VERSION).putLong(8, recording).putInt(16, number)
                .putInt(20, blocks.size()).putLong(24, length);
        int at = BYTES;
        for (BlockHeader block : blocks) {
            block.encode(file, at);
            at += BlockHeader.BYTES;
        }
        return file.putInt(32, Format.crc(file, BYTES, size)).putInt(36, Format.crc(file, 0, 36));
    }

    /** Writes the index of a segment, under another name first. */
    static void write(Path segment, long recording, int number, long length, List<BlockHeader> blocks) throws IOException {
        Path index = Format.index(segment);
        if (BYTES + (long) blocks.size() * BlockHeader.BYTES > LONGEST) {
            Files.deleteIfExists(index);
            throw new IOException(blocks.size() + " blocks are too many for an index");
        }
        if (Files.isDirectory(index, LinkOption.NOFOLLOW_LINKS)) {
            Files.delete(index); // if it is empty
        }
        Path draft = index.resolveSibling(index.getFileName() + ".new");
        try (FileChannel channel = FileChannel.open(draft, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING,
                StandardOpenOption.WRITE)) {
            ByteBuffer bytes = encode(recording, number, length, blocks);
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
        } catch (IOException e) {
            Files.deleteIfExists(draft); // its room is needed
            throw e;
        }
        Files.move(draft, index, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    /**
     * Returns the blocks; null if there is no index, or none of the segment that is open in {@code channel}: for one of this
     * length and recording, and with the same blocks.
     */
    static @Nullable List<BlockHeader> read(Path segment, int number, FileChannel channel) throws IOException {
        List<BlockHeader> blocks = read(segment, number, channel.size(), channel.size());
        return blocks != null && isOf(channel, segment, blocks) ? blocks : null;
    }

    /** Returns the blocks that a segment had which was cut to {@code length} since; null if nobody knows. */
    static @Nullable List<BlockHeader> readFormer(Path segment, int number, FileChannel channel)
            throws IOException {
        List<BlockHeader> blocks = read(segment, number, channel.size() + 1, Long.MAX_VALUE);
        return blocks != null && isOf(channel, segment, blocks) ? blocks : null;
    }

    /**
     * Whether the segment has the blocks of the index. The index of a former segment of the same number and length may have been
     * left behind. The first header that is whole decides, of the first block, then from the last one back.
     */
    private static boolean isOf(FileChannel channel, Path segment, List<BlockHeader> blocks) throws IOException {
        ByteBuffer page = ByteBuffer.allocate(Format.PAGE);
        long said = SegmentScanner.read(channel, page, 0) ? Format.recording(page, segment) : 0;
        if (said != 0 && !blocks.isEmpty() && said != blocks.getFirst().recording()) {
            return false;
        }
        ByteBuffer small = ByteBuffer.allocate(BlockHeader.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < blocks.size(); i++) {
            BlockHeader block = blocks.get(i == 0 ? 0 : blocks.size() - i);
            small.clear();
            BlockHeader there = SegmentScanner.read(channel, small, block.offset()) ? BlockHeader.decode(small, 0) : null;
            if (there != null) {
                return there.equals(block);
            }
        }
        return true; // all damaged: the index knows what is missing
    }

    /** Whatever is wrong with an index, and be it a directory, there is none then. */
    private static @Nullable List<BlockHeader> read(Path segment, int number, long least, long most) {
        ByteBuffer file;
        try (FileChannel channel = FileChannel.open(Format.index(segment), StandardOpenOption.READ)) {
            file = content(channel);
        } catch (IOException e) {
            return null;
        }
        if (file == null || file.get(4) != Format.VERSION || file.getInt(16) != number
                || file.getLong(24) < least || file.getLong(24) > most) {
            return null;
        }
        List<BlockHeader> blocks = new ArrayList<>(file.getInt(20));
        for (int at = BYTES; at < file.limit(); at += BlockHeader.BYTES) {
            BlockHeader block = BlockHeader.decode(file, at);
            if (block == null || block.end() > file.getLong(24)) {
                return null;
            }
            blocks.add(block);
        }
        return blocks;
    }

    /** Returns all of it if its checksums are right. Nothing is read behind a head that does not say how long the file is. */
    private static @Nullable ByteBuffer content(FileChannel channel) throws IOException {
        ByteBuffer head = ByteBuffer.allocate(BYTES).order(ByteOrder.LITTLE_ENDIAN);
        if (!SegmentScanner.read(channel, head, 0) || head.getInt(0) != Format.INDEX_MAGIC
                || head.getInt(36) != Format.crc(head, 0, 36)) {
            return null;
        }
        long size = BYTES + (long) head.getInt(20) * BlockHeader.BYTES;
        if (size < BYTES || size > LONGEST || size != channel.size()) {
            return null;
        }
        ByteBuffer all = ByteBuffer.allocate((int) size).order(ByteOrder.LITTLE_ENDIAN);
        boolean isWhole = SegmentScanner.read(channel, all, 0) && all.getInt(32) == Format.crc(all, BYTES, (int) size)
                && all.getInt(36) == Format.crc(all, 0, 36);
        return isWhole ? all : null;
    }
}
