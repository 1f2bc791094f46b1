// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.recorder;

import io.reactivenetio.api.TaggedMessage;
import io.reactivenetio.api.Tags;
import io.reactivenetio.pubsub.NetioPublisher;
import io.reactivenetio.pubsub.SequencedMessage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;

/**
 * Publishes recorded streams again: the same tags and messages in the same order, at the pace at which they were recorded,
 * another pace, or as fast as subscribers ask. Immutable: each setting returns a changed copy. All methods may be called on any
 * thread.
 *
 * <p>What was published is a new run of its source, and what was missing in the recording is left out. A reader that needs the
 * numbers, the gaps and the position takes a {@link NetioRecordingServer} instead.
 */
public final class NetioReplay {
    /** The longest pause, unless set. */
    public static final Duration DEFAULT_LONGEST_PAUSE = Duration.ofHours(1);

    private static final Logger LOG = LoggerFactory.getLogger(NetioReplay.class);

    private final NetioRecording recording;
    private final RecordingPosition from;
    private final double speed;
    private final Duration longestPause;
    private final Consumer<Duration> onPause;
    private final Set<Tags> lastBefore;

    private NetioReplay(NetioRecording recording, RecordingPosition from, double speed, Duration longestPause,
            Consumer<Duration> onPause, Set<Tags> lastBefore) {
        this.recording = recording;
        this.from = from;
        this.speed = speed;
        this.longestPause = longestPause;
        this.onPause = onPause;
        this.lastBefore = lastBefore;
    }

    /** A replay from the beginning at the original pace. */
    public static NetioReplay of(NetioRecording recording) {
        return new NetioReplay(recording, RecordingPosition.beginning(), 1, DEFAULT_LONGEST_PAUSE, pause -> { }, Set.of());
    }

    /** Sets where each stream begins; with the oldest unless set. */
    public NetioReplay from(RecordingPosition position) {
        return new NetioReplay(recording, position, speed, longestPause, onPause, lastBefore);
    }

    /**
     * Has these streams begin with the last message before the time of {@link #from}, if there is one in the recording: for tags
     * whose messages say how things are, so that subscribers know it from the beginning. Of a stream of several tags it is one
     * message, whatever its tag. It is looked for in the eight blocks before that time.
     *
     * @param streams tags as they were recorded
     */
    public NetioReplay lastBefore(Tags... streams) {
        return new NetioReplay(recording, from, speed, longestPause, onPause, Set.copyOf(List.of(streams)));
    }

    /**
     * Sets the pace: 1 is the original one, 2 twice as fast, and 0 as fast as subscribers ask.
     *
     * @throws IllegalArgumentException if it is negative or no number
     */
    public NetioReplay speed(double factor) {
        if (!(factor >= 0 && factor < Double.POSITIVE_INFINITY)) {
            throw new IllegalArgumentException("speed must be 0 or more: " + factor);
        }
        return new NetioReplay(recording, from, factor, longestPause, onPause, lastBefore);
    }

    /**
     * Sets for how long the replay may wait with nothing to publish; an hour unless set. The rest of a longer pause is left out.
     * A recording has such pauses where nothing came for so long, and where the recorder's clock was set ahead: it then looks as
     * if years had passed. Where the clock was set back, the replay goes on at its pace from there.
     *
     * @throws IllegalArgumentException if it is less than a second
     */
    public NetioReplay longestPause(Duration pause) {
        if (pause.compareTo(Duration.ofSeconds(1)) < 0) {
            throw new IllegalArgumentException("longestPause must be a second or more: " + pause);
        }
        return new NetioReplay(recording, from, speed, pause, onPause, lastBefore);
    }

    /**
     * Calls {@code consumer} when the replay begins to wait with nothing to publish for ten seconds or more, a second after the
     * last message. It is told how long that will take at most, and is called on a thread of the recording's Scheduler, which it
     * must not block. A line is logged as well.
     */
    public NetioReplay doOnPause(Consumer<? super Duration> consumer) {
        return new NetioReplay(recording, from, speed, longestPause, onPause.andThen(consumer), lastBefore);
    }

    /**
     * Publishes all recorded streams. The publisher serves their tags when this returns. Time begins when the first of them has a
     * subscriber. All streams share it, so that they stay together. One that is subscribed to later has to catch up first, and
     * does so as fast as it is asked. This reads the directory and so blocks for a moment.
     *
     * @return completes when all streams have ended; fails with the first that fails, while the others go on. A publisher asks
     *     for a stream with its first subscriber, so a stream that nobody subscribes to does not end
     * @throws NetioRecordingException if the directory cannot be read
     * @throws IllegalArgumentException if {@code publisher} has a source for one of the tags already; the streams before it
     *     stay published
     * @throws IllegalStateException on a loop's thread
     */
    public Mono<Void> publishTo(NetioPublisher publisher) {
        if (Schedulers.isInNonBlockingThread()) {
            throw new IllegalStateException("publishTo() reads the disk and must not be called on a loop's thread: "
                    + Thread.currentThread().getName());
        }
        List<RecordedTags> streams = recording.streams();
        long begin = streams.stream().flatMap(stream -> stream.runs().stream()).mapToLong(RecordedRun::firstTime).min().orElse(0);
        long first = from.kind() == RecordingPosition.Kind.TIME ? Math.max(begin, from.first()) : begin;
        ReplayClock clock = speed == 0 ? null : new ReplayClock(first, speed, nanos(longestPause), this::paused,
                System::nanoTime);
        List<Mono<Void>> ends = new ArrayList<>(streams.size());
        for (RecordedTags stream : streams) {
            Sinks.Empty<Void> end = Sinks.empty();
            publisher.publish(stream.tags(), messages(stream.tags(), clock)
                    .doOnError(end::tryEmitError).doFinally(signal -> end.tryEmitEmpty()));
            ends.add(end.asMono());
        }
        return Flux.merge(ends).then();
    }

    private static long nanos(Duration pause) {
        return pause.compareTo(Duration.ofNanos(Long.MAX_VALUE)) > 0 ? Long.MAX_VALUE : pause.toNanos();
    }

    private void paused(long nanos) {
        Duration pause = Duration.ofNanos(nanos);
        LOG.info("the replay of {} waits for {} at most: there is nothing before", recording, pause);
        try {
            onPause.accept(pause);
        } catch (RuntimeException | Error e) {
            LOG.warn("whoever is told that the replay of {} waits has failed", recording, e);
        }
    }

    /** The messages of one stream, paced by a clock that several streams may share; not paced if it is null. */
    private Flux<TaggedMessage> messages(Tags tags, @Nullable ReplayClock clock) {
        return recording.paced(tags, from, false, clock, lastBefore.contains(tags))
                .handle((event, sink) -> {
                    if (event.event() instanceof SequencedMessage message) {
                        sink.next(message.message());
                    }
                });
    }
}
