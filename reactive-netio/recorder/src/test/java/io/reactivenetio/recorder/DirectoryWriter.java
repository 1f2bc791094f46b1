// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.recorder;

import io.reactivenetio.api.Tags;
import io.reactivenetio.pubsub.SequencedEvent;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** A recorder without a thread: it writes a block when it is told to, and looks after its files when it is told to. */
final class DirectoryWriter {
    private static final long RUN_OF_RECORDINGS = 1_000;
    private static long recordings = RUN_OF_RECORDINGS;

    /** As by kill -9 within a write. */
    static final class Killed extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    /** The disk, which ends the process after so many bytes. */
    static final class TornDisk implements Disk {
        private int left = -1;
        private @Nullable Path growing;
        private Path last = Path.of("none");
        private long size;

        @Override
        public Output create(Path file) throws IOException {
            Output real = REAL.create(file);
            growing = file;
            last = file;
            size = 0;
            return new Output() {
                @Override
                public void write(ByteBuffer bytes) throws IOException {
                    int some = left < 0 ? bytes.remaining() : Math.min(left, bytes.remaining());
                    boolean isAll = some == bytes.remaining();
                    left -= left < 0 ? 0 : some;
                    size += some;
                    real.write(bytes.slice(bytes.position(), some));
                    if (!isAll) {
                        throw new Killed();
                    }
                }

                @Override
                public void cut(long to) throws IOException {
                    real.cut(to);
                }

                @Override
                public long size() throws IOException {
                    return real.size();
                }

                @Override
                public void force() throws IOException {
                    real.force();
                }

                @Override
                public void close() throws IOException {
                    growing = null;
                    real.close();
                }
            };
        }

        @Override
        public long room(Path directory) throws IOException {
            return REAL.room(directory);
        }

        @Override
        public void forceNames(Path directory) throws IOException {
            REAL.forceNames(directory);
        }
    }

    final RecorderCounters counters = new RecorderCounters();
    final int lost;
    final boolean isNew;
    long ticked;
    private final Path directory;
    private final Surroundings surroundings;
    private final TornDisk disk;
    private final SegmentLog log;
    private final StreamEncoder encoder;
    private final LongSupplier nanoTime;
    private final Map<Tags, StreamEncoder.Stream> streams = new HashMap<>();
    private DirectoryLock lock;

    DirectoryWriter(Path directory, RecorderOptions options, Surroundings surroundings, LongSupplier nanoTime)
            throws IOException {
        this.directory = directory;
        this.surroundings = surroundings;
        this.nanoTime = nanoTime;
        disk = (TornDisk) surroundings.disk();
        lock = DirectoryLock.of(directory, surroundings);
        try {
            Recovery before = Recovery.of(directory, false);
            lost = before.lost().size();
            isNew = before.recording() == 0;
            before.ends().forEach((tags, end) -> streams.put(tags, new StreamEncoder.Stream(tags, end)));
            log = new SegmentLog(directory, options, surroundings, before, isNew ? recordings++ : before.recording(), counters,
                    () -> false, lock.highest(), number -> lock.highest(number));
        } catch (IOException | RuntimeException e) {
            lock.abandon();
            throw e;
        }
        encoder = new StreamEncoder(new Block(options.blockBytes()), log, counters);
        ticked = nanoTime.getAsLong();
    }

    /** The file that the next block may go to; null if it begins another one. */
    @Nullable Path growing() {
        return disk.growing;
    }

    /** How many bytes the last file has. */
    long size() {
        return disk.size;
    }

    /** Writes a block, and returns where it is. */
    Path write(Tags tags, List<SequencedEvent> events, long time, int torn) {
        disk.left = torn;
        encoder.begin(streams.computeIfAbsent(tags, of -> new StreamEncoder.Stream(of, new Recovery.End(0, 0, Long.MIN_VALUE))));
        events.forEach(event -> encoder.add(event, time));
        encoder.flush();
        disk.left = -1;
        return disk.last;
    }

    /** What a recorder does once per second. */
    void tick() {
        ticked = nanoTime.getAsLong();
        log.check();
        try {
            lock = lock.keep(directory, surroundings);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        log.expire();
    }

    /** Ends in order, and returns how many messages it has told as lost. */
    long close() throws IOException {
        log.seal();
        lock.close();
        return counters.statistics(0, 0, 0).lost();
    }

    void kill() {
        log.abandon();
        try {
            lock.abandon();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
