// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.receive;

import io.reactivenetio.api.MessageBatch;
import io.reactivenetio.counters.ConnectionCounters;
import io.reactivenetio.lease.LeaseWindow;
import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.transport.exceptions.NetioAbortedException;
import java.nio.ByteOrder;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;

/**
 * The receiving side of a connection: messages that arrived, in order, and the one subscriber they are for. Confined to the loop.
 *
 * <p>With demand a message is handed over inside the backend's callback and its buffer is posted again at once ({@link #onRun}).
 * Without, its buffer is retained here ({@link #hold}), and that is the backpressure: at most as many wait as there are receive
 * buffers. What waits survives the end of the connection, and the end is told after the last of it; a cancel leaves it where it
 * is, and after both it goes.
 */
public final class Inbound {
    private final EventLoop loop;
    private final ConnectionCounters counters;
    private final DemandListener upstream;
    private final HeldMessages held;
    private final Set<Inbound> unread;
    private @Nullable ReceiveSubscription<?> subscription;
    private boolean ended;
    private @Nullable Throwable error;
    private final RunTally tally = new RunTally();
    private boolean draining;
    private long delivered;

    /**
     * {@code unread} is where it is found while messages wait after its end; {@code credits}: how many messages may have to wait
     * here, as a rule. Any thread.
     */
    public Inbound(EventLoop loop, ConnectionCounters counters, Set<Inbound> unread, DemandListener upstream, int credits) {
        this.loop = loop;
        this.counters = counters;
        this.unread = unread;
        this.upstream = upstream;
        this.held = new HeldMessages(counters, credits);
    }

    /** One element for each message, made on the loop while that is still in its receive buffer. */
    public <T> Flux<T> flux(ElementMapper<T> mapper) {
        return new ReceiveFlux<>(this, () -> mapper);
    }

    /** Batches of {@code most} messages at most, whose values are in {@code order}, and that {@code leases} retains. */
    public Flux<MessageBatch> batches(ByteOrder order, int most, LeaseWindow leases, String origin) {
        return new ReceiveFlux<>(this, () -> new RunBatch(loop, tally, this::isWanted, order, most, leases, origin));
    }

    /** Any thread. */
    int waiting() {
        return (int) counters.heldBuffers();
    }

    EventLoop loop() {
        return loop;
    }

    /** Whether it is one of this connection's. Any thread. */
    public boolean isOf(ConnectionCounters connection) {
        return counters == connection;
    }

    /** False if there is or was a subscriber: the messages are for one. */
    boolean admit(ReceiveSubscription<?> candidate) {
        if (subscription != null) {
            return false;
        }
        subscription = candidate;
        return true;
    }

    /** Messages that its subscriber has been given, or has polled. */
    public long delivered() {
        ReceiveSubscription<?> receiver = subscription;
        if (receiver != null) {
            delivered += receiver.takePolled();
        }
        return delivered;
    }

    /** An operator that polls has taken messages that were delivered to its queue. */
    void polled() {
        upstream.drained();
    }

    /** Whether the subscriber is being given messages at present. */
    public boolean isDelivering() {
        return draining;
    }

    /** Bytes of messages that wait for demand. */
    public long waitingBytes() {
        return held.bytes();
    }

    /** Messages that arrived here, and nobody is given. */
    public void countDiscarded(int messages) {
        counters.countDiscarded(messages);
    }

    /** How many elements wait for an operator that polls. */
    public int queued() {
        ReceiveSubscription<?> receiver = subscription;
        return receiver == null ? 0 : receiver.size();
    }

    /** Whether one more may come there ahead of demand. */
    boolean hasRoom() {
        return upstream.hasRoom(queued());
    }

    /** Whether an element may have fewer messages than the peer was asked for, so that others may wait which nobody wants. */
    public boolean takesBatches() {
        return subscription != null && subscription.mapper.findsFollowing();
    }

    /** Whether there is or was one. */
    public boolean hasSubscriber() {
        return subscription != null;
    }

    /** The subscriber's {@code onSubscribe} has returned, so it may be told its end from now on. */
    void subscribed() {
        upstream.subscribed();
    }

    /** Whether somebody wants to know each request. */
    boolean passesDemandOn() {
        return upstream != DemandListener.NONE;
    }

    void requested(long n) {
        if (!ended) {
            upstream.request(n);
        }
    }

    /** The subscriber wants no more, or cannot take it. */
    void cancelled() {
        if (!ended) {
            upstream.cancel();
        } else {
            drain();
        }
    }

    /**
     * The messages of a run, from the one that it stands at. Those that are asked for are delivered, and after the end all are
     * passed over. False if one has to wait, at which the run then stands: it and those behind it are for {@link #hold}.
     */
    public boolean onRun(MessageRun run) {
        if (ended) {
            do {
            } while (run.next());
            return true;
        }
        ReceiveSubscription<?> receiver = subscription;
        if (receiver == null || draining || !held.isEmpty()) {
            return false;
        }
        draining = true;
        boolean all = false;
        try {
            all = receiver.deliverAll(run, tally);
        } finally {
            draining = false;
            count(tally);
        }
        drain(); // the end, if that came meanwhile
        return all;
    }

    /** Messages that {@link #onRun} has left, and that keep their receive buffer. */
    public void hold(HeldRun messages) {
        counters.countReceived(messages.waiting(), messages.waitingBytes());
        held.add(messages);
        drain(); // an operator that polls may have asked for them since
    }

    private void count(RunTally run) {
        counters.countReceived(run.messages(), run.bytes());
        counters.sawHeld(run.largest());
        countDelivered(run);
    }

    private void countDelivered(RunTally run) {
        if (run.messages() > 0) {
            ReceiveSubscription<?> receiver = subscription;
            if (receiver != null && !receiver.isFused()) { // else they count when they are polled
                delivered += run.messages();
            }
            upstream.delivered(run.messages(), run.bytes());
            run.clear();
        }
    }

    /** Nothing more will arrive: {@code reason} says why, null that the stream is complete. The first call counts. */
    public void end(@Nullable Throwable reason) {
        if (!ended) {
            ended = true;
            error = reason;
            if (!held.isEmpty()) {
                unread.add(this);
            }
            drain();
        }
    }

    /** Delivers what waits as far as there is demand, then the end. Called again from inside a delivery, it does nothing. */
    public void drain() {
        ReceiveSubscription<?> receiver = subscription;
        if (receiver == null || draining) {
            return;
        }
        if (held.begin()) {
            draining = true;
            long before = delivered;
            try {
                receiver.deliverAll(held, tally);
            } finally {
                draining = false;
                held.end();
                countDelivered(tally);
            }
            if (delivered != before) {
                upstream.drained();
            }
        }
        if (ended && held.isEmpty()) {
            unread.remove(this);
            receiver.end(error);
        } else if (ended && receiver.isGone()) {
            discard(); // there can be no other one
        }
    }

    /** Whether its subscriber wants more. */
    private boolean isWanted() {
        ReceiveSubscription<?> receiver = subscription;
        return receiver != null && !receiver.isGone();
    }

    /** Gives back what nobody will ask for any more. A stream that has ended but lost messages here fails. */
    public void discard() {
        unread.remove(this);
        if (ended && !held.isEmpty()) {
            error = new NetioAbortedException("the connection was closed here with " + held.messages()
                    + " received messages still waiting for demand", 0, error);
        }
        held.discard();
        if (ended) {
            drain();
        }
    }
}
