// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.pubsub;

import io.reactivenetio.api.SlowPolicy;
import io.reactivenetio.framing.stream.SharedMessage;
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
        /** What it began with that was others' before. */
        private final List<SharedMessage> retained;

        Member(SubscriberQueue queue, long from, List<SharedMessage> retained) {
            this.queue = queue;
            this.from = from;
            this.retained = retained;
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
            boolean mine = members.remove(this);
            List<SharedMessage> rest = queue.rest();
            rest.removeAll(retained);
            long others = members.isEmpty() ? Long.MAX_VALUE : members.getFirst().from;
            rest.removeIf(message -> message.number() >= others);
            if (mine && members.isEmpty()) {
                inbox.begin(rest);
                source.forget(Relay.this);
                inbox.leave(); // the source finds an owner for what nobody has sent
                queue.skipped(untold + inbox.takeDropped());
            } else if (!rest.isEmpty()) {
                source.leftBehind(inbox, rest); // the others came later
            }
        }
    }

    /** The place in the source. */
    private final SubscriberQueue inbox;
    private final HotSource<?> source;
    private final Executor turns;
    /** In the order in which they came. */
    private final List<Member> members = new ArrayList<>();
    private final AtomicBoolean woken = new AtomicBoolean();
    /** The number of the next message that is passed on, if none is dropped before. */
    private long next;
    /** How many messages the inbox has said that it dropped, less those that were counted for the subscriptions. */
    private long untold;

    /** For subscriptions that are like {@code first}. {@code next} is the number of the first message. */
    Relay(HotSource<?> source, SubscriberQueue first, long next, Executor turns) {
        this.inbox = first.likeThis(source.tags(), this::wake);
        this.next = next;
        this.source = source;
        this.turns = turns;
    }

    SubscriberQueue inbox() {
        return inbox;
    }

    /** Whether it is for subscriptions of this connection with this policy, and has not ended. */
    boolean serves(SlowPolicy policy, Executor ofConnection) {
        return turns == ofConnection && inbox.policy() == policy && inbox.ended() == null;
    }

    /** Adds a subscription that gets the messages from number {@code from} on, and has begun with some that were retained. */
    void add(SubscriberQueue queue, long from, List<SharedMessage> retained) {
        Member member = new Member(queue, from, retained);
        queue.supply(member);
        queue.window(inbox);
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
            forEach(queue -> {
                queue.window(inbox);
                queue.wake();
            });
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
        boolean owned = false;
        for (int i = 0; i < members.size(); i++) {
            Member member = members.get(i);
            if (number >= member.from) {
                owned |= member.queue.add(message);
            }
        }
        if (!owned) { // all are too slow, or came later
            source.leftBehind(inbox, List.of(message));
        }
        return true;
    }

    /** Counts the messages before number {@code to} as dropped for each subscription that they were for. */
    private void skip(long to) {
        if (to > next) {
            for (Member member : members) {
                member.queue.skipped(to - Math.max(next, member.from));
            }
            untold -= to - next;
            next = to;
        }
    }

    /** Tells of the end, and of what was dropped without a message after it. */
    private void tellEnd() {
        SubscriberQueue.End end = inbox.ended();
        long dropped = inbox.takeDropped();
        untold += dropped;
        if (end != null || dropped > 0) {
            long all = source.published(); // before the inbox is found empty: what it had is passed on or dropped
            if (passOn()) {
                wake();
                return;
            }
            skip(all);
            forEach(end == null ? SubscriberQueue::wake : queue -> queue.finish(end));
        }
    }

    /** Calls each queue; a queue may leave within the call. */
    private void forEach(Consumer<SubscriberQueue> call) {
        for (Member member : List.copyOf(members)) {
            call.accept(member.queue);
        }
    }
}
