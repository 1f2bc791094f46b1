// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.pubsub;

import io.reactivenetio.api.SlowPolicy;
import io.reactivenetio.api.Tags;
import io.reactivenetio.diagnostics.UserCode;
import io.reactivenetio.framing.stream.SharedMessage;
import io.reactivenetio.loop.DelayedTask;
import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.transport.exceptions.StreamError;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Operators;

/**
 * Shares one Publisher among many subscriptions. The Publisher is subscribed to with the first of them, and then for good. It
 * is asked for as much as every subscription with BACKPRESSURE has room for. It does not wait for others. A lock makes joining,
 * and so the numbers of messages, exact.
 *
 * <p>A message that was asked for has an owner: the subscriptions that have it, or, if the last of them ends before it has left,
 * {@link KeptMessages} for the next one. What has no owner is counted.
 */
final class HotSource<T> implements TagSource, Place.Source, CoreSubscriber<T> {
    /** Looks after a while, on the loop of a subscription, which subscriptions the source waits for. */
    private final class Look implements Runnable {
        private final EventLoop loop;
        private final DelayedTask delayed;

        /** The caller holds the lock, so the look does not begin before {@link HotSource#look} is set. */
        Look(EventLoop loop) {
            this.loop = loop;
            this.delayed = loop.schedule(this, Math.clamp(stallNanos / LOOKS, SHORTEST_LOOK, LONGEST_LOOK),
                    TimeUnit.NANOSECONDS);
        }

        void cancel() {
            delayed.cancel();
        }

        @Override
        public void run() {
            look(this);
        }
    }

    /** How many subscriptions of a connection that all get all messages have places of their own. */
    private static final int DIRECT = 2;
    /** How many looks there are in the time for which a subscriber may take nothing. */
    private static final int LOOKS = 4;
    private static final long SHORTEST_LOOK = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long LONGEST_LOOK = TimeUnit.HOURS.toNanos(1);

    private final long run = newRun();
    private final Tags tags;
    private final Publisher<? extends T> publisher;
    private final Function<? super T, SharedMessage> toMessage;
    private final SlowPolicy policy;
    private final long stallNanos;
    private final PublisherCounters counters;
    private final KeptMessages kept;
    private final AskWindow window;
    /** Asks the upstream at the end of a turn of the loop of the subscription that joined last. */
    private final TurnTask ask = new TurnTask(this::replenish);
    private final List<RetainedMessages> retained;
    /** Changed with the lock only. */
    private final List<Place> places = new CopyOnWriteArrayList<>();
    /** The relays of connections with more subscriptions than a few. Changed with the lock only. */
    private final List<Relay> relays = new ArrayList<>();
    private long published;
    private long requested;
    private boolean started;
    /** Whether nobody can subscribe any more. */
    private boolean retired;
    /** The next look, if one is due. */
    private @Nullable Look look;
    private SubscriberQueue.@Nullable End end;
    private volatile @Nullable Subscription upstream;

    HotSource(Tags tags, Publisher<? extends T> publisher, Function<? super T, SharedMessage> toMessage, SlowPolicy policy,
            int capacity, long bytes, long stallNanos, PublisherCounters counters, List<RetainedMessages> retained) {
        this.tags = tags;
        this.publisher = publisher;
        this.toMessage = toMessage;
        this.policy = policy;
        this.stallNanos = stallNanos;
        this.counters = counters;
        this.retained = retained;
        this.kept = new KeptMessages(capacity);
        this.window = new AskWindow(capacity, bytes);
    }

    /** Returns a random number, but not of a SecureRandom, which reads a file: this may be a loop. */
    private static long newRun() {
        long run;
        do {
            run = ThreadLocalRandom.current().nextLong();
        } while (run == 0);
        return run;
    }

    @Override
    public long run() {
        return run;
    }

    @Override
    public Tags tags() {
        return tags;
    }

    @Override
    public boolean serves(Tags wanted) {
        return tags.overlaps(wanted);
    }

    @Override
    public boolean isShared() {
        return true;
    }

    /** Refuses BACKPRESSURE if the publisher has another policy: all other subscribers would wait with this one. */
    @Override
    public @Nullable String refusal(SlowPolicy wished) {
        return wished != SlowPolicy.BACKPRESSURE || policy == SlowPolicy.BACKPRESSURE ? null
                : "the publisher waits for no subscriber of these tags, its policy is " + policy
                        + ": choose another than BACKPRESSURE, or none";
    }

    /** Gives what was kept first. Returns a number for a subscription that gets all messages of the source. */
    @Override
    public long join(SubscriberQueue queue, Tags wanted, EventLoop loop, Executor turns) {
        boolean all = wanted.equals(tags) || tags.isOne();
        boolean first;
        long number;
        SubscriberQueue.End over;
        synchronized (this) {
            List<SharedMessage> last = RetainedMessages.of(retained, tags, wanted);
            List<SharedMessage> before = kept.begin(wanted, last);
            number = before.isEmpty() ? published : before.getFirst().number();
            over = end;
            Relay relay = all && over == null && queue.policy() != SlowPolicy.BACKPRESSURE ? relay(queue, loop, turns) : null;
            if (relay == null) {
                addPlace(queue, loop, turns).joined(published, before, last);
            } else {
                queue.begin(before);
                relay.add(queue, published, last);
            }
            first = !started;
            started = true;
        }
        if (over != null) {
            queue.finish(over);
        } else if (first) {
            subscribe();
        } else {
            goOn();
        }
        return all ? number : UNNUMBERED;
    }

    private Place addPlace(SubscriberQueue queue, EventLoop loop, Executor turns) {
        Place place = new Place(queue, loop, turns, this);
        queue.supply(place);
        queue.window(window);
        places.add(place);
        ask.on(loop);
        return place;
    }

    /** The relay for one more subscription of a connection; null if it has only a few yet. The caller holds the lock. */
    private @Nullable Relay relay(SubscriberQueue queue, EventLoop loop, Executor turns) {
        for (Relay relay : relays) {
            if (relay.serves(queue.policy(), turns)) {
                return relay;
            }
        }
        if (places.stream().filter(place -> place.turns() == turns).count() < DIRECT) {
            return null;
        }
        Relay relay = new Relay(this, queue, published, turns);
        addPlace(relay.inbox(), loop, turns).joined(published, List.of(), List.of());
        relays.add(relay);
        return relay;
    }

    /** All subscriptions of a relay have left. */
    synchronized void forget(Relay empty) {
        relays.remove(empty);
    }

    /** Counts what the subscriptions of the relay with this {@code inbox} will not send, unless others have it. */
    synchronized void leftBehind(SubscriberQueue inbox, List<SharedMessage> rest) {
        counters.undelivered(kept.leftBehind(rest, places.stream().filter(place -> place.queue() != inbox).toList(), false));
    }

    /** A subscription is over. What it has not sent gets another owner, or is counted. */
    @Override
    public void left(Place gone) {
        synchronized (this) {
            if (places.remove(gone)) {
                boolean keeps = gone.queue().policy() == SlowPolicy.BACKPRESSURE && !retired;
                counters.undelivered(kept.leftBehind(gone, places, keeps));
            }
            Look due = look;
            if (due != null && due.loop == gone.loop() && places.stream().noneMatch(place -> place.loop() == gone.loop())) {
                due.cancel(); // the loop may end now
                look = null;
                if (isWaiting()) {
                    watch(false);
                }
            }
        }
        goOn();
    }

    private void subscribe() {
        try {
            publisher.subscribe(this);
        } catch (Throwable t) { // §1.9 forbids it; later subscriptions would wait for ever
            onError(t);
        }
    }

    @Override
    public synchronized long published() {
        return published;
    }

    @Override
    public synchronized int kept() {
        return kept.size();
    }

    @Override
    public synchronized void retire() {
        retired = true;
        counters.undelivered(kept.clear());
        retained.forEach(each -> each.clear(tags));
    }

    @Override
    public void close() {
        finish(new SubscriberQueue.End(StreamError.SHUT_DOWN.code(), "the publisher was closed"));
        Subscription s = upstream;
        if (s != null) {
            s.cancel();
        }
    }

    // ---- signals of the upstream

    @Override
    public void onSubscribe(Subscription s) {
        Objects.requireNonNull(s, "§2.13: subscription");
        if (Operators.validate(upstream, s)) {
            upstream = s;
            if (isOver()) { // closed meanwhile
                s.cancel();
            }
            replenish();
        }
    }

    @Override
    public void onNext(T element) {
        Objects.requireNonNull(element, "§2.13: element");
        SharedMessage message;
        try {
            message = toMessage.apply(element);
        } catch (Throwable t) { // the user's
            onError(t); // first, whatever the cancel throws
            Subscription s = upstream;
            if (s != null) {
                s.cancel();
            }
            return;
        }
        long more;
        synchronized (this) {
            if (end != null) {
                counters.undelivered(1);
                return;
            }
            message.number(published++);
            if (window.count(message.payload().remaining())) {
                for (Place place : places) {
                    place.queue().window(window);
                }
            }
            for (int i = 0; i < retained.size(); i++) {
                retained.get(i).add(message);
            }
            boolean owned = false;
            for (Place place : places) {
                if (place.queue().add(message)) {
                    owned = true;
                } else {
                    place.skip(message);
                }
            }
            if (!owned && policy == SlowPolicy.BACKPRESSURE) {
                counters.undelivered(places.isEmpty() ? kept.add(message) : 1);
            }
            boolean unheard = places.isEmpty() && policy != SlowPolicy.BACKPRESSURE;
            boolean onLoop = (unheard || isDue() || isWaiting()) && EventLoop.isLoopThread(Thread.currentThread());
            more = onLoop ? 0 : due();
            if (onLoop && unheard) {
                ask.soon();
            }
        }
        wake();
        request(more); // not on a loop: the upstream may answer at once, without end, so there the subscriptions ask in turn
    }

    @Override
    public void onError(Throwable error) {
        finish(new SubscriberQueue.End(StreamError.SOURCE_FAILED.code(), UserCode.text(error)));
    }

    @Override
    public void onComplete() {
        finish(new SubscriberQueue.End(SubscriberQueue.COMPLETE, ""));
    }

    @Override
    public synchronized boolean isOver() {
        return end != null;
    }

    private void finish(SubscriberQueue.End how) {
        synchronized (this) {
            if (end != null) {
                return;
            }
            end = how; // whoever joins from now on is told there
        }
        for (Place place : places) {
            place.queue().finish(how);
        }
    }

    /** Without the lock: who is woken may run at once, and come back here. */
    private void wake() {
        for (Place place : places) {
            place.queue().wake();
        }
    }

    // ---- demand

    /**
     * Asks the upstream, because a subscription has taken messages. A source that waits for nobody goes on within this turn as
     * far as all subscriptions have room, and from then on once in each turn. If each subscription had it go on, the source would
     * make as many messages for one that is taken as there are subscriptions, all on their loop, and most would be dropped.
     */
    @Override
    public void goOn() {
        long more = 0;
        synchronized (this) {
            if (isDue() && policy != SlowPolicy.BACKPRESSURE && fullest() * 2 > window.room()) {
                ask.soon();
            } else {
                more = due();
            }
        }
        request(more);
    }

    /** How many messages wait in the fullest queue. */
    private int fullest() {
        int most = 0;
        for (Place place : places) {
            most = Math.max(most, place.queue().waiting());
        }
        return most;
    }

    private void replenish() {
        long more;
        synchronized (this) {
            more = due();
        }
        request(more);
    }

    /** How many messages to ask for now. If there are none, this has somebody look for whom the source waits. */
    private long due() {
        long more = batch();
        if (more == 0 && isWaiting() && look == null) {
            watch(true);
        }
        return more;
    }

    /** Whether there is something to ask for, if no subscription holds the source up. */
    private boolean isDue() {
        int ahead = window.size();
        return upstream != null && end == null && (published + ahead - requested) * 2 >= ahead
                && (policy != SlowPolicy.BACKPRESSURE || !places.isEmpty());
    }

    /** Takes the number of messages to ask for now: half of the window at least, since small requests cost too much; or 0. */
    private long batch() {
        if (!isDue()) {
            return 0;
        }
        int ahead = window.size();
        long allowed = published + ahead;
        for (Place place : places) {
            if (place.queue().policy() == SlowPolicy.BACKPRESSURE) {
                allowed = Math.min(allowed, place.passed() + ahead);
            }
        }
        long more = allowed - requested;
        if (more * 2 < ahead) {
            return 0;
        }
        requested += more;
        return more;
    }

    // ---- subscribers that hold up all others

    /** Whether the source is asked for nothing because of its subscriptions. */
    private boolean isWaiting() {
        return upstream != null && end == null && published >= requested && !places.isEmpty();
    }

    /** Has a subscription's loop look, after a while, for whom the source waits. */
    private void watch(boolean anew) {
        for (Place place : places) {
            place.idleNanos(place.loop().nanoTime(), anew);
        }
        for (Place place : places) {
            try {
                look = new Look(place.loop());
                return;
            } catch (RejectedExecutionException terminated) {
                // this subscription ends with its loop
            }
        }
    }

    private void look(Look now) {
        long more = 0;
        synchronized (this) {
            if (look != now) {
                return;
            }
            look = null;
            if (isWaiting()) {
                more = batch(); // a subscription may have taken messages without finding its queue empty
                if (more == 0) {
                    endIdle();
                    watch(false);
                }
            }
        }
        request(more);
    }

    private void endIdle() {
        boolean others = !places.stream().allMatch(place -> place.holdsUp(requested, window.size()));
        for (Place place : places) {
            if (place.idleNanos(place.loop().nanoTime(), !others || !place.holdsUp(requested, window.size())) >= stallNanos) {
                place.queue().finish(new SubscriberQueue.End(StreamError.TOO_SLOW.code(), "the subscriber has taken nothing for "
                        + TimeUnit.NANOSECONDS.toMillis(stallNanos) + " ms, while "
                        + (published - place.passed()) + " messages wait for it and the others with it: it"
                        + " must request some, or choose another policy than BACKPRESSURE"));
            }
        }
    }

    private void request(long n) {
        Subscription s = upstream;
        if (n > 0 && s != null) {
            s.request(n);
        }
    }
}
