// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.recorder;

import io.reactivenetio.api.Tags;
import io.reactivenetio.pubsub.Gap;
import io.reactivenetio.pubsub.Position;
import io.reactivenetio.pubsub.RunChange;
import io.reactivenetio.pubsub.SequencedEvent;
import io.reactivenetio.pubsub.SequencedMessage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.NoSuchFileException;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads one stream from the disk, block by block. It compares each number with the one it expects, and tells what is missing
 * wherever that comes from. It is used by one thread at a time, and blocks it while it reads.
 */
final class Cursor {
    private static final Logger LOG = LoggerFactory.getLogger(NetioRecording.class);

    /** How far back the last message before a time is looked for: blocks may have nothing but gaps. */
    private static final int BLOCKS_BEFORE = 8;

    private final Catalog catalog;
    private final ReaderCounters counters;
    private final Tags tags;
    private final Catalog.Place place;
    private final Deque<RecordedEvent> waiting = new ArrayDeque<>(4);
    private long run;
    private long next;
    private long notBefore;
    private final boolean withLast;
    private @Nullable RecordedEvent last;
    private Records.@Nullable Reader block;
    private @Nullable BlockHeader header;
    private @Nullable FileChannel file;
    private int fileNumber;

    Cursor(Catalog catalog, ReaderCounters counters, Tags tags, RecordingPosition from) throws IOException {
        this(catalog, counters, tags, from, false);
    }

    /** If it is to be with the {@code last}, the last message before the time at which it begins comes first. */
    Cursor(Catalog catalog, ReaderCounters counters, Tags tags, RecordingPosition from, boolean last) throws IOException {
        this.catalog = catalog;
        this.counters = counters;
        this.tags = tags;
        this.place = catalog.find(tags, from);
        this.run = place.run();
        this.next = place.next();
        this.notBefore = from.kind() == RecordingPosition.Kind.TIME ? from.first() : Long.MIN_VALUE;
        this.withLast = last && from.kind() == RecordingPosition.Kind.TIME;
        if (withLast) {
            catalog.back(place, BLOCKS_BEFORE);
        }
    }

    Catalog.Place place() {
        return place;
    }

    /** The next event; null at the present end. */
    @Nullable RecordedEvent next() throws IOException {
        while (true) {
            RecordedEvent first = waiting.poll();
            if (first != null) {
                return first;
            }
            if (!readRecord() && !openBlock()) {
                RecordedEvent before = last;
                last = null;
                return before;
            }
        }
    }

    /** Reads a record of the present block. Returns false if there is none. */
    private boolean readRecord() {
        Records.Reader records = block;
        BlockHeader of = header;
        if (records == null || of == null) {
            return false;
        }
        SequencedEvent event;
        try {
            event = records.next();
        } catch (RuntimeException e) {
            block = null;
            damaged(of, e.toString());
            return true;
        }
        if (event == null) {
            block = null;
            missing(of, of.next(), of.lastTime());
            return true;
        }
        arrived(of, event, records.time());
        return true;
    }

    private void arrived(BlockHeader of, SequencedEvent event, long time) {
        if (time < notBefore) {
            last = withLast && event instanceof SequencedMessage ? new RecordedEvent(event, time) : last;
            skip(of, switch (event) {
                case SequencedMessage message -> message.sequence() + 1;
                case Gap gap -> gap.to() + 1;
                case RunChange change -> 0;
            });
            return;
        }
        notBefore = Long.MIN_VALUE;
        if (last != null) {
            waiting.add(last);
            last = null;
        }
        switch (event) {
            case RunChange change -> {
                if (run != 0 && run != of.run()) {
                    if (change.last().run() == run && change.last().sequence() >= next) {
                        tell(new Gap(tags, run, next, change.last().sequence()), time);
                    }
                    tell(new RunChange(tags, new Position(run, Math.max(next - 1, -1)), of.run()), time);
                }
                if (run != of.run()) {
                    run = of.run();
                    next = 0;
                }
            }
            case Gap gap -> {
                enterRun(of, gap.from(), time);
                if (gap.to() >= next) {
                    missing(of, gap.to() + 1, time);
                }
            }
            case SequencedMessage message -> {
                enterRun(of, message.sequence(), time);
                if (message.sequence() >= next) {
                    missing(of, message.sequence(), time);
                    next = message.sequence() + 1;
                    tell(message, time);
                }
            }
        }
    }

    /** What is before the time that was asked for counts as had, so that it is not missing before what follows. */
    private void skip(BlockHeader of, long behind) {
        next = run == of.run() ? Math.max(next, behind) : behind;
        run = of.run();
    }

    /** Sees to it that the reader is in the run of this block. A reader that is new begins with what comes. */
    private void enterRun(BlockHeader of, long number, long time) {
        if (run == 0) {
            run = of.run();
            next = number;
        } else if (run != of.run()) {
            tell(new RunChange(tags, new Position(run, next - 1), of.run()), time);
            run = of.run();
            next = 0;
        }
    }

    /** Tells a gap from what is expected to before {@code until}, if there is one. */
    private void missing(BlockHeader of, long until, long time) {
        if (run == of.run() && until > next) {
            tell(new Gap(tags, run, next, until - 1), time);
            next = until;
        }
    }

    private void tell(SequencedEvent event, long time) {
        waiting.add(new RecordedEvent(event, time));
    }

    /** Opens the next block. Returns false if there is none. */
    private boolean openBlock() throws IOException {
        place.has(run, next);
        BlockHeader following = catalog.next(place);
        if (following == null) {
            return false;
        }
        header = following;
        block = null;
        ByteBuffer body;
        try {
            body = read(following);
        } catch (NoSuchFileException e) {
            missing(following); // its segment was deleted
            return true;
        }
        if (body == null) {
            counters.damaged(following.length());
            damaged(following, "its checksum is wrong");
            return true;
        }
        block = new Records.Reader(following, body);
        return true;
    }

    private void damaged(BlockHeader of, String how) {
        LOG.warn("{} at {} bytes, {} of run {} from {} to {}: {}", catalog.path(of.segment()), of.offset(), of.tags(),
                Long.toUnsignedString(of.run(), 16), of.first(), of.next() - 1, how);
        missing(of);
    }

    /** Tells all of a block as missing. */
    private void missing(BlockHeader of) {
        if (of.lastTime() < notBefore) {
            skip(of, of.next());
        } else if (of.next() > of.first()) {
            enterRun(of, of.first(), of.firstTime());
            missing(of, of.next(), of.firstTime());
        }
    }

    private @Nullable ByteBuffer read(BlockHeader of) throws IOException {
        FileChannel open = file;
        if (open == null || fileNumber != of.segment() || !open.isOpen()) {
            release();
            open = FileChannel.open(catalog.path(of.segment()), StandardOpenOption.READ);
            file = open;
            fileNumber = of.segment();
        }
        try {
            return SegmentScanner.body(open, of);
        } catch (ClosedByInterruptException e) { // whoever interrupted this thread did not mean this reader
            boolean interrupted = Thread.interrupted();
            try {
                return read(of);
            } finally {
                if (interrupted) {
                    Thread.currentThread().interrupt();
                }
            }
        }
    }

    /** Closes the file, which is opened again when it is needed. */
    void release() {
        FileChannel open = file;
        file = null;
        if (open != null) {
            try {
                open.close();
            } catch (IOException e) {
                LOG.warn("cannot close a segment: {}", e.toString());
            }
        }
    }
}
