// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.recorder;

import io.reactivenetio.api.Tags;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What a {@link Catalog} knows of one segment. */
final class CatalogSegment {
    /** What a segment's first page says. */
    private static final int HEAD = 36;

    /** One run of a stream in one segment. */
    static final class Part {
        final long run;
        final long first;
        final long firstTime;
        long next;
        long lastTime = Long.MIN_VALUE;
        long bytes;

        Part(BlockHeader block) {
            run = block.run();
            first = block.first();
            firstTime = block.firstTime();
            add(block);
        }

        void add(BlockHeader block) {
            next = block.next();
            lastTime = Math.max(lastTime, block.lastTime()); // a clock may have been set back
            bytes += block.length();
        }
    }

    final int number;
    final Path path;
    /** Which file it is; null before it was read. */
    private @Nullable Object key;
    private @Nullable FileTime changed;
    /** Its first page, which says when it was made; empty if it was not read. */
    private ByteBuffer head = ByteBuffer.allocate(0);
    final SegmentScanner scanner;
    final Map<Tags, List<Part>> parts = new HashMap<>();
    /** Null once it is complete. */
    @Nullable Map<Tags, List<BlockHeader>> growing = new HashMap<>();
    long size = -1;
    boolean complete;

    CatalogSegment(int number, Path path, long recording) {
        this.number = number;
        this.path = path;
        this.scanner = new SegmentScanner(number, recording);
    }

    void add(BlockHeader block) {
        List<Part> runs = parts.computeIfAbsent(block.tags(), tags -> new ArrayList<>(1));
        if (runs.isEmpty() || runs.getLast().run != block.run()) {
            runs.add(new Part(block));
        } else {
            runs.getLast().add(block);
        }
    }

    /** Notes which file it is, before anything is read of it. */
    void identify() throws IOException {
        if (key == null) {
            note(Files.readAttributes(path, BasicFileAttributes.class));
        }
        if (!head.hasRemaining()) {
            head = head(path);
        }
    }

    private void note(BasicFileAttributes file) {
        key = file.fileKey();
        changed = file.lastModifiedTime();
    }

    /**
     * Whether the file that is there now is the same, or has the same segment. The number that the file system knows it by may be
     * that of a file which was deleted.
     */
    boolean isIn(BasicFileAttributes file) throws IOException {
        if (key == null || key.equals(file.fileKey()) && file.lastModifiedTime().equals(changed)) {
            return true;
        }
        boolean isSame = head.hasRemaining() && head.equals(head(path));
        if (isSame) {
            note(file);
        }
        return isSame;
    }

    /** The first page of a segment, or what there is of it. */
    private static ByteBuffer head(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            ByteBuffer page = ByteBuffer.allocate(Format.PAGE);
            boolean isThere = SegmentScanner.read(channel, page, 0);
            return isThere ? ByteBuffer.allocate(HEAD).put(0, page, 0, HEAD) : ByteBuffer.allocate(0);
        }
    }
}
