// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.recorder;

import io.reactivenetio.api.Tags;
import io.reactivenetio.pubsub.Gap;
import io.reactivenetio.pubsub.Position;
import io.reactivenetio.pubsub.RunChange;
import io.reactivenetio.pubsub.SequencedEvent;
import io.reactivenetio.pubsub.SequencedMessage;

/**
 * Makes blocks of the events of one stream after the other. It sees to it that what is written has no holes: whatever is missing
 * between two messages has a record, also if the source did not say so. On the recorder's thread.
 */
final class StreamEncoder {
    /** A stream, and where it has come to on the disk. */
    static final class Stream {
        private final Tags tags;
        private volatile Recovery.End end;

        Stream(Tags tags, Recovery.End end) {
            this.tags = tags;
            this.end = end;
        }

        Tags tags() {
            return tags;
        }

        /** What was written last; its run is 0 before the first. */
        Recovery.End end() {
            return end;
        }
    }

    private final Block block;
    private final SegmentLog log;
    private final RecorderCounters counters;
    private Stream stream = new Stream(Tags.of(0), new Recovery.End(0, 0, 0));
    private long run;
    private long next;
    private long time;
    /** The last time on the disk. */
    private long written;
    private long messages;
    private long bytes;

    StreamEncoder(Block block, SegmentLog log, RecorderCounters counters) {
        this.block = block;
        this.log = log;
        this.counters = counters;
    }

    /** Turns to a stream, from where it is on the disk. What was not written of another is forgotten. */
    void begin(Stream of) {
        block.clear();
        stream = of;
        run = of.end.run();
        next = of.end.next();
        time = of.end.time();
        written = time;
        messages = 0;
        bytes = 0;
    }

    void add(SequencedEvent event, long at) {
        switch (event) {
            case SequencedMessage message -> add(message, at);
            case Gap gap -> {
                if (run == 0) {
                    run = gap.run();
                    next = gap.from();
                } else if (run != gap.run()) {
                    changeRun(new Position(run, next - 1), gap.run(), at);
                }
                if (gap.to() >= next) {
                    gap(gap.to(), at);
                }
            }
            case RunChange change -> {
                if (run != change.run()) {
                    changeRun(run == 0 ? change.last() : new Position(run, next - 1), change.run(), at);
                }
            }
        }
    }

    private void add(SequencedMessage message, long at) {
        long sequence = message.sequence();
        if (run == 0) {
            run = message.run();
            next = sequence;
        } else if (run != message.run()) {
            changeRun(new Position(run, next - 1), message.run(), at);
        }
        if (sequence < next) {
            counters.duplicate();
            return;
        }
        if (sequence > next) {
            gap(sequence - 1, at);
        }
        int size = message.message().payload().remaining();
        long then = room(Records.messageBytes(stream.tags) + size, sequence, at);
        block.message(sequence, then, message.message());
        next = sequence + 1;
        messages++;
        bytes += size;
    }

    private void changeRun(Position last, long to, long at) {
        flush();
        run = to;
        next = 0;
        long then = room(Records.BYTES + Records.CONTROL_PAYLOAD, 0, at);
        block.runChange(last, then);
        counters.runChange();
    }

    private void gap(long to, long at) {
        long then = room(Records.BYTES + Records.CONTROL_PAYLOAD, next, at);
        block.gap(next, to, then);
        counters.gap(to - next + 1);
        next = to + 1;
    }

    /** Sees to it that there is a block for a record, and returns its time: within a block it does not go back. */
    private long room(int size, long number, long at) {
        long then = block.isEmpty() ? at : Math.max(at, block.lastTime());
        if (at < time) {
            counters.clockStep();
        }
        if (!block.isEmpty() && !block.takes(size, number, then)) {
            flush();
            then = at;
        }
        if (block.isEmpty()) {
            block.begin(stream.tags, run, number, then, then < written);
        }
        time = at;
        return then;
    }

    /** Writes the block that was begun, if there is one. From then on the stream is there on the disk. */
    void flush() {
        if (!block.isEmpty()) {
            BlockHeader header = log.append(block);
            block.clear();
            counters.written(header, messages, bytes);
            written = header.lastTime();
            messages = 0;
            bytes = 0;
            stream.end = new Recovery.End(header.run(), header.next(), written);
        }
    }
}
