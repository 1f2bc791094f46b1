// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.recorder;

import io.reactivenetio.api.Tags;
import io.reactivenetio.recorder.NetioRecordingException.Reason;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks through a directory before a recorder writes there. A segment without index was being written when its recorder ended: it
 * is read whole, cut back to its last whole block, and given an index.
 */
final class Recovery {
    private static final Logger LOG = LoggerFactory.getLogger(RecorderOptions.LOGGER);

    /** A segment that is complete, with the bytes that it and its index take. */
    record Segment(int number, Path path, long bytes, long lastTime) {
        static Segment of(int number, Path path, long size, long lastTime) {
            long index;
            try {
                index = Files.size(Format.index(path));
            } catch (IOException e) {
                index = 0; // there is none
            }
            return new Segment(number, path, size + index, lastTime);
        }
    }

    /** Where a stream has come to. */
    record End(long run, long next, long time) {
    }

    private final Path directory;
    private final boolean forces;
    private final Deque<Segment> segments = new ArrayDeque<>();
    private final Map<Tags, End> ends = new HashMap<>();
    private final List<Lost> lost = new ArrayList<>();
    private long recording;
    private int lastNumber;

    private Recovery(Path directory, boolean forces) {
        this.directory = directory;
        this.forces = forces;
    }

    /** Looks through {@code directory}. If it {@code forces}, what it changes is brought to the disk. */
    static Recovery of(Path directory, boolean forces) throws IOException {
        Recovery recovery = new Recovery(directory, forces);
        for (Path file : files(directory)) {
            recovery.add(file);
        }
        return recovery;
    }

    /** The segments of a directory, the oldest first. */
    static List<Path> files(Path directory) throws IOException {
        List<Path> files = new ArrayList<>();
        try (DirectoryStream<Path> all = Files.newDirectoryStream(directory, file ->
                Format.number(file) > 0 && Files.isRegularFile(file))) {
            all.forEach(files::add);
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
        files.sort((one, other) -> Integer.compare(Format.number(one), Format.number(other)));
        return files;
    }

    Deque<Segment> segments() {
        return segments;
    }

    Map<Tags, End> ends() {
        return ends;
    }

    List<Lost> lost() {
        return lost;
    }

    /** 0 if there was nothing. */
    long recording() {
        return recording;
    }

    int lastNumber() {
        return lastNumber;
    }

    private void add(Path file) throws IOException {
        int number = Format.number(file);
        lastNumber = number;
        long size;
        List<BlockHeader> blocks;
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            size = channel.size();
            blocks = SegmentIndex.read(file, number, channel);
        }
        if (blocks == null) {
            blocks = repair(file, number);
            size = Files.exists(file) ? Files.size(file) : 0;
        }
        if (blocks.isEmpty()) {
            return;
        }
        if (recording == 0) {
            recording = blocks.getFirst().recording();
        } else if (blocks.getFirst().recording() != recording) {
            throw foreign(file);
        }
        long last = Long.MIN_VALUE;
        for (BlockHeader block : blocks) {
            ends.put(block.tags(), new End(block.run(), block.next(), block.lastTime()));
            last = Math.max(last, block.lastTime());
        }
        segments.add(Segment.of(number, file, size, last));
    }

    private static NetioRecordingException foreign(Path file) {
        return new NetioRecordingException(Reason.FORMAT, file + " is of another recording than the segments before it, or"
                + " was renamed: move it to a directory of its own");
    }

    /** Reads the segment whole, cuts it back and writes its index. Deletes it if there is no block in it. */
    private List<BlockHeader> repair(Path file, int number) throws IOException {
        List<BlockHeader> blocks;
        long end;
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            long size = channel.size();
            SegmentScanner scanner = new SegmentScanner(number, recording);
            blocks = scanner.advance(channel, file, true);
            if (scanner.isForeign()) {
                throw foreign(file);
            }
            List<BlockHeader> broken = new ArrayList<>();
            for (BlockHeader block : blocks) {
                if (SegmentScanner.body(channel, block) == null) {
                    broken.add(block);
                }
            }
            Set<BlockHeader> whole = new HashSet<>(blocks);
            broken.forEach(whole::remove);
            List<BlockHeader> cut = new ArrayList<>(broken);
            while (!blocks.isEmpty() && !cut.isEmpty() && blocks.getLast() == cut.getLast()) {
                cut.removeLast();
                blocks.removeLast();
            }
            end = blocks.isEmpty() ? 0 : blocks.getLast().end();
            tell(file, channel, scanner, whole, broken, end);
            if (channel.size() != size) {
                throw new NetioRecordingException(Reason.IN_USE, "somebody writes to " + file + ": end that first");
            }
            if (end > 0) {
                channel.truncate(end);
                if (forces) {
                    channel.force(false);
                }
            }
        }
        if (end == 0) {
            Files.delete(file);
            deleteIndex(file);
        } else {
            writeIndex(file, number, end, blocks);
        }
        return blocks;
    }

    /** Tells what cannot be used. If the segment was complete once, and was cut since, its index knows what is gone. */
    private void tell(Path file, FileChannel channel, SegmentScanner scanner, Set<BlockHeader> whole, List<BlockHeader> broken,
            long end) throws IOException {
        long size = channel.size();
        if (scanner.headerDamaged() || size > 0 && size < Format.PAGE) {
            lost.add(new Lost(file, 0, Math.min(size, Format.PAGE), size < Format.PAGE, null));
        }
        List<BlockHeader> former = SegmentIndex.readFormer(file, Format.number(file), channel);
        if (former != null) {
            former.stream().filter(block -> !whole.contains(block)).forEach(block -> lost.add(lost(file, block, end)));
            return;
        }
        broken.forEach(block -> lost.add(lost(file, block, end)));
        for (SegmentScanner.Damage damage : scanner.damages()) {
            BlockHeader header = damage.header();
            lost.add(new Lost(file, damage.offset(), damage.bytes(), damage.offset() >= end,
                    header == null ? null : header.gap(0)));
        }
    }

    private static Lost lost(Path file, BlockHeader block, long end) {
        return new Lost(file, block.offset(), block.length(), block.offset() >= end, block.gap(0));
    }

    /** A disk that is full is no reason not to open: the index is written with the next opening. */
    private static void writeIndex(Path file, int number, long end, List<BlockHeader> blocks) {
        try {
            SegmentIndex.write(file, blocks.getFirst().recording(), number, end, blocks);
        } catch (IOException e) {
            deleteIndex(file);
        }
    }

    /** Deletes the index of a segment if there is one. What cannot be deleted is found to be wrong when it is read. */
    static void deleteIndex(Path segment) {
        try {
            Files.deleteIfExists(Format.index(segment));
        } catch (IOException e) {
            LOG.warn("cannot delete {}: {}", Format.index(segment), e.toString());
        }
    }

    @Override
    public String toString() {
        return segments.size() + " segments in " + directory;
    }
}
