// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.recorder;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Finds the blocks of a segment by their headers, from one to the next, and behind damaged ones page by page. */
final class SegmentScanner {
    /** Bytes that are no whole block, and the header of the block if it can be read. */
    record Damage(long offset, long bytes, @Nullable BlockHeader header) {
    }

    private static final int STEP = 1 << 20;

    private final int number;
    private final List<Damage> damages = new ArrayList<>();
    private final ByteBuffer small = ByteBuffer.allocate(BlockHeader.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    private long recording;
    private long position = Format.PAGE;
    private boolean begun;
    private boolean headerDamaged;
    private boolean foreign;
    private long searched = -1;

    /** {@code recording} is 0 if it is not known yet. */
    SegmentScanner(int number, long recording) {
        this.number = number;
        this.recording = recording;
    }

    /** 0 if no block was found. */
    long recording() {
        return recording;
    }

    /** Where the next block is, or would be. */
    long position() {
        return position;
    }

    boolean headerDamaged() {
        return headerDamaged;
    }

    /** Whether the segment says that it is another one, or of another recording. */
    boolean isForeign() {
        return foreign;
    }

    List<Damage> damages() {
        return damages;
    }

    /**
     * Returns the blocks from where the last call has ended. If the file is not {@code complete}, what is no whole block at its
     * end may become one.
     */
    List<BlockHeader> advance(FileChannel channel, Path file, boolean complete) throws IOException {
        List<BlockHeader> found = new ArrayList<>();
        long size = channel.size();
        begin(channel, file);
        while (position + Format.PAGE <= size) {
            BlockHeader header = header(channel, position);
            if (header != null && header.end() <= size) {
                found.add(header);
                recording = header.recording();
                position = header.end();
            } else {
                long next = header != null || searched == size && !complete ? -1 : search(channel, size);
                if (next < 0 && !complete) {
                    searched = size;
                    break;
                }
                long end = next < 0 ? size : next;
                damages.add(new Damage(position, end - position, header));
                position = end;
            }
        }
        if (complete && position < size && begun) {
            damages.add(new Damage(position, size - position, null));
            position = size;
        }
        return found;
    }

    /** Looks at the first page, if it is there. */
    void begin(FileChannel channel, Path file) throws IOException {
        ByteBuffer page = ByteBuffer.allocate(Format.PAGE);
        if (begun || !read(channel, page, 0)) {
            return;
        }
        begun = true;
        long said = Format.recording(page, file);
        headerDamaged = said == 0;
        foreign = said != 0 && (recording != 0 && said != recording || Format.numberIn(page) != number);
        if (recording == 0) {
            recording = said;
        }
    }

    /** The offset of the next whole block behind one that is damaged; -1 if there is none. */
    private long search(FileChannel channel, long size) throws IOException {
        for (long at = position + Format.PAGE; at + Format.PAGE <= size; at += Format.PAGE) {
            BlockHeader header = header(channel, at);
            if (header != null && header.end() <= size) {
                return at;
            }
        }
        return -1;
    }

    private @Nullable BlockHeader header(FileChannel channel, long at) throws IOException {
        small.clear();
        if (!read(channel, small, at)) {
            return null;
        }
        BlockHeader header = BlockHeader.decode(small, 0);
        boolean isHere = header != null && header.segment() == number && header.offset() == at
                && (recording == 0 || header.recording() == recording);
        return isHere ? header : null;
    }

    /** Fills {@code target} from {@code at}, and flips it. Returns false if the file ends before. */
    static boolean read(FileChannel channel, ByteBuffer target, long at) throws IOException {
        int end = target.limit();
        long from = at;
        while (target.position() < end) {
            target.limit(Math.min(end, target.position() + STEP)); // the JDK copies through native memory that it keeps
            int read = channel.read(target, from);
            if (read < 0) {
                target.limit(end);
                return false;
            }
            from += read;
        }
        target.flip();
        return true;
    }

    /** Reads what follows the header of a block, little-endian; null if the file ends before, or the checksum is wrong. */
    static @Nullable ByteBuffer body(FileChannel channel, BlockHeader header) throws IOException {
        ByteBuffer block = ByteBuffer.allocate(header.length()).order(ByteOrder.LITTLE_ENDIAN);
        if (!read(channel, block, header.offset())) {
            return null;
        }
        boolean good = header.equals(BlockHeader.decode(block, 0))
                && Format.crc(block, BlockHeader.BYTES, header.length()) == header.bodyCrc();
        return good ? block.position(BlockHeader.BYTES) : null;
    }
}
