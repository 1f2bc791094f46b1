// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.recorder;

import io.reactivenetio.api.Tags;
import io.reactivenetio.recorder.NetioRecordingException.Reason;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What is in a directory: for each segment and stream the ranges of runs, and for the segment that is being written each block.
 * The blocks of others are read from their indexes when a reader comes there. Guarded by itself.
 */
final class Catalog {
    /** How many block headers of complete segments are kept; those of the last segment are kept in any case. */
    private static final int KEPT_BLOCKS = 65_536;
    /** When a directory was not changed for so long, its next change has another time. */
    private static final long SETTLED = TimeUnit.SECONDS.toNanos(3);

    /** Where a reader is: before the block {@code index} of its stream in a segment. */
    static final class Place {
        private final Tags tags;
        private final int generation;
        private int segment;
        private int index;
        /** The segment that {@code index} is of: another one may have its number since. */
        private @Nullable CatalogSegment in;
        /** The blocks of a segment that is complete, which are known even if it has been deleted. */
        private @Nullable List<BlockHeader> blocks;
        // what the reader has: 0 if nothing yet
        private long run;
        private long next;

        Place(Tags tags, int generation) {
            this.tags = tags;
            this.generation = generation;
        }

        /** Notes how far the reader has come. */
        void has(long newRun, long behind) {
            run = newRun;
            next = behind;
        }

        long run() {
            return run;
        }

        long next() {
            return next;
        }
    }

    private final Path directory;
    private final LongSupplier nanoTime;
    private final TreeMap<Integer, CatalogSegment> segments = new TreeMap<>();
    private final Map<Integer, Map<Tags, List<BlockHeader>>> indexes = new LinkedHashMap<>(8, 0.75f, true);
    private int keptBlocks;
    private long recording;
    private long damagedBytes;
    /** How often all that was here was replaced by another recording. */
    private int generation;
    /** All segments before this one are complete. */
    private int growing;
    private long lastChange = Long.MIN_VALUE;
    private long changeSeen;

    Catalog(Path directory) throws IOException {
        this(directory, System::nanoTime);
    }

    Catalog(Path directory, LongSupplier nanoTime) throws IOException {
        this.directory = directory;
        this.nanoTime = nanoTime;
        if (!Files.isDirectory(directory)) {
            throw new NoSuchFileException(directory.toString(), null, "there is no such directory");
        }
        refresh(true);
    }

    Path path(int segment) {
        return directory.resolve(Format.segmentName(segment));
    }

    synchronized long damagedBytes() {
        CatalogSegment last = segments.isEmpty() ? null : segments.lastEntry().getValue();
        return damagedBytes + (last == null || last.complete ? 0 : damage(last));
    }

    /** How many bytes at the end of the newest segment are no whole block: it is being written, or its recorder has ended. */
    synchronized long unfinishedBytes() {
        return segments.isEmpty() || segments.lastEntry().getValue().complete ? 0
                : Math.max(0, segments.lastEntry().getValue().size - segments.lastEntry().getValue().scanner.position());
    }

    // ---- what there is

    /**
     * Looks what has been written since the last time, and if it is to be {@code full}, what was deleted. Returns the streams
     * that have more.
     */
    synchronized Set<Tags> refresh(boolean full) throws IOException {
        Set<Tags> grown = new HashSet<>();
        boolean isNext = !segments.isEmpty() && Files.exists(path(segments.lastKey() + 1));
        if (isNext || segments.isEmpty() || full && hasChanged()) {
            list();
            if (isReplaced()) {
                forget();
                list();
            }
        }
        for (CatalogSegment segment : List.copyOf(segments.tailMap(growing, true).values())) {
            if (!segment.complete) {
                read(segment, segment.number != segments.lastKey(), grown);
            }
        }
        Map.Entry<Integer, CatalogSegment> first = segments.ceilingEntry(growing);
        while (first != null && first.getValue().complete) {
            growing = first.getKey() + 1;
            first = segments.ceilingEntry(growing);
        }
        return grown;
    }

    /**
     * Whether files may have come or gone since they were listed. The directory says when that was the last time, as exactly as
     * its file system keeps times: soon afterwards it may have happened once more.
     */
    private boolean hasChanged() throws IOException {
        long changed = Files.getLastModifiedTime(directory).toMillis();
        long now = nanoTime.getAsLong();
        if (changed != lastChange) {
            lastChange = changed;
            changeSeen = now;
        }
        return now - changeSeen < SETTLED;
    }

    /** Whether the segments are of another recording than before: in a directory that was empty, numbers begin anew. */
    private boolean isReplaced() throws IOException {
        if (recording == 0 || segments.isEmpty()) {
            return false;
        }
        CatalogSegment first = segments.firstEntry().getValue();
        try (FileChannel channel = FileChannel.open(first.path, StandardOpenOption.READ)) {
            ByteBuffer page = ByteBuffer.allocate(Format.PAGE);
            long said = SegmentScanner.read(channel, page, 0) ? Format.recording(page, first.path) : 0;
            return said != 0 && said != recording;
        } catch (NoSuchFileException e) {
            return false; // it was deleted just now
        }
    }

    private void forget() {
        segments.clear();
        indexes.clear();
        keptBlocks = 0;
        recording = 0;
        generation++;
    }

    /** Changes when all that was here was replaced by another recording: no reader has a place there. */
    synchronized int generation() {
        return generation;
    }

    private void list() throws IOException {
        Set<Integer> present = new HashSet<>();
        for (Path file : Recovery.files(directory)) {
            int number = Format.number(file);
            present.add(number);
            CatalogSegment known = segments.get(number);
            if (known == null) {
                begin(number, file);
            } else if (known.complete) {
                checkIdentity(known);
            }
        }
        segments.keySet().retainAll(present);
    }

    private void begin(int number, Path file) {
        segments.put(number, new CatalogSegment(number, file, recording));
        growing = Math.min(growing, number);
        Map<Tags, List<BlockHeader>> former = indexes.remove(number);
        keptBlocks -= former == null ? 0 : size(former);
    }

    /**
     * Forgets a segment if another one has its number by now, as when segments were moved away and back. The same segment in
     * another file, which was copied, stays. Returns the size of the file, or -1 if it was forgotten.
     */
    private long checkIdentity(CatalogSegment segment) throws IOException {
        try {
            BasicFileAttributes now = Files.readAttributes(segment.path, BasicFileAttributes.class);
            if (segment.isIn(now)) {
                return now.size();
            }
            begin(segment.number, segment.path);
            return -1;
        } catch (NoSuchFileException e) {
            return segment.size; // it was deleted just now, which who lists or opens it finds
        }
    }

    private void read(CatalogSegment known, boolean hasSuccessor, Set<Tags> grown) throws IOException {
        long present = checkIdentity(known);
        CatalogSegment segment = present < 0 ? segments.getOrDefault(known.number, known) : known;
        if (present == segment.size && !hasSuccessor) {
            return;
        }
        try (FileChannel channel = FileChannel.open(segment.path, StandardOpenOption.READ)) {
            segment.identify();
            long size = channel.size();
            List<BlockHeader> blocks = segment.size < 0 ? SegmentIndex.read(segment.path, segment.number, channel) : null;
            boolean isIndexed = blocks != null;
            if (blocks == null) {
                blocks = segment.scanner.advance(channel, segment.path, hasSuccessor);
            } else {
                segment.scanner.begin(channel, segment.path);
            }
            segment.size = size;
            for (BlockHeader block : blocks) {
                segment.add(block);
                grown.add(block.tags());
                recording = recording == 0 ? block.recording() : recording;
                if (segment.growing != null && !isIndexed) {
                    segment.growing.computeIfAbsent(block.tags(), tags -> new ArrayList<>()).add(block);
                }
            }
            if (isIndexed || hasSuccessor) {
                complete(segment, isIndexed ? null : segment.growing);
            }
        } catch (NoSuchFileException e) {
            segment.complete = true; // it was deleted just now
        }
    }

    private void complete(CatalogSegment segment, @Nullable Map<Tags, List<BlockHeader>> blocks) {
        segment.complete = true;
        segment.growing = null;
        damagedBytes += damage(segment);
        if (blocks != null) {
            keep(segment.number, blocks);
        }
    }

    private static long damage(CatalogSegment segment) {
        return segment.scanner.damages().stream().mapToLong(SegmentScanner.Damage::bytes).sum()
                + (segment.scanner.headerDamaged() ? Format.PAGE : 0);
    }

    private void keep(int number, Map<Tags, List<BlockHeader>> blocks) {
        Map<Tags, List<BlockHeader>> before = indexes.put(number, blocks);
        keptBlocks += size(blocks) - (before == null ? 0 : size(before));
        Iterator<Map.Entry<Integer, Map<Tags, List<BlockHeader>>>> oldest = indexes.entrySet().iterator();
        while (keptBlocks > KEPT_BLOCKS && indexes.size() > 1) {
            keptBlocks -= size(oldest.next().getValue());
            oldest.remove();
        }
    }

    private static int size(Map<Tags, List<BlockHeader>> blocks) {
        return blocks.values().stream().mapToInt(List::size).sum();
    }

    /** The blocks of one stream in a segment. */
    private List<BlockHeader> blocks(CatalogSegment segment, Tags tags) throws IOException {
        if (!segment.parts.containsKey(tags)) {
            return List.of();
        }
        Map<Tags, List<BlockHeader>> all = segment.complete ? indexes.get(segment.number) : segment.growing;
        if (all == null) {
            all = load(segment);
            keep(segment.number, all);
        }
        return all.getOrDefault(tags, List.of());
    }

    private Map<Tags, List<BlockHeader>> load(CatalogSegment segment) throws IOException {
        Map<Tags, List<BlockHeader>> all = new HashMap<>();
        try (FileChannel channel = FileChannel.open(segment.path, StandardOpenOption.READ)) {
            List<BlockHeader> blocks = SegmentIndex.read(segment.path, segment.number, channel);
            if (blocks == null) {
                blocks = new SegmentScanner(segment.number, recording).advance(channel, segment.path, true);
            }
            for (BlockHeader block : blocks) {
                all.computeIfAbsent(block.tags(), tags -> new ArrayList<>()).add(block);
            }
        } catch (NoSuchFileException e) {
            return Map.of(); // deleted: the readers find a gap
        }
        return all;
    }

    synchronized List<RecordedTags> streams() {
        Map<Tags, List<RecordedRun>> runs = new LinkedHashMap<>();
        Map<Tags, Long> bytes = new HashMap<>();
        for (CatalogSegment segment : segments.values()) {
            segment.parts.forEach((tags, parts) -> {
                List<RecordedRun> known = runs.computeIfAbsent(tags, of -> new ArrayList<>());
                for (CatalogSegment.Part part : parts) {
                    RecordedRun last = known.isEmpty() ? null : known.getLast();
                    bytes.merge(tags, part.bytes, Long::sum);
                    if (last != null && last.run() == part.run) {
                        known.set(known.size() - 1, new RecordedRun(part.run, last.first(), part.next - 1, last.firstTime(),
                                Math.max(last.lastTime(), part.lastTime)));
                    } else {
                        known.add(new RecordedRun(part.run, part.first, part.next - 1, part.firstTime, part.lastTime));
                    }
                }
            });
        }
        return runs.entrySet().stream()
                .map(each -> new RecordedTags(each.getKey(), bytes.getOrDefault(each.getKey(), 0L), each.getValue())).toList();
    }

    // ---- readers

    /** Where a reader begins. */
    synchronized Place find(Tags tags, RecordingPosition from) throws IOException {
        List<CatalogSegment> with = segments.values().stream().filter(segment -> segment.parts.containsKey(tags)).toList();
        if (with.isEmpty()) {
            throw new NetioRecordingException(Reason.NOT_RECORDED, "nothing is recorded for " + tags + " in " + directory
                    + ": ask for exactly the tags of one of the " + streams().size() + " recorded streams");
        }
        Place place = new Place(tags, generation);
        place.segment = with.getFirst().number;
        switch (from.kind()) {
            case BEGINNING -> { }
            case END -> toEnd(place, with);
            case TIME -> toTime(place, with, from.first());
            default -> toPosition(place, with, from);
        }
        return place;
    }

    /** Moves a place back by so many blocks, or to the first. */
    synchronized void back(Place place, int number) throws IOException {
        int left = number;
        while (left > place.index) {
            Map.Entry<Integer, CatalogSegment> lower = segments.lowerEntry(place.segment);
            while (lower != null && !lower.getValue().parts.containsKey(place.tags)) {
                lower = segments.lowerEntry(lower.getKey());
            }
            if (lower == null) {
                place.index = 0;
                return;
            }
            left -= place.index;
            place.segment = lower.getKey();
            place.index = blocks(lower.getValue(), place.tags).size();
        }
        place.index -= left;
    }

    private void toEnd(Place place, List<CatalogSegment> with) throws IOException {
        CatalogSegment last = with.getLast();
        CatalogSegment.Part part = last.parts.getOrDefault(place.tags, List.of()).getLast();
        place.segment = last.number;
        place.index = blocks(last, place.tags).size();
        place.run = part.run;
        place.next = part.next;
    }

    private void toTime(Place place, List<CatalogSegment> with, long time) throws IOException {
        for (CatalogSegment segment : with) {
            if (segment.parts.getOrDefault(place.tags, List.of()).stream().anyMatch(part -> part.lastTime >= time)) {
                List<BlockHeader> blocks = blocks(segment, place.tags);
                for (int i = 0; i < blocks.size(); i++) {
                    if (blocks.get(i).lastTime() >= time) {
                        place.segment = segment.number;
                        place.index = i;
                        return;
                    }
                }
            }
        }
        toEnd(place, with);
    }

    private void toPosition(Place place, List<CatalogSegment> with, RecordingPosition from) throws IOException {
        place.run = from.first();
        place.next = from.second() + (from.second() < Long.MAX_VALUE ? 1 : 0); // no message has that number
        CatalogSegment last = null;
        for (CatalogSegment segment : with) {
            for (CatalogSegment.Part part : segment.parts.getOrDefault(place.tags, List.of())) {
                if (part.run == place.run) {
                    last = segment;
                    if (part.next > place.next) {
                        place.segment = segment.number;
                        place.index = index(blocks(segment, place.tags), place.run, place.next);
                        return;
                    }
                }
            }
        }
        if (last == null && from.kind() == RecordingPosition.Kind.AFTER_OR_OLDEST) {
            return; // at the first block of the oldest run, as somebody of another run
        }
        if (last == null) {
            throw new NetioRecordingException(Reason.UNKNOWN_RUN, "run " + Long.toUnsignedString(place.run, 16) + " of "
                    + place.tags + " is not recorded in " + directory
                    + ", or was deleted: begin anew, at a time, or afterOrOldest");
        }
        place.segment = last.number;
        place.index = index(blocks(last, place.tags), place.run, Long.MAX_VALUE);
    }

    /** The first block of a run with something at or behind {@code next}, or else the place behind its last. */
    private static int index(List<BlockHeader> blocks, long run, long next) {
        int behind = 0;
        for (int i = 0; i < blocks.size(); i++) {
            if (blocks.get(i).run() == run) {
                if (blocks.get(i).next() > next) {
                    return i;
                }
                behind = i + 1;
            }
        }
        return behind;
    }

    /** The next block at a place, which moves behind it; null if there is none yet. */
    synchronized @Nullable BlockHeader next(Place place) throws IOException {
        if (place.generation != generation) {
            throw new NetioRecordingException(Reason.UNKNOWN_RUN, "the recording in " + directory
                    + " was deleted, and another one has begun there: read it from a position or from its beginning");
        }
        while (true) {
            CatalogSegment segment = segments.get(place.segment);
            if (segment != null && segment != place.in) {
                enter(place, segment);
            }
            List<BlockHeader> blocks = place.blocks;
            if (blocks == null && segment != null) {
                blocks = blocks(segment, place.tags);
                place.blocks = segment.complete ? blocks : null;
            }
            if (blocks != null && place.index < blocks.size()) {
                return blocks.get(place.index++);
            }
            Integer higher = segments.higherKey(place.segment);
            if (higher == null || segment != null && !segment.complete) {
                return null;
            }
            place.segment = higher;
            place.index = 0;
            place.in = null;
            place.blocks = null;
        }
    }

    /** Notes in which segment a place is. If another one had its number before, the place is where its reader goes on. */
    private void enter(Place place, CatalogSegment segment) throws IOException {
        if (place.in != null) {
            place.blocks = null;
            place.index = index(blocks(segment, place.tags), place.run, place.next);
        }
        place.in = segment;
    }

    /** Whether there is a block at a place. */
    synchronized boolean hasNext(Place place) throws IOException {
        BlockHeader block = next(place);
        if (block != null) {
            place.index--;
        }
        return block != null;
    }
}
