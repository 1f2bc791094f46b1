// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.pubsub;

import io.reactivenetio.framing.stream.send.SharedMessage;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * Passes the messages of a shared source on to the many subscriptions that one connection has to it. To the source they are one
 * place, so that a message costs it as much for a connection with a thousand subscriptions as for one with a single one. The
 * rest is done in the connection's turns. All of its subscriptions get all messages of the source, and have the same policy,
 * which is not BACKPRESSURE. What the connection cannot pass on in its share of the time is dropped for all of them.
 *
 * <p>On the loop, except for {@link #wake}.
 */
final class Relay implements Runnable {
    /** How many messages are put into queues in one turn of the connection. */
    private static final int BUDGET = 2_048;

    /** A subscription. The source does not wait for it, and the relay goes on by itself. */
    private final class Member implements SubscriberQueue.Supply {
        private final SubscriberQueue queue;
        /** The number of the first message that is for it. */
        private final long from;

        Member(SubscriberQueue queue, long from) {
            this.queue = queue;
            this.from = from;
        }

        @Override
        public void requested(long n) {
            // see above
        }

        @Override
        public void moved() {
            // see above
        }

        @Override
        public void left() {
            if (members.remove(this) && members.isEmpty()) {
                inbox.begin(queue.rest().stream().filter(message -> message.number() >= from).toList());
                whenEmpty.accept(Relay.this);
                inbox.leave(); // the source finds an owner for what nobody has sent
            } else {
                queue.rest(); // which the others have
            }
        }
    }

    /** The place in the source. */
    private final SubscriberQueue inbox;
    private final TagSource source;
    private final Executor turns;
    private final Consumer<Relay> whenEmpty;
    private final List<Member> members = new ArrayList<>();
    private final AtomicBoolean woken = new AtomicBoolean();
    /** The number of the next message that is passed on, if none is dropped before. */
    private long next;

    /** {@code next} is the number of the first message. {@code whenEmpty} is called when its last subscription has left. */
    Relay(TagSource source, SlowPolicy policy, int capacity, long next, Executor turns,
            Consumer<Relay> whenEmpty) {
        this.inbox = new SubscriberQueue(source.tags(), policy, capacity, this::wake);
        this.next = next;
        this.source = source;
        this.turns = turns;
        this.whenEmpty = whenEmpty;
    }

    SubscriberQueue inbox() {
        return inbox;
    }

    /** Whether it is for subscriptions of this connection with this policy, and has not ended. */
    boolean serves(SlowPolicy policy, Executor ofConnection) {
        return turns == ofConnection && inbox.policy() == policy && inbox.ended() == null;
    }

    /** Adds a subscription that gets the messages from number {@code from} on. */
    void add(SubscriberQueue queue, long from) {
        Member member = new Member(queue, from);
        queue.supply(member);
        members.add(member);
    }

    private void wake() {
        if (!woken.getAndSet(true)) {
            turns.execute(this);
        }
    }

    @Override
    public void run() {
        woken.set(false);
        int left = Math.max(1, BUDGET / Math.max(1, members.size()));
        boolean any = false;
        while (left > 0 && passOn()) {
            any = true;
            left--;
        }
        if (any) {
            forEach(SubscriberQueue::wake);
        }
        if (left == 0) {
            wake(); // there may be more
        } else {
            inbox.idle();
            tellEnd();
        }
    }

    private boolean passOn() {
        SharedMessage message = inbox.poll();
        if (message == null) {
            return false;
        }
        long number = message.number();
        skip(number);
        next = number + 1;
        for (int i = 0; i < members.size(); i++) {
            Member member = members.get(i);
            if (number >= member.from) {
                member.queue.add(message);
            }
        }
        return true;
    }

    /** Counts the messages before number {@code to} as dropped for each subscription that they were for. */
    private void skip(long to) {
        if (to > next) {
            for (Member member : members) {
                member.queue.skipped(to - Math.max(next, member.from));
            }
            next = to;
        }
    }

    /** Tells of the end, and of what was dropped without a message after it. */
    private void tellEnd() {
        SubscriberQueue.End end = inbox.ended();
        if (end != null || inbox.takeDropped() > 0) {
            long all = source.published(); // before the inbox is found empty: what it had is passed on or dropped
            if (passOn()) {
                wake();
                return;
            }
            skip(all);
            forEach(end == null ? SubscriberQueue::wake : queue -> queue.finish(end));
        }
    }

    /** Those who are called may leave. */
    private void forEach(Consumer<SubscriberQueue> call) {
        for (Member member : List.copyOf(members)) {
            call.accept(member.queue);
        }
    }
}
