// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.pubsub;

import io.reactivenetio.api.SlowPolicy;
import io.reactivenetio.api.Tags;
import io.reactivenetio.framing.stream.SharedMessage;
import io.reactivenetio.framing.stream.StreamSource;
import io.reactivenetio.framing.stream.StreamSourcePort;
import io.reactivenetio.transport.exceptions.StreamError;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Operators;

/** Gives one subscriber the messages of every source of a publisher that has its tags, in turn. Calls are on the loop. */
final class SubscriptionSource implements StreamSource, Runnable {
    private final NetioPublisher publisher;
    private final List<TagSource> sources;
    private final Tags wanted;
    private final SlowPolicy policy;
    private final List<SubscriberQueue> queues = new ArrayList<>();
    private final AtomicBoolean woken = new AtomicBoolean();
    private @Nullable StreamSourcePort port;
    private int turn;
    /** Where the message that was polled last is from. */
    private @Nullable SubscriberQueue polled;
    private long demand;
    /** How many messages of a single source were found missing between others, and how many its queue has said it dropped. */
    private long leftOut;
    private long dropped;
    /** How many messages the subscriber was told of. */
    private long told;
    /** How many messages come before those that are in order, and the number that the next of these has; -1 if nobody knows. */
    private long early;
    private long next = -1;
    private boolean inOrder;
    private @Nullable SlowWatch watch;
    private boolean joined;
    private boolean over;

    SubscriptionSource(NetioPublisher publisher, List<TagSource> sources, Tags wanted, SlowPolicy policy) {
        this.publisher = publisher;
        this.sources = sources;
        this.wanted = wanted;
        this.policy = policy;
    }

    @Override
    public void open(StreamSourcePort opened) {
        port = opened;
        for (TagSource source : sources) {
            String refusal = source.refusal(policy);
            if (refusal != null) {
                opened.fail(StreamError.NOT_SERVED.code(), refusal);
                return;
            }
        }
        boolean numbered = true;
        long number = 0;
        for (TagSource source : sources) {
            SubscriberQueue queue = new SubscriberQueue(wanted, source.policy(policy), publisher.queue(), publisher.queueBytes(),
                    this::wake);
            queues.add(queue);
            long first = source.join(queue, wanted, opened.loop(), opened.turns());
            numbered &= first != TagSource.UNNUMBERED;
            number += first;
        }
        joined = true;
        watch = new SlowWatch(queues, opened);
        publisher.counters().joined(queues);
        if (numbered) {
            long run = sources.size() == 1 ? sources.getFirst().run() : 0;
            inOrder = run != 0;
            early = queues.getFirst().early();
            next = early == 0 ? number : -1;
            opened.numbered(number, run);
        }
    }

    @Override
    public void requested(long n) {
        demand = Operators.addCap(demand, n);
        queues.forEach(queue -> queue.requested(n));
    }

    @Override
    public @Nullable SharedMessage poll() {
        for (int i = 0; i < queues.size(); i++) {
            turn = (turn + 1) % queues.size();
            SharedMessage message = queues.get(turn).poll();
            if (message != null) {
                polled = queues.get(turn);
                if (inOrder) {
                    passed(message.number());
                }
                if (demand != Long.MAX_VALUE && --demand == 0) {
                    queues.forEach(SubscriberQueue::idle); // what was taken makes room, and no more is taken for now
                }
                return message;
            }
        }
        queues.forEach(SubscriberQueue::idle);
        tell();
        return null;
    }

    /**
     * Tells the subscriber of dropped messages before it gets one with a later number: it may get nothing after that. The queue
     * may not have counted the last of them yet.
     */
    private void passed(long number) {
        if (early > 0) {
            early--;
            return;
        }
        StreamSourcePort open = port;
        if (number != next && open != null) {
            leftOut += next < 0 ? 0 : number - next;
            tellDropped(open, 0);
        }
        next = number + 1;
    }

    private void tellDropped(StreamSourcePort open, long unsent) {
        dropped += takeDropped();
        long all = Math.max(dropped, leftOut) + unsent;
        if (all > told) {
            open.dropped(all - told);
            told = all;
        }
    }

    /** Tells the subscriber how many messages were dropped, and the end. */
    private void tell() {
        StreamSourcePort open = port;
        if (open == null || over) {
            return;
        }
        tellDropped(open, 0);
        boolean complete = true;
        SubscriberQueue.End failed = null;
        for (SubscriberQueue queue : queues) {
            SubscriberQueue.End end = queue.ended();
            complete &= end != null;
            failed = end != null && end.code() != SubscriberQueue.COMPLETE ? end : failed;
        }
        if (failed != null) {
            if (failed.code() == StreamError.TOO_SLOW.code()) {
                publisher.counters().tooSlow(wanted, failed.text());
                open.fail(failed.code(), failed.text()); // nobody else waits for it any more
            } else {
                open.failAfterPolled(failed.code(), failed.text());
            }
        } else if (complete) {
            open.complete();
        }
    }

    /** How many messages were dropped since the last call, which the publisher counts. */
    private long takeDropped() {
        long sum = 0;
        for (SubscriberQueue queue : queues) {
            long dropped = queue.takeDropped();
            if (dropped > 0) {
                publisher.counters().dropped(queue.policy(), dropped);
                sum += dropped;
            }
        }
        return sum;
    }

    /** Has the stream poll for messages, on the loop. It may be called on any thread. */
    private void wake() {
        StreamSourcePort open = port;
        VarHandle.fullFence(); // what has come must be visible before it is seen that the loop will look at it anyway
        if (open != null && !woken.get() && !woken.getAndSet(true)) {
            try {
                open.loop().execute(this);
            } catch (RejectedExecutionException terminated) {
                // its connections are gone with it
            }
        }
    }

    @Override
    public void run() {
        woken.set(false);
        StreamSourcePort open = port;
        if (open != null && !over) {
            queues.forEach(SubscriberQueue::idle); // sources that do not wait go on
            tell();
            open.ready();
            SlowWatch watching = watch;
            if (watching != null && !over) {
                watching.messagesCame();
            }
        }
    }

    /** A shared source that has ended is not endless: what is left of it comes, and then its end. */
    @Override
    public boolean isEndless() {
        return sources.stream().allMatch(TagSource::isShared) && !sources.stream().allMatch(TagSource::isOver);
    }

    @Override
    public void unsent(SharedMessage message, boolean refused) {
        SubscriberQueue from = polled;
        if (refused) {
            publisher.counters().undelivered(1); // whoever comes next cannot take it either
        } else if (from != null) {
            from.unsent(message);
        }
    }

    @Override
    public void cut() {
        StreamSourcePort open = port;
        if (open != null && !over) {
            dropped += takeDropped(); // before what waits is counted, which may be dropped meanwhile
            tellDropped(open, queues.stream().mapToLong(SubscriberQueue::waiting).sum());
        }
    }

    @Override
    public void closed() {
        if (!over) {
            over = true;
            if (watch != null) {
                watch.close();
            }
            try {
                queues.forEach(SubscriberQueue::leave);
                takeDropped(); // which the subscriber is not told any more
            } finally {
                if (joined) {
                    publisher.counters().left(queues); // last: who sees that it has gone sees what it has left
                }
            }
        }
    }
}
