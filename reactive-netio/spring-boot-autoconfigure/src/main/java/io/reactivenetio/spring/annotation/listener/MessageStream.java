// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.annotation.listener;

import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.api.Tags;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;

/**
 * The messages of one stream of a listener. The publisher is asked for a window of them at first, and for more as they are done:
 * so no more than the window are here.
 */
final class MessageStream extends BaseSubscriber<Message> {
    /** Takes the messages of streams. Any thread. */
    interface Receiver {
        void add(Message message, MessageStream stream);
    }

    /** Knows who takes them, and is told of ends. Any thread. */
    interface Owner {
        /** Returns who takes the messages that come on {@code connection}; null before the first one. */
        Receiver receiver(@Nullable NetioConnection connection);

        /** The stream is over, with an error or without. */
        void ended(MessageStream stream, @Nullable Throwable error);
    }

    private final Tags tags;
    private final Owner owner;
    private final MessageDemand demand;
    private final AtomicBoolean over = new AtomicBoolean();
    private volatile boolean draining;
    /** Takes the messages that come now. */
    private volatile Receiver receiver;
    /** Whether messages have come in this turn, and how many of them are done. On the loop. */
    private boolean inTurn;
    private int doneInTurn;

    MessageStream(Tags tags, Owner owner, MessageDemand demand) {
        this.tags = tags;
        this.owner = owner;
        this.receiver = owner.receiver(null);
        this.demand = demand;
    }

    void start(Flux<Message> messages) {
        messages.subscribe(this);
    }

    Tags tags() {
        return tags;
    }

    /** The messages that follow come on this connection. */
    void connected(NetioConnection connection) {
        receiver = owner.receiver(connection);
    }

    @Override
    protected void hookOnSubscribe(Subscription subscription) {
        request(demand.first());
    }

    @Override
    protected void hookOnNext(Message message) {
        demand.arrived(message.bytes());
        receiver.add(message, this);
    }

    @Override
    protected void hookOnComplete() {
        if (end()) {
            owner.ended(this, null);
        }
    }

    @Override
    protected void hookOnError(Throwable error) {
        if (end()) {
            owner.ended(this, error);
        }
    }

    /**
     * Asks for nothing more, and ends when everything has arrived that was asked for. What is on its way would be lost with a
     * cancel. True if that ends it now.
     */
    boolean drain() {
        draining = true;
        return demand.isHere() && stop();
    }

    /** Cancels the stream. False if it is over. */
    boolean stop() {
        dispose();
        return end();
    }

    private boolean end() {
        return !over.getAndSet(true);
    }

    /** A message has come in a turn of the loop. False if it is not the first one of this stream in the turn. */
    boolean beginsTurn() {
        boolean begins = !inTurn;
        inTurn = true;
        return begins;
    }

    void doneInTurn() {
        doneInTurn++;
    }

    void endsTurn() {
        inTurn = false;
        int messages = doneInTurn;
        doneInTurn = 0;
        demand.taken();
        done(messages);
        endIfDrained();
    }

    /** A message that has no turn was taken. */
    void taken() {
        demand.taken();
        endIfDrained();
    }

    private void endIfDrained() {
        if (draining && demand.isHere() && stop()) {
            owner.ended(this, null);
        }
    }

    /** Messages of this stream are done: there is room for others. Any thread. */
    void done(int messages) {
        if (!draining && messages > 0) {
            long more = demand.done(messages);
            if (more > 0) {
                request(more);
            }
        }
    }

    @Override
    public String toString() {
        return "the subscription to " + tags;
    }
}
