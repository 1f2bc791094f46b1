// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.pubsub;

import io.reactivenetio.TaggedDecoder;
import io.reactivenetio.TaggedMessage;
import io.reactivenetio.connection.HeapCopy;
import io.reactivenetio.framing.stream.SubscriptionListener;
import io.reactivenetio.transport.exceptions.NetioProtocolException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Gives the messages of one subscription their numbers, from one connection to the next, and finds those that are missing. {@link
 * Numbering} is for the loop. {@link #events} and {@link #missingAtEnd} are called behind it, in the order of the signals.
 */
final class SequenceTracker {
    /** After {@code after} messages of a connection, the next one has this number. */
    private record Mark(long after, long run, long next) {
    }

    /** Numbers the messages of one connection. Messages that wait for demand are numbered when they are delivered. */
    final class Numbering implements SubscriptionListener, TaggedDecoder<SequencedMessage> {
        private final SubscriptionListener counter;
        private final Deque<Mark> marks = new ArrayDeque<>();
        private long delivered;
        private long run;
        private long next;
        /** Messages that the publisher said it dropped, less those that were found missing between others. */
        private long droppedAtEnd;

        Numbering(SubscriptionListener counter) {
            this.counter = counter;
        }

        @Override
        public void subscribed(long number, long inRun, long waiting) {
            counter.subscribed(number, inRun, waiting);
            marks.add(new Mark(delivered + waiting, inRun, number));
            numbering = this;
            if (start == null && inRun != 0) {
                start = new Position(inRun, number - 1);
            }
        }

        @Override
        public void dropped(long n) {
            counter.dropped(n);
            droppedAtEnd += n;
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
    private @Nullable Position last;
    /** Where the subscriber began, if it had nothing before. */
    private @Nullable Position start;
    /** That of the last connection on which the publisher said a number. */
    private @Nullable Numbering numbering;

    /** {@code last} is what the subscriber had before; null if it begins with what comes. */
    SequenceTracker(Tags tags, @Nullable Position last) {
        this.tags = tags;
        this.last = last;
        this.start = last;
    }

    private @Nullable Position last() {
        return last == null ? start : last;
    }

    /** The message, and before it what is missing before it. */
    List<SequencedEvent> events(SequencedMessage message) {
        Position before = last();
        last = message.position();
        if (before == null || before.run() == message.run() && before.sequence() + 1 == message.sequence()) {
            return List.of(message);
        }
        if (before.run() == message.run() && message.sequence() <= before.sequence()) {
            throw new NetioProtocolException("the publisher numbers a message of " + tags + " " + message.sequence() + " after "
                    + before.sequence(), null);
        }
        List<SequencedEvent> events = missing(before, message.run(), message.sequence());
        events.add(message);
        return events;
    }

    /** What is missing behind the last message, when all connections are over. */
    List<SequencedEvent> missingAtEnd() {
        Numbering known = numbering;
        if (known == null) {
            return List.of();
        }
        long end = known.end();
        Position before = last();
        if (known.run == 0 || before == null || before.run() == known.run && end <= before.sequence() + 1) {
            return List.of();
        }
        last = new Position(known.run, end - 1);
        return missing(before, known.run, end);
    }

    /** What is missing between {@code before} and the message number {@code next} of {@code run}. */
    private List<SequencedEvent> missing(Position before, long run, long next) {
        List<SequencedEvent> events = new ArrayList<>();
        long expected = before.sequence() + 1;
        if (before.run() != run) {
            events.add(new RunChange(tags, before, run));
            expected = 0;
        }
        if (next > expected) {
            events.add(new Gap(tags, run, expected, next - 1));
        }
        return events;
    }
}
