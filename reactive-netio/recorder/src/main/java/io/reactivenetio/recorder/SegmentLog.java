// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.recorder;

import io.reactivenetio.recorder.NetioRecordingException.Reason;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The segments of a recorder: appends blocks, ends segments, deletes old ones. On the recorder's thread. */
final class SegmentLog {
    private static final Logger LOG = LoggerFactory.getLogger(RecorderOptions.LOGGER);
    /** What an index takes for each segment, and for each block. */
    private static final int INDEX_BYTES = 40;

    private final Path directory;
    private final RecorderOptions options;
    private final Disk disk;
    private final Deque<Recovery.Segment> complete;
    private final long recording;
    private final long segmentLimit;
    private final RecorderCounters counters;
    /** Waits a while for room; false if nobody wants to wait any more. */
    private final BooleanSupplier pause;
    private int number;
    private Disk.@Nullable Output file;
    private Path path;
    private long size;
    private Instant begun = Instant.MIN;
    private long lastTime;
    private List<BlockHeader> blocks = new ArrayList<>();
    private long completeBytes;
    private boolean dirty;

    SegmentLog(Path directory, RecorderOptions options, Disk disk, Recovery before, long recording, RecorderCounters counters,
            BooleanSupplier pause) {
        this.directory = directory;
        this.path = directory;
        this.options = options;
        this.disk = disk;
        this.complete = before.segments();
        this.recording = recording;
        this.counters = counters;
        this.pause = pause;
        this.number = before.lastNumber();
        this.segmentLimit = Math.max(2 * Format.PAGE, Math.min(options.segmentBytes(), options.maxBytes() / 4));
        for (Recovery.Segment segment : complete) {
            completeBytes += segment.bytes();
        }
        count();
    }

    /**
     * Writes a block. If there is no room, it does what {@link WhenFull} says.
     *
     * @throws NetioRecordingException FULL if there is no room and nobody waits; DISK if it cannot be written, and nothing more
     */
    BlockHeader append(Block block) {
        int length = block.length();
        if (length + 2L * Format.PAGE + INDEX_BYTES + BlockHeader.BYTES > options.maxBytes()) {
            throw new NetioRecordingException(Reason.FULL, "a block of " + length + " bytes, where the whole recording may have "
                    + options.maxBytes() + ": raise maxBytes");
        }
        boolean waited = false;
        while (true) {
            IOException full = tryAppend(block, length);
            if (full == null) {
                if (waited) {
                    counters.waiting(false);
                    LOG.info("{} has room again: recording goes on", directory);
                }
                return blocks.getLast();
            }
            if (options.whenFull() == WhenFull.DELETE_OLDEST && deleteOldest()) {
                continue;
            }
            long before = completeBytes;
            forgetDeleted();
            expire();
            if (completeBytes < before) {
                continue;
            }
            if (options.whenFull() == WhenFull.FAIL) {
                throw new NetioRecordingException(Reason.FULL, full.getMessage() + ": make room, or have the recorder delete the"
                        + " oldest segments or wait", full);
            }
            if (!waited) {
                waited = true;
                counters.waiting(true);
                LOG.warn("{}: recording waits until there is room", full.getMessage());
            }
            if (!pause.getAsBoolean()) {
                counters.waiting(false);
                throw new NetioRecordingException(Reason.FULL, full.getMessage() + ", and the recorder is closed", full);
            }
        }
    }

    /** Returns null if it is written, or what is full. */
    private @Nullable IOException tryAppend(Block block, int length) {
        Instant now = options.clock().instant();
        begun = begun.isAfter(now) ? now : begun; // the clock was ahead
        if (file != null && (size + length > segmentLimit || now.isAfter(begun.plus(options.maxAge())))) {
            seal();
        }
        long more = (long) length + BlockHeader.BYTES + (file == null ? Format.PAGE + INDEX_BYTES : 0);
        if (bytes() + more > options.maxBytes()) {
            return new IOException(directory + " has " + bytes() + " bytes, and " + more + " more are beyond the limit of "
                    + options.maxBytes());
        }
        try {
            Disk.Output out = file == null ? create() : file;
            try {
                BlockHeader header = block.finish(recording, number, size);
                block.writeTo(out);
                size += length;
                dirty = true;
                lastTime = Math.max(lastTime, header.lastTime());
                blocks.add(header);
                count();
                return null;
            } catch (IOException e) {
                out.cut(size);
                throw e;
            }
        } catch (IOException e) {
            if (isFull(e, length)) {
                return new IOException("the disk of " + directory + " is full (" + e.getMessage() + ")", e);
            }
            throw failed("cannot write to " + path, e);
        }
    }

    private Disk.Output create() throws IOException {
        number++;
        path = directory.resolve(Format.segmentName(number));
        Instant now = options.clock().instant();
        Disk.Output created = disk.create(path);
        try {
            created.write(Format.segmentHeader(recording, number, RecordedEvent.toNanos(now)));
            if (!options.fsync().isNever()) {
                disk.forceNames(directory);
            }
        } catch (IOException e) {
            created.close();
            Files.deleteIfExists(path);
            throw e;
        }
        file = created;
        size = Format.PAGE;
        begun = now;
        lastTime = Long.MIN_VALUE;
        blocks = new ArrayList<>();
        return created;
    }

    private boolean isFull(IOException e, int length) {
        String text = e instanceof FileSystemException known ? known.getReason() : e.getMessage();
        String lower = text == null ? "" : text.toLowerCase(Locale.ROOT);
        if (lower.contains("no space left") || lower.contains("quota exceeded")) {
            return true;
        }
        try {
            return disk.room(directory) < length + 2L * Format.PAGE; // in whatever language the system says it
        } catch (IOException unknown) {
            return false;
        }
    }

    private NetioRecordingException failed(String what, IOException e) {
        return new NetioRecordingException(Reason.DISK, what + ": " + e + ". What was acknowledged is there; open the recorder"
                + " anew when the disk works", e);
    }

    /** Brings what was written to the disk. */
    void force() {
        Disk.Output out = file;
        if (dirty && out != null) {
            try {
                out.force();
            } catch (IOException e) {
                throw failed("cannot bring " + path + " to the disk", e);
            }
        }
        dirty = false;
    }

    boolean isDirty() {
        return dirty;
    }

    /** Ends the segment that is being written, if there is one. */
    void seal() {
        Disk.Output out = file;
        if (out == null) {
            return;
        }
        if (!options.fsync().isNever()) {
            force();
        }
        file = null;
        dirty = false;
        try {
            out.close();
        } catch (IOException e) {
            throw failed("cannot close " + path, e);
        }
        try {
            if (blocks.isEmpty()) {
                Files.deleteIfExists(path);
                return;
            }
            SegmentIndex.write(path, recording, number, size, blocks);
        } catch (IOException e) { // it can be made again
            LOG.warn("no index for {}, which takes longer to read without: {}", path, e.toString());
        }
        Recovery.Segment segment = Recovery.Segment.of(number, path, size, lastTime);
        completeBytes += segment.bytes();
        complete.add(segment);
        blocks = new ArrayList<>();
        count();
    }

    /** Counts no longer what somebody else has deleted or moved away, as one does to make room. */
    private void forgetDeleted() {
        for (Iterator<Recovery.Segment> each = complete.iterator(); each.hasNext();) {
            Recovery.Segment segment = each.next();
            if (Files.notExists(segment.path())) {
                each.remove();
                completeBytes -= segment.bytes();
            }
        }
        count();
    }

    /**
     * Deletes segments whose last message is older than they may be, and all before them, whatever their times: their clock was
     * ahead.
     */
    void expire() {
        Instant oldest = options.clock().instant().minus(options.maxAge());
        int most = 0;
        int n = 0;
        for (Recovery.Segment segment : complete) {
            n++;
            most = RecordedEvent.toInstant(segment.lastTime()).isBefore(oldest) ? n : most;
        }
        for (; most > 0; most--) {
            deleteOldest();
        }
    }

    /**
     * Notices that somebody has deleted the segment that is being written: what is in it is lost, and the next block begins
     * another one.
     *
     * @throws NetioRecordingException DISK if the directory was deleted
     */
    void check() {
        if (file == null || Files.exists(path)) {
            return;
        }
        if (Files.notExists(directory)) {
            throw new NetioRecordingException(Reason.DISK, directory + " was deleted, with all that was recorded there");
        }
        LOG.error("{} was deleted while it was written. Its messages are lost, also those that were acknowledged; recording goes"
                + " on with another segment", path);
        abandon();
        dirty = false;
        blocks = new ArrayList<>();
        forgetDeleted();
    }

    /** Deletes the oldest segment that is complete. Readers that have it open read it to its end. */
    private boolean deleteOldest() {
        Recovery.Segment oldest = complete.poll();
        if (oldest == null) {
            return false;
        }
        completeBytes -= oldest.bytes();
        try {
            Files.deleteIfExists(Format.index(oldest.path()));
            Files.deleteIfExists(oldest.path());
            counters.deleted();
        } catch (IOException e) {
            LOG.warn("cannot delete {}: {}", oldest.path(), e.toString());
        }
        count();
        return true;
    }

    /** Closes the file as it is, when nothing more can be written. */
    void abandon() {
        Disk.Output out = file;
        file = null;
        if (out != null) {
            try {
                out.close();
            } catch (IOException e) {
                LOG.warn("cannot close {}: {}", path, e.toString());
            }
        }
    }

    /** How many bytes all segments have, with their indexes, also that which is still to be written. */
    private long bytes() {
        return completeBytes + (file == null ? 0 : size + INDEX_BYTES + (long) blocks.size() * BlockHeader.BYTES);
    }

    private void count() {
        counters.onDisk(complete.size() + (file == null ? 0 : 1), bytes());
    }
}
