// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.flink;

import java.io.IOException;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.api.connector.source.SourceEvent;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.core.io.InputStatus;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads splits in turn. Between the loop and the task is a bounded {@link SplitFeed} for each. A pipeline that is slow takes less
 * from it, so less is requested of the publisher, whose policy decides then. All calls are on the task's thread.
 */
final class NetioSourceReader<T> implements SourceReader<T, NetioSplit> {
    /** How many events of a split come one after the other at most while others have some, too. */
    private static final int BURST = 64;

    private static final Logger LOG = LoggerFactory.getLogger(NetioSourceReader.class);

    private final EventOrigin origin;
    private final NetioDeserializationSchema<T> schema;
    private final NetioSourceOptions options;
    private final SourceReaderContext context;
    private final boolean bounded;
    private final SourceMeters meters;
    private final Availability availability = new Availability();
    /** Changes seldom, and the gauge reads it on other threads. */
    private final List<ReadSplit<T>> splits = new CopyOnWriteArrayList<>();
    private boolean noMoreSplits;
    /** The coordinator knows that it has none. */
    private boolean hasToldNone;
    private boolean allAreOver;
    private int turn;
    private int burst;

    NetioSourceReader(SourceReaderContext context, EventOrigin origin, NetioDeserializationSchema<T> schema,
            NetioSourceOptions options, boolean bounded) {
        this.context = context;
        this.bounded = bounded;
        this.origin = origin;
        this.schema = schema;
        this.options = options;
        this.meters = new SourceMeters(context.metricGroup(), this::waiting, origin::reconnects);
    }

    private long waiting() {
        return splits.stream().mapToLong(split -> split.feed().waiting()).sum();
    }

    /** Nothing to do: splits are subscribed to when they are added. */
    @Override
    public void start() {
    }

    @Override
    public void addSplits(List<NetioSplit> added) {
        for (NetioSplit split : added) {
            if (options.isConfigured(split)) {
                SplitFeed feed = new SplitFeed(options.handOver(), availability::wake);
                splits.add(new ReadSplit<>(split, feed));
                origin.events(split, feed::startsBehind).subscribe(feed);
            } else {
                LOG.warn("the state has {}, which the source is not configured with any more: it is left out", split.splitId());
            }
        }
        availability.wake();
    }

    @Override
    public void notifyNoMoreSplits() {
        noMoreSplits = true;
        availability.wake();
    }

    /** Takes the only event that there is: all readers have nothing to read any more. */
    @Override
    public void handleSourceEvents(SourceEvent event) {
        if (event == WhenAllAreOver.END) {
            allAreOver = true;
            availability.wake();
        }
    }

    @Override
    public InputStatus pollNext(ReaderOutput<T> output) throws Exception {
        for (int looked = splits.size(); looked > 0; looked--) {
            ReadSplit<T> split = splits.get(turn);
            OriginEvent event = split.isPaused() ? null : split.feed().poll();
            if (event != null) {
                split.emit(event, schema, options.onGap(), meters, output);
                if (++burst >= BURST) {
                    next();
                }
                return InputStatus.MORE_AVAILABLE;
            }
            SplitFeed.End end = split.isPaused() ? null : split.feed().end();
            if (end != null) {
                finish(split, end, output);
                return splits.isEmpty() && noMoreSplits ? withoutSplits(output) : InputStatus.MORE_AVAILABLE;
            }
            next();
        }
        return splits.isEmpty() && noMoreSplits ? withoutSplits(output) : InputStatus.NOTHING_AVAILABLE;
    }

    /** A job without an end keeps its readers, so that what a savepoint holds can be restored with other operators. */
    private InputStatus withoutSplits(ReaderOutput<T> output) {
        if (bounded || allAreOver) {
            return InputStatus.END_OF_INPUT;
        }
        if (!hasToldNone) {
            hasToldNone = true;
            output.markIdle(); // watermarks do not wait for it
            context.sendSourceEventToCoordinator(WhenAllAreOver.HAS_NONE);
        }
        return InputStatus.NOTHING_AVAILABLE;
    }

    private void next() {
        burst = 0;
        turn = turn + 1 < splits.size() ? turn + 1 : 0;
    }

    private void finish(ReadSplit<T> split, SplitFeed.End end, ReaderOutput<T> output) throws IOException {
        if (end.failure() != null) {
            throw new IOException("reading " + split.id() + " failed: " + end.failure().getMessage(), end.failure());
        }
        LOG.info("{} is complete", split.id());
        splits.remove(split);
        output.createOutputForSplit(split.id()).markIdle(); // one that is released while active would stay so
        output.releaseOutputForSplit(split.id());
        turn = 0;
        burst = 0;
    }

    @Override
    public CompletableFuture<Void> isAvailable() {
        return availability.when(this::hasSomething);
    }

    private boolean hasSomething() {
        if (splits.isEmpty()) {
            return noMoreSplits && (bounded || allAreOver || !hasToldNone);
        }
        for (ReadSplit<T> split : splits) {
            if (!split.isPaused() && split.feed().hasSomething()) {
                return true;
            }
        }
        return false;
    }

    /** Flink pauses splits whose watermarks are too far ahead. What a paused split has waits, as if the pipeline were slow. */
    @Override
    public void pauseOrResumeSplits(Collection<String> toPause, Collection<String> toResume) {
        Set<String> paused = new HashSet<>(toPause);
        Set<String> resumed = new HashSet<>(toResume);
        for (ReadSplit<T> split : splits) {
            if (paused.contains(split.id())) {
                split.pause(true);
            } else if (resumed.contains(split.id())) {
                split.pause(false);
            }
        }
        availability.wake();
    }

    @Override
    public List<NetioSplit> snapshotState(long checkpoint) {
        return splits.stream().map(ReadSplit::snapshot).toList();
    }

    @Override
    public void close() {
        splits.forEach(ReadSplit::close);
        origin.close();
    }
}
