// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.pubsub;

import io.reactivenetio.api.SlowPolicy;
import io.reactivenetio.api.Tags;
import io.reactivenetio.framing.stream.SharedMessage;
import io.reactivenetio.transport.exceptions.StreamError;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jctools.queues.varhandle.SpmcVarHandleArrayQueue;
import org.jspecify.annotations.Nullable;

/** The queue between one source and one subscription, with the policy for when it is full. */
final class SubscriberQueue {
    /** Instead of the code of a {@link StreamError}: the stream is complete. */
    static final int COMPLETE = 0;

    /**
     * How full the queue of a subscriber is that counts as slow. A source that waits is asked for more when half of the queue is
     * free, so one for which it waits has a queue that is fuller.
     */
    static final double SLOW = 0.5;

    /** Fills a queue. All calls are on the subscription's loop. */
    interface Supply {
        /** The subscriber requests {@code n} messages more. */
        void requested(long n);

        /** There may be more room. Half of the window or all was taken, or a message came and may have been dropped. */
        void moved();

        /** The subscription is over. What it has not sent is in {@link SubscriberQueue#rest}, of which the supply takes care. */
        void left();
    }

    /** How a queue ends: with code {@link #COMPLETE}, or with that of a {@link StreamError} and a text. */
    record End(int code, String text) {
    }

    private final Tags wanted;
    private final SlowPolicy policy;
    private final Runnable wake;
    private final SpmcVarHandleArrayQueue<SharedMessage> queue;
    private final AtomicLong dropped = new AtomicLong();
    private final AtomicLong taken = new AtomicLong();
    private volatile @Nullable End end;
    private @Nullable Supply supply;
    private final long mostBytes;
    /** What of it waits, if messages may be dropped: what was added less what was dropped, and what was taken. */
    private long addedBytes;
    private final AtomicLong takenBytes = new AtomicLong();
    /** How many messages the source is asked for ahead, and how many there is room for by their size. Any thread. */
    private int window;
    private int room;
    /** What comes before the queue: messages from before the subscription. On the loop. */
    private final Deque<SharedMessage> ahead = new ArrayDeque<>(0);
    /** How many these are, for any thread. */
    private int aheads;
    private int sinceMoved;
    /** Whether the queue was found empty since this was last asked. */
    private boolean emptied;

    /** Creates a queue that calls {@code wake} on the source's thread when there is a message or the end. */
    SubscriberQueue(Tags wanted, SlowPolicy policy, int capacity, long mostBytes, Runnable wake) {
        this.wanted = wanted;
        this.policy = policy;
        this.wake = wake;
        this.queue = new SpmcVarHandleArrayQueue<>(capacity);
        this.mostBytes = mostBytes;
        this.window = capacity;
        this.room = capacity;
    }

    /** Another queue with the same policy and limits. */
    SubscriberQueue likeThis(Tags tags, Runnable wakeOther) {
        return new SubscriberQueue(tags, policy, capacity(), mostBytes, wakeOther);
    }

    /** Sets who fills this queue. It is called before anything else. */
    void supply(Supply from) {
        supply = from;
    }

    SlowPolicy policy() {
        return policy;
    }

    int capacity() {
        return queue.capacity();
    }

    /** How many messages it takes, by the size of those that came. Any thread may ask. */
    int room() {
        return room;
    }

    /** Notes how many messages the source is asked for ahead. */
    void window(AskWindow asks) {
        window = asks.size();
        room = asks.room();
    }

    /** Takes over what {@code other} has noted. */
    void window(SubscriberQueue other) {
        window = other.window;
        room = other.room;
    }

    // ---- on the source's thread, one at a time

    /**
     * Adds {@code message}, or drops it as the policy says. Returns false if it does not belong to this subscription: that does
     * not want it, or has ended, may be by this message.
     */
    boolean offer(SharedMessage message) {
        boolean mine = add(message);
        wake.run();
        return mine;
    }

    /** Adds as {@link #offer} does, for a caller that has a lock, and calls {@link #wake} when it has given that back. */
    boolean add(SharedMessage message) {
        if (end != null || !wanted.contains(message.tag())) {
            return false;
        }
        if (!(isBounded() ? offerBytes(message) : queue.offer(message))) {
            End ended = overflow(message);
            if (ended != null) {
                end = ended;
                return false;
            }
        }
        return true;
    }

    /** Whether the source does not wait, so that its messages may have no room. */
    private boolean isBounded() {
        return policy != SlowPolicy.BACKPRESSURE;
    }

    /** Adds a message if there is room for it. One message has room, however large it is. */
    private boolean offerBytes(SharedMessage message) {
        int bytes = message.payload().remaining();
        if (addedBytes - takenBytes.get() + bytes > mostBytes && !queue.isEmpty() || !queue.offer(message)) {
            return false;
        }
        addedBytes += bytes;
        return true;
    }

    /** Does with a message that has no room what the policy says. Returns how that ends the queue; null if it goes on. */
    private @Nullable End overflow(SharedMessage message) {
        return switch (policy) {
            case DROP_NEWEST -> {
                dropped.incrementAndGet();
                yield null;
            }
            case DROP_OLDEST -> {
                dropOldestFor(message);
                yield null;
            }
            case ERROR -> new End(StreamError.TOO_SLOW.code(),
                    "the subscriber is too slow: " + queue.size() + " messages wait for it");
            case BACKPRESSURE -> new End(StreamError.SOURCE_FAILED.code(), "the source published more than was asked for");
        };
    }

    private void dropOldestFor(SharedMessage message) {
        do {
            SharedMessage oldest = queue.poll();
            if (oldest != null) { // unless it was taken just now
                dropped.incrementAndGet();
                addedBytes -= oldest.payload().remaining();
            }
        } while (!offerBytes(message));
    }

    /** Takes what was added when the subscription had left already. Returns how many these are. */
    int discard() {
        int messages = 0;
        while (queue.poll() != null) {
            messages++;
        }
        return messages;
    }

    /** Counts messages as dropped that were not even offered, because the subscriber's connection was too slow for them. */
    void skipped(long messages) {
        if (messages > 0) {
            dropped.addAndGet(messages);
        }
    }

    /** Ends the queue after the messages that are in it. */
    void finish(End how) {
        if (end == null) {
            end = how;
        }
        wake.run();
    }

    /** How many messages have left the queue for the subscriber, so that their places are free. Any thread may ask. */
    long passed() {
        return taken.get();
    }

    /** How many messages wait for the subscriber, or a few more or less while they come and go. Any thread may ask. */
    int waiting() {
        return queue.size() + aheads;
    }

    /** How many messages it has begun with that have not been polled. */
    int early() {
        return aheads;
    }

    /** Whether nothing more can be added. Any thread. */
    boolean isOver() {
        return end != null;
    }

    boolean wants(long tag) {
        return wanted.contains(tag);
    }

    /** Has the subscription look at this queue. Any thread may call it. */
    void wake() {
        wake.run();
    }

    // ---- on the loop

    @Nullable SharedMessage poll() {
        End how = end;
        if (how != null && how.code == StreamError.TOO_SLOW.code()) {
            return null; // what waits is the rest
        }
        SharedMessage message = aheads > 0 ? pollAhead() : pollQueue();
        if (message == null) {
            emptied = true;
        } else {
            taken.lazySet(taken.get() + 1);
            if (++sinceMoved * 2 >= window) {
                idle();
            }
        }
        return message;
    }

    private @Nullable SharedMessage pollQueue() {
        SharedMessage message = queue.poll();
        if (message != null && isBounded()) {
            takenBytes.lazySet(takenBytes.get() + message.payload().remaining());
        }
        return message;
    }

    private SharedMessage pollAhead() {
        SharedMessage message = ahead.remove();
        aheads--;
        return message;
    }

    /** Has {@code messages} come before those of the source. Called before anything is polled. */
    void begin(List<SharedMessage> messages) {
        ahead.addAll(messages);
        aheads = ahead.size();
    }

    /** Takes back a message that was polled last and not sent. */
    void unsent(SharedMessage message) {
        ahead.addFirst(message);
        aheads++;
    }

    /** Takes all that was not sent, in order. For the supply, when the subscription is over and nothing is added any more. */
    List<SharedMessage> rest() {
        List<SharedMessage> rest = new ArrayList<>(ahead);
        ahead.clear();
        aheads = 0;
        SharedMessage message;
        while ((message = queue.poll()) != null) {
            rest.add(message);
        }
        return rest;
    }

    /** Whether the subscription has had all there was, for a moment, since the last call. */
    boolean takeEmptied() {
        boolean was = emptied;
        emptied = false;
        return was;
    }

    /** Tells the supply that there may be room: the queue was found empty, or the source has gone on. */
    void idle() {
        sinceMoved = 0;
        if (supply != null) {
            supply.moved();
        }
    }

    void requested(long n) {
        if (supply != null) {
            supply.requested(n);
        }
    }

    /** How the queue has ended, if no message is left in it; else null. */
    @Nullable End ended() {
        End how = end;
        return how != null && (how.code == StreamError.TOO_SLOW.code() || aheads == 0 && queue.isEmpty()) ? how : null;
    }

    /** How many messages were dropped since the last call. */
    long takeDropped() {
        return dropped.get() == 0 ? 0 : dropped.getAndSet(0);
    }

    void leave() {
        if (supply != null) {
            supply.left();
        }
    }
}
