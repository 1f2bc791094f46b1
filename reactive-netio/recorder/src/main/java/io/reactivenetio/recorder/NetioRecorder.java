// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.recorder;

import io.reactivenetio.api.TaggedMessage;
import io.reactivenetio.api.Tags;
import io.reactivenetio.pubsub.NetioSubscriber;
import io.reactivenetio.pubsub.Position;
import io.reactivenetio.pubsub.SequencedEvent;
import io.reactivenetio.pubsub.SequencedMessage;
import io.reactivenetio.recorder.NetioRecordingException.Reason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.CoreSubscriber;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;

/**
 * Writes streams of messages to segment files in a directory, for {@link NetioRecording} to read. One thread of its own writes
 * for all streams. All methods may be called on any thread.
 *
 * <p>A directory has one recorder at a time. It goes on where the one before has ended, however that ended: a block that was cut
 * in two is taken away, and {@link #lost} tells what was in it.
 *
 * <p>What is recorded has no holes. Every message has its number, and every number that is missing is in a Gap on the disk, also
 * if the source did not say so. Messages that are there already, by run and number, are left out and counted.
 */
public final class NetioRecorder implements Disposable, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(NetioRecorder.class);
    private static final SecureRandom RANDOM = new SecureRandom();

    private final Path directory;
    private final RecorderOptions options;
    private final Surroundings surroundings;
    private final List<Lost> lost;
    private final RecorderCounters counters = new RecorderCounters();
    private final Parts parts = new Parts();
    private final RecorderThread thread;
    private final Sinks.Empty<Void> closed = Sinks.empty();
    // guarded by this map: all streams that were ever recorded, those that are recorded now, and why no more are
    private final Map<Tags, StreamEncoder.Stream> streams = new HashMap<>();
    private final Map<Tags, RecordingSubscriber> claims = new HashMap<>();
    private @Nullable NetioRecordingException over;
    private volatile int claimed;
    /** The recorder's thread changes it. */
    private DirectoryLock lock;

    private NetioRecorder(Path directory, RecorderOptions options, Surroundings surroundings, DirectoryLock lock)
            throws IOException {
        this.directory = directory;
        this.options = options;
        this.surroundings = surroundings;
        this.lock = lock;
        Recovery before = Recovery.of(directory, !options.fsync().isNever());
        this.lost = List.copyOf(before.lost());
        before.ends().forEach((tags, end) -> streams.put(tags, new StreamEncoder.Stream(tags, end)));
        this.thread = new RecorderThread(parts, options);
        SegmentLog log = new SegmentLog(directory, options, surroundings, before,
                before.recording() == 0 ? random() : before.recording(), counters, thread::pause, lock.highest(),
                number -> this.lock.highest(number));
        Block block = new Block(blockBytes(options));
        for (Lost each : lost) {
            LOG.warn("{} of {} at {} bytes could not be used: {}", each.bytes(), each.segment(), each.offset(),
                    each.gap() == null ? "unknown messages" : each.gap());
        }
        thread.start(log, new StreamEncoder(block, log, counters), "netio-recorder-" + directory.getFileName());
    }

    /** A block must have room in a recording that is to be small, with others. */
    private static int blockBytes(RecorderOptions options) {
        return (int) Math.max(Format.PAGE, Math.min(options.blockBytes(), options.maxBytes() / 8));
    }

    private static long random() {
        long number;
        do {
            number = RANDOM.nextLong();
        } while (number == 0);
        return number;
    }

    /**
     * Opens a directory for recording, and makes it if it is not there. It reads what an earlier recorder has left: this may take
     * as long as reading a segment, and must not happen on a loop. If an earlier recorder was not closed and may live, on another
     * machine for instance, it takes three seconds more.
     *
     * @throws NetioRecordingException IN_USE if another recorder writes there; FORMAT if the files are of a later version or of
     *     several recordings; DISK if the directory cannot be used
     * @throws IllegalArgumentException if the directory's name is empty, as of a variable that is not set
     */
    public static NetioRecorder open(Path directory, RecorderOptions options) {
        return open(directory, options, Surroundings.REAL);
    }

    static NetioRecorder open(Path directory, RecorderOptions options, Surroundings surroundings) {
        if (directory.toString().isEmpty()) {
            throw new IllegalArgumentException("the directory has no name: . is the present one");
        }
        try {
            Files.createDirectories(directory);
            DirectoryLock lock = DirectoryLock.of(directory, surroundings);
            try {
                return new NetioRecorder(directory, options, surroundings, lock);
            } catch (IOException | RuntimeException e) {
                lock.close();
                throw e;
            }
        } catch (IOException e) {
            throw new NetioRecordingException(Reason.DISK, "cannot record in " + directory + ": " + e, e);
        }
    }

    /**
     * Records a stream while the Flux is subscribed to. Its elements say up to where the stream is safe, as {@link Fsync} has
     * it. A subscriber that asks for less gets the latest. They come on the recorder's thread, which must not be blocked.
     *
     * <p>{@code events} is asked for as much as has room in memory, see {@link RecorderOptions#inFlightBytes}. Where there is no
     * room on the disk, it waits, or what {@link WhenFull} says. Payloads must not be changed from then on.
     *
     * <p>When {@code events} ends, so does the Flux, with all messages before safe. When the Flux is cancelled, {@code events}
     * is, and what had come is still written. The Flux fails with a {@link NetioRecordingException}: IN_USE if these tags are
     * being recorded already, FULL, DISK, or CLOSED; with IllegalArgumentException at an event of other tags, of run 0 or
     * up to number 2^63 - 1, or a message of more than 1 GiB.
     *
     * @param tags the tags of all events
     * @param events a sequenced stream
     */
    public Flux<Recorded> record(Tags tags, Publisher<? extends SequencedEvent> events) {
        return new Flux<>() {
            @Override
            public void subscribe(CoreSubscriber<? super Recorded> actual) {
                RecordingSubscriber recording = new RecordingSubscriber(parts, stream(tags), actual);
                actual.onSubscribe(recording);
                NetioRecordingException refusal = claim(recording);
                if (refusal == null) {
                    events.subscribe(recording);
                } else {
                    actual.onError(refusal);
                }
            }
        };
    }

    /**
     * Records what {@code subscriber} gets of each of these tags, under the rules of {@link #record(Tags, Publisher)}. Each
     * stream goes on behind what is recorded of it already, and what was missed meanwhile is a Gap or RunChange. If one of the
     * streams fails, all do.
     *
     * @param tags tags that the publisher publishes with one {@code publish} each
     */
    public Flux<Recorded> record(NetioSubscriber subscriber, Tags... tags) {
        return Flux.merge(Flux.fromStream(() -> Arrays.stream(tags)).map(each -> record(each, Flux.defer(() -> {
            Position last = position(each);
            return last == null ? subscriber.subscribeSequenced(each) : subscriber.subscribeSequenced(each, last);
        }))), Math.max(1, tags.length));
    }

    /**
     * Records messages that have no numbers, under the rules of {@link #record(Tags, Publisher)}. Each subscription is a run, and
     * numbers its messages from 0.
     */
    public Flux<Recorded> recordMessages(Tags tags, Publisher<TaggedMessage> messages) {
        return Flux.defer(() -> {
            long run = random();
            return record(tags, Flux.from(messages).index((number, message) ->
                    new SequencedMessage(tags, run, number, message)));
        });
    }

    private StreamEncoder.Stream stream(Tags tags) {
        synchronized (streams) {
            return streams.computeIfAbsent(tags, of ->
                    new StreamEncoder.Stream(of, new Recovery.End(0, 0, Long.MIN_VALUE)));
        }
    }

    /** Returns why this recording may not begin, or null. */
    private @Nullable NetioRecordingException claim(RecordingSubscriber recording) {
        Tags tags = recording.stream().tags();
        synchronized (streams) {
            if (over == null && claims.containsKey(tags)) {
                return new NetioRecordingException(Reason.IN_USE, tags + " are being recorded already: cancel that first");
            }
            if (over == null && !recording.isCancelled()) {
                claims.put(tags, recording);
                claimed = claims.size();
            }
            return over == null ? null : over.copy();
        }
    }

    /** The last message that is recorded of a stream, or known to be missing; null if there is none. */
    public @Nullable Position position(Tags tags) {
        synchronized (streams) {
            StreamEncoder.Stream stream = streams.get(tags);
            Recovery.End end = stream == null ? null : stream.end();
            return end == null || end.run() == 0 ? null : new Position(end.run(), end.next() - 1);
        }
    }

    /** What was damaged when this recorder was opened. */
    public List<Lost> lost() {
        return lost;
    }

    /** Where it records. */
    public Path directory() {
        return directory;
    }

    /** Returns a snapshot of the counters. */
    public RecorderStatistics statistics() {
        List<RecordingSubscriber> present = claimed();
        return counters.statistics(present.size(), present.stream().mapToLong(RecordingSubscriber::waitingMessages).sum(),
                present.stream().mapToLong(RecordingSubscriber::waitingBytes).sum());
    }

    /**
     * Ends all recordings with CLOSED, and closes the files when what had come is written. It does not wait for that, see
     * {@link #onDispose}.
     */
    @Override
    public void dispose() {
        thread.close();
    }

    @Override
    public boolean isDisposed() {
        synchronized (streams) {
            return over != null;
        }
    }

    /** Completes when the files are closed, also when the recorder has failed. */
    public Mono<Void> onDispose() {
        return closed.asMono();
    }

    /** Does what {@link #dispose} does, and waits for it, but on a thread that must not block or is the recorder's. */
    @Override
    public void close() {
        dispose();
        if (thread.isCurrent() || Schedulers.isInNonBlockingThread()) {
            return;
        }
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private List<RecordingSubscriber> claimed() {
        synchronized (streams) {
            return new ArrayList<>(claims.values());
        }
    }

    @Override
    public String toString() {
        return "recorder in " + directory;
    }

    /** What the recordings and the thread may have of this recorder. */
    private final class Parts implements RecordingSubscriber.Owner, RecorderThread.Owner {
        @Override
        public long now() {
            return RecordedEvent.toNanos(options.clock().instant());
        }

        @Override
        public int blockBytes() {
            return NetioRecorder.blockBytes(options);
        }

        @Override
        public long share() {
            return options.inFlightBytes() / Math.max(1, claimed);
        }

        @Override
        public void ready(RecordingSubscriber recording) {
            thread.ready(recording);
        }

        @Override
        public void wake() {
            thread.wake();
        }

        @Override
        public void unwritten(long events) {
            counters.unwritten(events);
        }

        @Override
        public void release(RecordingSubscriber recording) {
            synchronized (streams) {
                claims.remove(recording.stream().tags(), recording);
                claimed = claims.size();
            }
        }

        @Override
        public List<RecordingSubscriber> claimed() {
            return NetioRecorder.this.claimed();
        }

        @Override
        public List<RecordingSubscriber> over(NetioRecordingException reason) {
            synchronized (streams) {
                over = reason;
                return new ArrayList<>(claims.values());
            }
        }

        @Override
        public void keepLock() {
            try {
                lock = lock.keep(directory, surroundings);
            } catch (IOException e) {
                throw new NetioRecordingException(Reason.DISK, "cannot record in " + directory + " any more: " + e, e);
            }
        }

        @Override
        public void terminated() {
            try {
                lock.close();
            } catch (IOException e) {
                LOG.warn("cannot give back the lock of {}: {}", directory, e.toString());
            }
            closed.tryEmitEmpty();
        }
    }
}
