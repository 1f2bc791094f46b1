// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.recorder;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
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

    private SegmentIndex() {
    }

    static ByteBuffer encode(long recording, int number, long length, List<BlockHeader> blocks) {
        int size = BYTES + blocks.size() * BlockHeader.BYTES;
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

    /** Returns the blocks; null if there is no index, or none for a segment of this length. */
    static @Nullable List<BlockHeader> read(Path segment, int number, long length) throws IOException {
        return read(segment, number, length, length);
    }

    /** Returns the blocks that a segment had which was cut to {@code length} since; null if nobody knows. */
    static @Nullable List<BlockHeader> readFormer(Path segment, int number, long length) throws IOException {
        return read(segment, number, length + 1, Long.MAX_VALUE);
    }

    private static @Nullable List<BlockHeader> read(Path segment, int number, long least, long most) throws IOException {
        ByteBuffer file;
        try {
            file = ByteBuffer.wrap(Files.readAllBytes(Format.index(segment))).order(ByteOrder.LITTLE_ENDIAN);
        } catch (NoSuchFileException e) {
            return null;
        }
        int size = file.limit();
        if (size < BYTES || file.getInt(0) != Format.INDEX_MAGIC || file.getInt(36) != Format.crc(file, 0, 36)
                || file.get(4) != Format.VERSION || file.getInt(16) != number
                || file.getLong(24) < least || file.getLong(24) > most
                || size != BYTES + (long) file.getInt(20) * BlockHeader.BYTES
                || file.getInt(32) != Format.crc(file, BYTES, size)) {
            return null;
        }
        List<BlockHeader> blocks = new ArrayList<>(file.getInt(20));
        for (int at = BYTES; at < size; at += BlockHeader.BYTES) {
            BlockHeader block = BlockHeader.decode(file, at);
            if (block == null || block.end() > file.getLong(24)) {
                return null;
            }
            blocks.add(block);
        }
        return blocks;
    }
}
