// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.recorder;

import io.reactivenetio.api.Tags;
import io.reactivenetio.recorder.NetioRecordingException.Reason;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * A recording on the disk, for reading. It may be written at the same time, in this process or another one. It changes no file.
 * All methods may be called on any thread.
 *
 * <p>Readers read on the threads of one Scheduler, which they block while the disk works. A reader reads a block when it is asked
 * for a message of it, and keeps that block in memory and nothing more. Signals come on the Scheduler's threads.
 *
 * <p>A reader holds nothing up. A segment that is deleted while it reads there is read to its end; what else was deleted before
 * it came is told as a Gap. If all is deleted and another recording begins in the directory, it fails with UNKNOWN_RUN; if the
 * directory is deleted, with DISK.
 *
 * <p>About 100 bytes are kept in memory for each recorded stream in each segment.
 */
public final class NetioRecording implements RecordingReader, AutoCloseable {
    /** How often somebody who follows looks for more, unless set. */
    public static final Duration DEFAULT_POLL = Duration.ofMillis(20);

    private static final Logger LOG = LoggerFactory.getLogger(NetioRecording.class);
    private static final long LISTED = TimeUnit.SECONDS.toNanos(1);

    private final Path directory;
    private final Scheduler scheduler;
    private final ReaderBeat beat;
    private final Catalog catalog;
    private final ReaderCounters counters = new ReaderCounters();
    private final Set<CursorSubscription> readers = ConcurrentHashMap.newKeySet();
    // guarded by the catalog: readers at the end that wait for more
    private final Set<CursorSubscription> waiting = new HashSet<>();
    private volatile boolean anybodyWaits;
    private long listed = System.nanoTime();
    private volatile boolean closed;

    private NetioRecording(Path directory, Scheduler scheduler, Duration poll) throws IOException {
        this.directory = directory;
        this.scheduler = scheduler;
        this.beat = new ReaderBeat(new Beaten(), poll.toNanos());
        this.catalog = new Catalog(directory);
    }

    /** Opens a recording whose readers read on {@link Schedulers#boundedElastic}. */
    public static NetioRecording open(Path directory) {
        return open(directory, Schedulers.boundedElastic(), DEFAULT_POLL);
    }

    /**
     * Opens a recording. This reads the indexes of all segments, and must not happen on a loop.
     *
     * @param scheduler where readers read; it is not disposed of
     * @param poll how often somebody who follows looks for more
     * @throws NetioRecordingException DISK if there is no such directory, or it cannot be read; FORMAT if its files are of a
     * later
     *     version
     * @throws IllegalArgumentException if {@code poll} is not 1 ms to 1 minute
     */
    public static NetioRecording open(Path directory, Scheduler scheduler, Duration poll) {
        if (poll.compareTo(Duration.ofMillis(1)) < 0 || poll.compareTo(Duration.ofMinutes(1)) > 0) {
            throw new IllegalArgumentException("poll must be 1 ms to 1 minute: " + poll);
        }
        try {
            return new NetioRecording(directory, scheduler, poll);
        } catch (IOException e) {
            throw disk(directory, e);
        }
    }

    static NetioRecordingException disk(Path directory, IOException e) {
        return new NetioRecordingException(Reason.DISK, "cannot read the recording in " + directory + ": " + e, e);
    }

    @Override
    public Mono<List<RecordedTags>> tags() {
        return Mono.fromCallable(this::streams).subscribeOn(scheduler);
    }

    /** What {@link #tags} gives, read by the calling thread. */
    List<RecordedTags> streams() {
        try {
            refresh();
            return catalog.streams();
        } catch (IOException e) {
            throw disk(directory, e);
        }
    }

    @Override
    public Flux<RecordedEvent> read(Tags tags, RecordingPosition from, boolean follow) {
        return paced(tags, from, follow, null, false);
    }

    /** Reads in the time of a replay; with the {@code last} message before the time at which it begins, if there is one. */
    Flux<RecordedEvent> paced(Tags tags, RecordingPosition from, boolean follow, @Nullable ReplayClock clock, boolean last) {
        return new Flux<>() {
            @Override
            public void subscribe(CoreSubscriber<? super RecordedEvent> actual) {
                CursorSubscription reader = new CursorSubscription(NetioRecording.this, actual, tags, from, follow, clock, last);
                readers.add(reader);
                beat.start();
                actual.onSubscribe(reader);
                reader.schedule(); // errors need no demand
            }
        };
    }

    /** Returns a snapshot of the counters. */
    public RecordingStatistics statistics() {
        return new RecordingStatistics(readers.size(), counters.damagedBlocks(), counters.damagedBytes(), catalog.damagedBytes(),
                catalog.unfinishedBytes());
    }

    /** Where it is. */
    public Path directory() {
        return directory;
    }

    /** Ends all readers with a {@link NetioRecordingException} CLOSED. */
    @Override
    public void close() {
        closed = true;
        readers.forEach(CursorSubscription::schedule);
    }

    // ---- for the readers

    boolean isClosed() {
        return closed;
    }

    Scheduler scheduler() {
        return scheduler;
    }

    Cursor cursor(Tags tags, RecordingPosition from, boolean last) throws IOException {
        refresh();
        return new Cursor(catalog, counters, tags, from, last);
    }

    void left(CursorSubscription reader) {
        readers.remove(reader);
        synchronized (catalog) {
            waiting.remove(reader);
        }
    }

    private void refresh() throws IOException {
        synchronized (catalog) {
            long now = System.nanoTime();
            boolean full = now - listed >= LISTED;
            int generation = catalog.generation();
            Set<Tags> grown = catalog.refresh(full);
            listed = full ? now : listed; // not if it failed: whoever looks next finds that, too
            wake(grown);
            if (catalog.generation() != generation) {
                wakeAll();
            }
        }
    }

    /** Looks whether there is more by now. */
    boolean hasMore(Catalog.Place place) throws IOException {
        refresh();
        return catalog.hasNext(place);
    }

    /** Has {@code reader} scheduled when there is more. Returns false if there is already. */
    boolean await(CursorSubscription reader, Catalog.Place place) throws IOException {
        synchronized (catalog) {
            if (catalog.hasNext(place)) {
                return false;
            }
            waiting.add(reader);
            anybodyWaits = true;
            return true; // also if it has been scheduled since
        }
    }

    /** What their beat sees of the readers. */
    private final class Beaten implements ReaderBeat.Readers {
        @Override
        public Scheduler scheduler() {
            return scheduler;
        }

        @Override
        public boolean isEmpty() {
            return readers.isEmpty();
        }

        @Override
        public boolean isAnybodyWaiting() {
            return anybodyWaits && !closed;
        }

        @Override
        public void wakeWaiting() {
            synchronized (catalog) {
                wakeAll();
            }
        }

        @Override
        public void lookForMore() {
            synchronized (catalog) {
                try {
                    refresh();
                } catch (IOException | RuntimeException | Error e) { // an OutOfMemoryError for one
                    LOG.warn("cannot look for more in {}", directory, e);
                    wakeAll();
                }
                anybodyWaits = !waiting.isEmpty();
            }
        }

        @Override
        public void abandon() {
            readers.forEach(reader -> reader.abandon(null));
        }

        @Override
        public String toString() {
            return "the messages in " + directory;
        }
    }

    /** Each finds out for itself what is wrong. */
    private void wakeAll() {
        List<CursorSubscription> all = List.copyOf(waiting);
        waiting.clear();
        all.forEach(CursorSubscription::schedule);
    }

    private void wake(Set<Tags> grown) {
        if (!grown.isEmpty() && !waiting.isEmpty()) {
            waiting.removeIf(reader -> {
                boolean isMore = grown.contains(reader.tags());
                if (isMore) {
                    reader.schedule();
                }
                return isMore;
            });
        }
    }

    @Override
    public String toString() {
        return "recording in " + directory;
    }
}
