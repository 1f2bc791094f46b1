// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.receive;

import io.reactivenetio.diagnostics.UserCode;
import io.reactivenetio.wire.FrameReader;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import reactor.core.CoreSubscriber;
import reactor.core.Fuseable;
import reactor.core.Fuseable.QueueSubscription;
import reactor.core.Scannable;
import reactor.core.publisher.Operators;

/**
 * The subscriber of an {@link Inbound}: its demand, counted from any thread, and its signals, all on the loop. An operator that
 * polls gets its elements through a {@link FusedQueue}: what was asked for goes there as it arrives, and it is told once for all
 * that lie one behind the other.
 */
final class ReceiveSubscription<T> implements QueueSubscription<T>, Scannable, Runnable {
    /** The loop is told at once that so many elements are asked for; fewer may wait until the queue is nearly empty. */
    private static final int BATCH = 1024;
    private static final String NO_ELEMENT = "the decoder returned null";

    private final Inbound inbound;
    final ElementMapper<T> mapper;
    /** It is the sum of all requests where an operator polls. */
    private final ReceiveDemand demand;
    /** Whether the loop will look at what other threads have said: however often they do, that is one task. */
    private final AtomicBoolean scheduled = new AtomicBoolean();
    /** Whether the subscriber says of each element if it counts, as {@code filter} does. */
    private final boolean conditional;
    private @Nullable CoreSubscriber<? super T> actual;
    /** Set within {@code onSubscribe}. */
    private @Nullable FusedQueue<T> fused;
    private volatile boolean cancelled;
    private volatile boolean ended;
    private volatile boolean invalidRequest;
    /** On the loop: the upstream knows that nothing more is wanted. */
    private boolean gone;
    /** On the loop: the subscriber has been told its subscription. */
    private boolean begun;
    /** On the loop: how many elements have come into the queue of an operator that polls. */
    private long given;
    /** On the loop: how many elements did not count, and are to be asked for again. */
    private int rejected;

    ReceiveSubscription(Inbound inbound, CoreSubscriber<? super T> actual, ElementMapper<T> mapper) {
        this.inbound = inbound;
        this.actual = actual;
        this.mapper = mapper;
        this.demand = new ReceiveDemand(mapper, inbound.passesDemandOn());
        this.conditional = actual instanceof Fuseable.ConditionalSubscriber;
    }

    /** On the loop. */
    void start() {
        CoreSubscriber<? super T> subscriber = Objects.requireNonNull(actual);
        if (!inbound.admit(this)) {
            actual = null;
            cancelled = true;
            // later, so that a subscriber that tries again for ever does not hold up the loop
            inbound.loop().atEndOfTurn(() -> Operators.error(subscriber, new IllegalStateException("receive() allows one"
                    + " subscriber, and already had it; share() or publish() make one stream serve many")));
            return;
        }
        try {
            subscriber.onSubscribe(this); // before anything that may end it (§1.9)
        } catch (Throwable t) { // §2.13 forbids it
            cancelled = true;
            throw t;
        } finally {
            begun = true;
            inbound.subscribed();
            act();
        }
    }

    @Override
    public void request(long n) {
        if (n <= 0) {
            invalidRequest = true; // §3.9: told as onError, in order, on the loop
            wake();
        } else if (fused == null && inbound.loop().inEventLoop()) {
            demand.add(n);
            act();
        } else {
            demand.addUnseen(n);
            FusedQueue<T> queue = fused;
            if (queue == null || queue.isEmpty() || demand.unseen() >= Math.min(BATCH, queue.size())) {
                wake();
            }
        }
    }

    /**
     * Elements may be polled on any thread, also where the operator cares which thread makes them: the loop does. A framing whose
     * receive buffers are the demand gives nothing ahead of it, and neither does a mapper that admits messages one by one.
     */
    @Override
    public int requestFusion(int mode) {
        CoreSubscriber<? super T> subscriber = actual;
        if ((mode & Fuseable.ASYNC) == 0 || !mapper.mayRunAhead() || !inbound.passesDemandOn() || subscriber == null) {
            return Fuseable.NONE;
        }
        fused = new FusedQueue<>(subscriber.currentContext());
        return Fuseable.ASYNC;
    }

    private FusedQueue<T> queue() {
        return Objects.requireNonNull(fused, "not fused");
    }

    @Override
    public @Nullable T poll() {
        T element = queue().poll();
        if (element == null) {
            wakeIfUnseen();
        }
        return element;
    }

    /** The queue is empty: what the loop was not told of yet is missing now. */
    private void wakeIfUnseen() {
        if (demand.unseen() > 0) {
            wake();
        }
    }

    /** How many elements wait for an operator that polls. */
    @Override
    public int size() {
        return fused == null ? 0 : queue().size();
    }

    @Override
    public boolean isEmpty() {
        boolean empty = queue().isEmpty();
        if (empty) {
            wakeIfUnseen();
        }
        return empty;
    }

    @Override
    public void clear() {
        queue().clear();
        wake(); // it counts what was discarded
    }

    @Override
    public void cancel() {
        FusedQueue<T> queue = fused;
        if (queue != null) {
            queue.cancelled();
        }
        cancelled = true;
        wake(); // lets go of the subscriber (§3.13)
    }

    private void wake() {
        if (inbound.loop().inEventLoop()) {
            act();
        } else if (!scheduled.get() && !scheduled.getAndSet(true)) {
            try {
                inbound.loop().execute(this);
            } catch (RejectedExecutionException terminated) {
                // the loop told every subscriber the end before it went
            }
        }
    }

    @Override
    public void run() {
        scheduled.set(false);
        act();
    }

    /** On the loop: acts on what was requested or cancelled, which within {@code onSubscribe} waits for its end. */
    private void act() {
        if (!begun) {
            return;
        }
        FusedQueue<T> queue = fused;
        if (queue != null) {
            inbound.countDiscarded(queue.takeLeft());
            inbound.polled();
        }
        if (cancelled) {
            actual = null;
            letGo();
        } else if (invalidRequest) {
            letGo();
            end(new IllegalArgumentException("§3.9: the number of requested elements must be positive"));
            inbound.drain(); // of what nobody will ask for
        } else {
            demand.seeAll();
            long n = demand.takeUntold();
            if (n > 0) {
                inbound.requested(n);
            }
            inbound.drain();
        }
    }

    private void letGo() {
        if (!ended && !gone) {
            gone = true;
            inbound.cancelled();
        }
    }

    /** Whether nobody will ask for anything any more. */
    boolean isGone() {
        return cancelled || actual == null;
    }

    /**
     * How many messages it takes: those that were requested. To be polled, it takes all that the peer was asked for, unless
     * those ahead of demand have become so large that they have to wait outside the heap.
     */
    private long wanted() {
        if (fused == null) {
            return demand.seeAll();
        }
        long requested = demand.open();
        return requested == Long.MAX_VALUE || inbound.hasRoom() ? Long.MAX_VALUE : Math.max(0, requested - given);
    }

    boolean isFused() {
        return fused != null;
    }

    /** How many elements an operator that polls has taken since this was asked last. */
    long takePolled() {
        return fused == null ? 0 : queue().takePolled();
    }

    /**
     * Delivers the messages of a run as far as they are asked for and wanted, and takes their demand. False if the one that it
     * stands at then has not been delivered.
     */
    boolean deliverAll(MessageRun run, RunTally tally) {
        long allowed = 0;
        long taken = 0;
        boolean more = true;
        boolean alone = !mapper.findsFollowing();
        inbound.loop().working(this);
        try {
            while (more && !isGone() && !invalidRequest) {
                if (taken == allowed) {
                    useDemand(taken);
                    replenish();
                    taken = 0;
                    allowed = wanted();
                    if (allowed == 0) {
                        break;
                    }
                }
                if (!mapper.admits(run)) {
                    break;
                }
                taken++;
                tally.count(run.length());
                try {
                    deliverOne(run);
                    if (alone && run instanceof FollowingMessages following) {
                        taken += deliverFollowing(following, tally, allowed - taken - 1);
                    }
                } finally {
                    more = alone ? run.next() : mapper.next(run);
                }
            }
        } finally {
            signal();
            inbound.loop().working(null);
            useDemand(taken);
            run.settle();
        }
        return !more;
    }

    /**
     * Delivers messages that follow the one that was delivered last, {@code allowed} at most, and stops before anything unusual.
     * Returns how many. Neither the last message that is asked for nor the last that may come is delivered here: what the
     * subscriber does at those depends on the counts, which change when this is done.
     */
    private int deliverFollowing(FollowingMessages run, RunTally tally, long allowed) {
        long most = Math.min(allowed, run.following() - 1);
        if (most <= 0 || isGone()) {
            return 0;
        }
        ByteBuffer page = run.inMemory();
        int end = run.end();
        int at = run.behind();
        int limit = run.largestFollowing();
        int length = 0;
        int messages = 0;
        long bytes = 0;
        int largest = 0;
        try {
            while (messages < most && run.goesOn()) {
                int next = FrameReader.following(page, at, end, limit);
                if (next < 0) {
                    break;
                }
                int offset = at + FrameReader.FOLLOWING_HEADER;
                at = offset + next;
                length = next;
                messages++;
                bytes += next;
                largest = Math.max(largest, next);
                run.show(offset, next);
                deliverOne(run);
                if (cancelled) {
                    break;
                }
            }
        } finally {
            if (messages > 0) {
                run.skipTo(messages, largest, at - length, length);
                tally.count(messages, bytes, largest);
            }
        }
        return messages;
    }

    private void useDemand(long n) {
        if (fused != null) {
            given += n;
        } else {
            demand.take(n);
        }
    }

    private void deliverOne(MessageRun run) {
        CoreSubscriber<? super T> subscriber = Objects.requireNonNull(actual);
        T element;
        try {
            element = Objects.requireNonNull(mapper.map(run), NO_ELEMENT);
        } catch (Throwable t) {
            failMapped(t, subscriber);
            return;
        }
        emit(element, subscriber);
    }

    private void failMapped(Throwable thrown, CoreSubscriber<? super T> subscriber) {
        Throwable mapped = UserCode.failure(thrown);
        try { // without the buffer: it must not escape
            mapped = Operators.onOperatorError(mapped, subscriber.currentContext());
        } finally { // also if a hook of Reactor's throws
            letGo();
            end(mapped);
        }
    }

    private void emit(T element, CoreSubscriber<? super T> subscriber) {
        FusedQueue<T> queue = fused;
        if (queue != null) {
            queue.add(element);
            return;
        }
        try {
            if (!conditional) {
                subscriber.onNext(element);
            } else if (!((Fuseable.ConditionalSubscriber<? super T>) subscriber).tryOnNext(element)) {
                rejected++;
            }
        } catch (Throwable t) {
            threw(t);
            Operators.onDiscard(element, subscriber.currentContext());
            return;
        }
        if (cancelled) {
            actual = null;
            letGo();
        }
    }

    /** §2.13 forbids it: this stream is over, and the loop is told; other streams go on. */
    private void threw(Throwable t) {
        inbound.loop().report(t);
        letGo();
        end(UserCode.failure(t));
    }

    private void replenish() {
        if (rejected > 0) {
            request(rejected);
            rejected = 0;
        }
    }

    /** Tells an operator that polls, once for all, that elements are in its queue. */
    @SuppressWarnings("NullAway") // null is what Reactor says to it
    private void signal() {
        FusedQueue<T> queue = fused;
        if (queue == null) {
            replenish();
            return;
        }
        CoreSubscriber<? super T> subscriber = actual;
        if (subscriber == null && !ended) { // the decoder cancelled
            inbound.countDiscarded(queue.takeLeft());
        }
        if (queue.takeSignal() && subscriber != null) {
            try {
                subscriber.onNext(null);
            } catch (Throwable t) {
                threw(t);
            }
        }
    }

    /** The last signal, unless cancelled before; with null the stream is complete. */
    void end(@Nullable Throwable error) {
        CoreSubscriber<? super T> subscriber = actual;
        actual = null;
        if (subscriber == null || cancelled) {
            return;
        }
        ended = true;
        cancelled = true;
        try {
            if (error == null) {
                subscriber.onComplete();
            } else {
                subscriber.onError(error);
            }
        } catch (Throwable t) { // §2.13 forbids it
            inbound.loop().report(t);
        }
    }

    /** Where the messages go: the operators, with the place where each was assembled if Reactor's debug mode knows that. */
    @Override
    public String toString() {
        CoreSubscriber<? super T> to = actual;
        return to == null ? "delivering a message" : "delivering messages to "
                + Scannable.from(to).steps().distinct().collect(Collectors.joining(" | "));
    }

    @Override
    public @Nullable Object scanUnsafe(@SuppressWarnings("rawtypes") Attr key) {
        if (key == Attr.REQUESTED_FROM_DOWNSTREAM) {
            return demand.open();
        } else if (key == Attr.BUFFERED) {
            return inbound.waiting() + size();
        } else if (key == Attr.CANCELLED) {
            return cancelled && !ended;
        } else if (key == Attr.TERMINATED) {
            return ended;
        }
        return key == Attr.ACTUAL ? actual : key == Attr.RUN_STYLE ? Attr.RunStyle.ASYNC : null;
    }
}
