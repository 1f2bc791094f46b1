// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.recorder;

import io.reactivenetio.recorder.NetioRecordingException.Reason;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import java.util.function.IntConsumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The segments of a recorder: appends blocks, ends segments, deletes old ones. On the recorder's thread. */
final class SegmentLog {
    private static final Logger LOG = LoggerFactory.getLogger(RecorderOptions.LOGGER);
    /** What an index takes for each segment, and for each block. */
    private static final int INDEX_BYTES = 40;
    private static final int MOST_TRIES = 1_000;

    /** Before this, a clock was not set: machines begin at 1970. */
    private static final Instant CLOCKS_ARE_SET = Instant.parse("2000-01-01T00:00:00Z");
    private static final long FOR_EVER = Long.MAX_VALUE / 2;

    /** A segment that is complete, and how old its last message was at a time of the clock that nobody sets. */
    private record Kept(Recovery.Segment segment, long age, long then) {
        long age(long now) {
            return age + (now - then);
        }
    }

    private final Path directory;
    private final RecorderOptions options;
    private final Disk disk;
    private final LongSupplier nanoTime;
    private final IntConsumer numbers;
    private final Deque<Kept> complete = new ArrayDeque<>();
    private final long recording;
    private final long segmentLimit;
    private final long maxAge;
    private final RecorderCounters counters;
    /** Waits a while for room; false if nobody wants to wait any more. */
    private final BooleanSupplier pause;
    private int number;
    private Disk.@Nullable Output file;
    private Path path;
    private @Nullable Object key;
    private long size;
    private long begun;
    private long written;
    private long lastTime;
    private List<BlockHeader> blocks = new ArrayList<>();
    /** How many messages each of them has. */
    private List<Integer> messages = new ArrayList<>();
    private long completeBytes;
    private boolean dirty;

    /**
     * @param numbers is told the number of each segment before there is one
     * @param highest the highest number that a segment was given here, also of those that are gone
     */
    SegmentLog(Path directory, RecorderOptions options, Surroundings surroundings, Recovery before, long recording,
            RecorderCounters counters, BooleanSupplier pause, int highest, IntConsumer numbers) {
        this.directory = directory;
        this.path = directory;
        this.options = options;
        this.disk = surroundings.disk();
        this.nanoTime = surroundings.nanoTime();
        this.recording = recording;
        this.counters = counters;
        this.pause = pause;
        this.numbers = numbers;
        this.number = Math.max(before.lastNumber(), highest);
        this.segmentLimit = Math.max(2 * Format.PAGE, Math.min(options.segmentBytes(), options.maxBytes() / 4));
        this.maxAge = nanos(options.maxAge());
        Instant now = options.clock().instant();
        long then = nanoTime.getAsLong();
        for (Recovery.Segment segment : before.segments()) {
            complete.add(new Kept(segment, ageAt(now, segment.lastTime()), then));
            completeBytes += segment.bytes();
        }
        count();
    }

    /**
     * How old a message of an earlier recorder is. The clock has the first and last word here: from now on ages are measured. A
     * time that is still to come, or at which no clock was set, says nothing.
     */
    private static long ageAt(Instant now, long lastTime) {
        Instant last = RecordedEvent.toInstant(lastTime);
        return last.isBefore(CLOCKS_ARE_SET) || last.isAfter(now) ? 0 : nanos(Duration.between(last, now));
    }

    private static long nanos(Duration duration) {
        return duration.compareTo(Duration.ofNanos(FOR_EVER)) > 0 ? FOR_EVER : duration.toNanos();
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
        if (file != null && (size + length > segmentLimit || nanoTime.getAsLong() - begun > maxAge)) {
            seal();
        }
        long more = (long) length + BlockHeader.BYTES + (file == null ? Format.PAGE + INDEX_BYTES : 0);
        if (bytes() + more > options.maxBytes()) {
            return new IOException(directory + " has " + bytes() + " bytes, and " + more + " more are beyond the limit of "
                    + options.maxBytes());
        }
        try {
            if (file != null && file.size() < size) {
                check(); // before the file has its length again
            }
            Disk.Output out = file == null ? create() : file;
            try {
                BlockHeader header = block.finish(recording, number, size);
                block.writeTo(out);
                size += length;
                dirty = true;
                lastTime = Math.max(lastTime, header.lastTime());
                written = nanoTime.getAsLong();
                blocks.add(header);
                messages.add(block.messages());
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
        Disk.Output created = next();
        Instant now = options.clock().instant();
        try {
            created.write(Format.segmentHeader(recording, number, RecordedEvent.toNanos(now)));
            if (!options.fsync().isNever()) {
                disk.forceNames(directory);
            }
            key = Files.readAttributes(path, BasicFileAttributes.class).fileKey();
        } catch (IOException e) {
            created.close();
            Files.deleteIfExists(path);
            throw e;
        }
        file = created;
        size = Format.PAGE;
        begun = nanoTime.getAsLong();
        lastTime = Long.MIN_VALUE;
        forgetBlocks();
        return created;
    }

    /** Makes the file of the next segment. Somebody may have put something in its place, or left the index of a former one. */
    private Disk.Output next() throws IOException {
        for (int tries = 0; ; tries++) {
            numbers.accept(number + 1);
            number++;
            path = directory.resolve(Format.segmentName(number));
            try {
                Disk.Output created = disk.create(path);
                Recovery.deleteIndex(path);
                return created;
            } catch (FileAlreadyExistsException e) {
                if (tries == MOST_TRIES) {
                    throw e;
                }
            }
        }
    }

    private void forgetBlocks() {
        blocks = new ArrayList<>();
        messages = new ArrayList<>();
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
        check();
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
            if (left() > size) {
                out.cut(size); // somebody has put something behind it
            }
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
        complete.add(new Kept(segment, 0, written));
        forgetBlocks();
        count();
    }

    /** Counts no longer what somebody else has deleted or moved away, as one does to make room. */
    private void forgetDeleted() {
        for (Iterator<Kept> each = complete.iterator(); each.hasNext();) {
            Recovery.Segment segment = each.next().segment;
            if (Files.notExists(segment.path())) {
                each.remove();
                completeBytes -= segment.bytes();
            }
        }
        count();
    }

    /**
     * Deletes segments whose last message is older than they may be, and all before them, whatever their times. An age is
     * measured, and is not the difference of two times of a clock: that may have been set between them.
     */
    void expire() {
        long now = nanoTime.getAsLong();
        int most = 0;
        int n = 0;
        for (Kept each : complete) {
            n++;
            most = each.age(now) > maxAge ? n : most;
        }
        for (; most > 0; most--) {
            deleteOldest();
        }
    }

    /**
     * Notices that somebody has deleted, cut or replaced the segment that is being written: what is not there any more is lost,
     * and the next block begins another one.
     *
     * @throws NetioRecordingException DISK if the directory was deleted
     */
    void check() {
        if (file == null) {
            return;
        }
        long left = left();
        if (left >= size) {
            return;
        }
        if (Files.notExists(directory)) {
            throw new NetioRecordingException(Reason.DISK, directory + " was deleted, with all that was recorded there");
        }
        long lost = 0;
        for (int i = 0; i < blocks.size(); i++) {
            lost += blocks.get(i).end() > left ? messages.get(i) : 0;
        }
        counters.lost(lost);
        LOG.error("{} was {} while it was written. {} messages are lost, also those that were acknowledged; recording goes on"
                + " with another segment", path, left < 0 ? "deleted" : left == 0 ? "replaced" : "cut", lost);
        abandon();
        dirty = false;
        if (left > 0) {
            Recovery.Segment cut = Recovery.Segment.of(number, path, left, lastTime);
            completeBytes += cut.bytes();
            complete.add(new Kept(cut, 0, written));
        }
        forgetBlocks();
        forgetDeleted();
    }

    /** How many bytes of the segment that is being written are there; 0 if it is another file, -1 if there is none. */
    private long left() {
        try {
            BasicFileAttributes now = Files.readAttributes(path, BasicFileAttributes.class);
            return Objects.equals(key, now.fileKey()) ? now.size() : 0;
        } catch (NoSuchFileException e) {
            return -1;
        } catch (IOException e) {
            LOG.warn("cannot look at {}: {}", path, e.toString());
            return size;
        }
    }

    /** Deletes the oldest segment that is complete. Readers that have it open read it to its end. */
    private boolean deleteOldest() {
        Kept first = complete.poll();
        if (first == null) {
            return false;
        }
        Recovery.Segment oldest = first.segment;
        completeBytes -= oldest.bytes();
        try {
            Recovery.deleteIndex(oldest.path());
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
