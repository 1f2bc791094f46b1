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
    /** Takes the messages of a stream. Any thread. */
    interface Receiver {
        void add(Message message);
    }

    /** Knows who takes them, and is told of ends. Any thread. */
    interface Owner {
        /** Returns who takes the messages of {@code stream} that come on {@code connection}; null before the first one. */
        Receiver receiver(MessageStream stream, @Nullable NetioConnection connection);

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

    MessageStream(Tags tags, Owner owner, MessageDemand demand) {
        this.tags = tags;
        this.owner = owner;
        this.demand = demand;
        this.receiver = owner.receiver(this, null);
    }

    void start(Flux<Message> messages) {
        messages.subscribe(this);
    }

    Tags tags() {
        return tags;
    }

    /** The messages that follow come on this connection. */
    void connected(NetioConnection connection) {
        receiver = owner.receiver(this, connection);
    }

    @Override
    protected void hookOnSubscribe(Subscription subscription) {
        request(demand.first());
    }

    @Override
    protected void hookOnNext(Message message) {
        demand.arrived(message.bytes());
        receiver.add(message);
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

    /** Messages that have arrived were taken, and so many of them are done. Any thread. */
    void taken(int messages, int done) {
        demand.taken(messages);
        done(done);
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
