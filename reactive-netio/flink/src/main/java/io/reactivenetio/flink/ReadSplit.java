// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.flink;

import io.reactivenetio.pubsub.Gap;
import io.reactivenetio.pubsub.Position;
import io.reactivenetio.pubsub.RunChange;
import io.reactivenetio.pubsub.SequencedMessage;
import java.io.IOException;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.api.connector.source.SourceOutput;
import org.apache.flink.util.Collector;
import org.jspecify.annotations.Nullable;

/** A split that is being read, and how far it is. For the task's thread. */
final class ReadSplit<T> implements Collector<T> {
    private final NetioSplit split;
    private final String id;
    private final SplitFeed feed;
    /** 0 before the first event: no run has this number. */
    private long run;
    private long sequence;
    private boolean paused;
    /** The time of the present event in ms. */
    private long millis;
    private @Nullable SourceOutput<T> output;

    ReadSplit(NetioSplit split, SplitFeed feed) {
        this.split = split;
        this.id = split.splitId();
        this.feed = feed;
        Position last = split.last();
        if (last != null) {
            run = last.run();
            sequence = last.sequence();
        }
    }

    String id() {
        return id;
    }

    SplitFeed feed() {
        return feed;
    }

    boolean isPaused() {
        return paused;
    }

    void pause(boolean wanted) {
        paused = wanted;
    }

    /** Emits an event, and is then behind it. */
    void emit(OriginEvent next, NetioDeserializationSchema<T> schema, GapHandling onGap, SourceMeters meters,
            ReaderOutput<T> reader) throws IOException {
        if (output == null) {
            output = reader.createOutputForSplit(id);
        }
        millis = next.millis();
        switch (next.event()) {
            case SequencedMessage message -> {
                meters.count(message);
                schema.deserialize(split.endpoint(), message, this);
                sequence = message.sequence();
            }
            case Gap gap -> {
                meters.count(gap);
                if (onGap == GapHandling.FAIL) {
                    throw new IOException(gap.messages() + " messages are missing of " + id + ", from number " + gap.from()
                            + " to " + gap.to() + ", and this source is to fail where some are");
                }
                schema.gap(split.endpoint(), gap, this);
                sequence = gap.to();
            }
            case RunChange change -> {
                meters.countRunChange();
                if (onGap == GapHandling.FAIL) {
                    throw new IOException("the source of " + id + " has begun anew after message " + change.last().sequence()
                            + ", and this source is to fail where messages may be missing");
                }
                schema.runChange(split.endpoint(), change, this);
                sequence = -1;
            }
        }
        run = next.event().run();
    }

    @Override
    public void collect(T value) {
        if (output == null) {
            throw new IllegalStateException("a record was emitted outside of the calls of the schema");
        }
        output.collect(value, millis);
    }

    /** The split as a checkpoint has to have it now. */
    NetioSplit snapshot() {
        return split.at(run == 0 ? feed.start() : new Position(run, sequence));
    }

    /** Cancels its subscription. */
    @Override
    public void close() {
        feed.cancel();
    }
}
