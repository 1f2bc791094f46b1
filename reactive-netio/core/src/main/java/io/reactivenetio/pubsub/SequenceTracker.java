// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.pubsub;

import io.reactivenetio.api.TaggedDecoder;
import io.reactivenetio.api.TaggedMessage;
import io.reactivenetio.api.Tags;
import io.reactivenetio.connection.HeapCopy;
import io.reactivenetio.diagnostics.UserCode;
import io.reactivenetio.framing.stream.SubscriptionListener;
import io.reactivenetio.transport.exceptions.NetioProtocolException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Queue;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives the messages of one subscription their numbers, from one connection to the next, and finds those that are missing. {@link
 * Sequencer} is for the loop. {@link #add} and {@link #addMissingAtEnd} are called behind it, in the order of the signals.
 */
final class SequenceTracker {
    /** Writes under the name of the class that users know. */
    private static final Logger LOG = LoggerFactory.getLogger("io.reactivenetio.pubsub.NetioSubscriber");

    /** After {@code after} messages of a connection, the next one has this number. */
    private record Mark(long after, long run, long next) {
    }

    /** Numbers the messages of one connection. Messages that wait for demand are numbered when they are delivered. */
    final class Sequencer implements SubscriptionListener, TaggedDecoder<SequencedMessage> {
        private final SubscriptionListener counter;
        private final Deque<Mark> marks = new ArrayDeque<>();
        private long delivered;
        private long run;
        private long next;
        /** Messages that the publisher said it dropped, less those that were found missing between others. */
        private long droppedAtEnd;

        Sequencer(SubscriptionListener counter) {
            this.counter = counter;
        }

        @Override
        public void subscribed(long number, long inRun, long waiting) {
            counter.subscribed(number, inRun, waiting);
            marks.add(new Mark(delivered + waiting, inRun, number));
            Sequencer former = latest;
            if (former != null && former != this) {
                formerEnd = former.end();
                formerRun = former.run;
            }
            latest = this;
            if (start == null && inRun != 0) {
                Position begun = new Position(inRun, number - 1);
                start = begun;
                tellStart(begun);
            }
        }

        @Override
        public void dropped(long n) {
            counter.dropped(n);
            droppedAtEnd += n;
        }

        @Override
        public void queued(int waiting, int capacity) {
            counter.queued(waiting, capacity);
        }

        @Override
        public void delivered(long messages, long bytes) {
            counter.delivered(messages, bytes);
        }

        @Override
        public void ended() {
            counter.ended();
        }

        @Override
        public SequencedMessage decode(long tag, int status, ByteBuffer payload) {
            passMarks();
            if (run == 0) {
                throw new IllegalStateException("the publisher does not number the messages of " + tags + ": subscribe to exactly"
                        + " the tags that it publishes with one publish(…), which must not be a publishEach");
            }
            delivered++;
            return new SequencedMessage(tags, run, next++, new TaggedMessage(tag, status, HeapCopy.of(payload)));
        }

        private void passMarks() {
            Mark mark = marks.peek();
            while (mark != null && mark.after <= delivered) {
                if (run == mark.run) {
                    if (mark.next < next) {
                        throw new NetioProtocolException("the publisher numbers a message of " + tags + " " + mark.next
                                + " after " + (next - 1), null);
                    }
                    droppedAtEnd -= mark.next - next;
                }
                run = mark.run;
                next = mark.next;
                marks.remove();
                mark = marks.peek();
            }
        }

        /** The number of the first message that was not published when this connection ended, as far as is known. */
        private long end() {
            passMarks();
            return next + Math.max(0, droppedAtEnd);
        }
    }

    private final Tags tags;
    private final Consumer<? super Position> onStart;
    /** Where the subscriber began, on this connection or before it. */
    private @Nullable Position start;
    /** The last message that was told, or told to be missing; run 0 if none was. */
    private long lastRun;
    private long lastSequence;
    /** The sequencer of the latest connection on which the publisher announced a number. */
    private @Nullable Sequencer latest;
    /** Where the connection before that ended, as far as is known, and in which run. */
    private long formerRun;
    private long formerEnd;

    /** Tracks a subscriber that begins with what comes, and is told where that is. */
    SequenceTracker(Tags tags, Consumer<? super Position> onStart) {
        this.tags = tags;
        this.onStart = onStart;
    }

    /** Tracks a subscriber that goes on behind {@code last}. */
    SequenceTracker(Tags tags, Position last) {
        this(tags, nothing -> { });
        this.start = last;
    }

    /** Where the subscriber began, as far as is known. */
    @Nullable Position start() {
        return start;
    }

    /** A tracker of the same tags for a subscriber that goes on behind {@code last}. */
    SequenceTracker behind(Position last) {
        return new SequenceTracker(tags, last);
    }

    private void tellStart(Position begun) {
        UserCode.tell(onStart, begun, LOG, "whoever is told where " + tags + " begins has thrown");
    }

    /** Begins where the subscriber began, if it has had nothing yet. Returns whether it is known where that is. */
    private boolean isPlaced() {
        Position begun = start;
        if (lastRun == 0 && begun != null) {
            lastRun = begun.run();
            lastSequence = begun.sequence();
        }
        return lastRun != 0;
    }

    /**
     * Adds the message to {@code events}, and before it what is missing before it. Returns false, and adds nothing, if the
     * subscriber has had it: a connection may begin with the last message, which a publisher retains for those who come.
     */
    boolean add(SequencedMessage message, Queue<SequencedEvent> events) {
        if (isPlaced() && (message.run() != lastRun || message.sequence() != lastSequence + 1)) {
            if (message.run() == lastRun && message.sequence() <= lastSequence) {
                return false;
            }
            addMissing(message.run(), message.sequence(), events);
        }
        lastRun = message.run();
        lastSequence = message.sequence();
        events.add(message);
        return true;
    }

    /** Adds what is missing behind the last message, when all connections are over. */
    void addMissingAtEnd(Queue<SequencedEvent> events) {
        Sequencer known = latest;
        if (known == null) {
            return;
        }
        long end = known.end();
        if (known.run != 0 && isPlaced() && (known.run != lastRun || end > lastSequence + 1)) {
            addMissing(known.run, end, events);
            lastRun = known.run;
            lastSequence = end - 1;
        }
    }

    /** Adds what is missing between the last message and the number {@code next} of {@code run}. */
    private void addMissing(long run, long next, Queue<SequencedEvent> events) {
        long expected = lastSequence + 1;
        if (lastRun != run) {
            if (formerRun == lastRun && formerEnd > expected) { // dropped behind the last message
                events.add(new Gap(tags, lastRun, expected, formerEnd - 1));
            }
            events.add(new RunChange(tags, new Position(lastRun, lastSequence), run));
            expected = 0;
        }
        if (next > expected) {
            events.add(new Gap(tags, run, expected, next - 1));
        }
    }
}
