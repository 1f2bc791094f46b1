// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.pubsub;

import io.reactivenetio.api.SlowPolicy;
import io.reactivenetio.framing.stream.SharedMessage;
import io.reactivenetio.loop.EventLoop;
import java.util.List;
import java.util.concurrent.Executor;

/** One subscription to a shared source, with which messages of the source are for it. Guarded by the source, unless said. */
final class Place implements SubscriberQueue.Supply {
    /** The source whose messages are for it. */
    interface Source {
        /** There may be room for more messages. */
        void goOn();

        /** The subscription in this place is over. */
        void left(Place gone);
    }

    private final SubscriberQueue queue;
    private final EventLoop loop;
    /** Runs tasks in the turns of the loop of the subscription's connection. */
    private final Executor turns;
    private final Source source;
    /** How many published messages were not for it. */
    private long base;
    /** It gets the messages with these numbers, if it wants their tags: from when it joined, until it has ended. */
    private long from;
    private long until = Long.MAX_VALUE;
    /** What it began with that was others' before, because it was retained. */
    private List<SharedMessage> retained = List.of();
    /** How many messages the subscription had taken when this was last looked at, and since when that has not changed. */
    private long seen;
    private long sinceNanos;

    Place(SubscriberQueue queue, EventLoop loop, Executor turns, Source source) {
        this.queue = queue;
        this.loop = loop;
        this.turns = turns;
        this.source = source;
        this.sinceNanos = loop.nanoTime();
    }

    /** Any thread. */
    SubscriberQueue queue() {
        return queue;
    }

    /** Any thread. */
    EventLoop loop() {
        return loop;
    }

    /** Any thread. */
    Executor turns() {
        return turns;
    }

    /** Begins when {@code published} messages were published, with some from before, of which others had the {@code retained}. */
    void joined(long published, List<SharedMessage> before, List<SharedMessage> retainedOnes) {
        queue.begin(before);
        base = published - before.size();
        from = published;
        retained = retainedOnes;
    }

    /** Whether it has the message only because that was retained. Its owner was another. */
    boolean hadBefore(SharedMessage message) {
        return retained.contains(message);
    }

    /** Notes that a message is not for this subscription. */
    void skip(SharedMessage message) {
        base++;
        if (queue.isOver()) {
            until = Math.min(until, message.number());
        }
    }

    /** How many published messages need no room in its queue any more. */
    long passed() {
        return base + queue.passed();
    }

    /** Whether the message is in its queue, or was. */
    boolean has(SharedMessage message) {
        return message.number() >= from && message.number() < until && queue.wants(message.tag());
    }

    /** Whether the source is asked for nothing because of this subscription. */
    boolean holdsUp(long requested, int capacity) {
        return queue.policy() == SlowPolicy.BACKPRESSURE && (passed() + capacity - requested) * 2 < capacity;
    }

    /** How long the subscription has taken nothing. The time begins anew if it is {@code excused}. */
    long idleNanos(long now, boolean excused) {
        long taken = queue.passed();
        if (excused || taken != seen) {
            seen = taken;
            sinceNanos = now;
        }
        return now - sinceNanos;
    }

    // ---- on the loop

    @Override
    public void requested(long n) {
        // the room in the queue counts, not the demand
    }

    @Override
    public void moved() {
        source.goOn();
    }

    @Override
    public void left() {
        source.left(this);
    }
}
