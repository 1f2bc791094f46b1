// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.annotation.listener;

import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.api.Tags;
import io.reactivenetio.spring.security.PeerScope;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * The messages of one stream of a listener. The publisher is asked for a window of them at first, and for more as they are done:
 * so no more than the window are here.
 */
final class MessageStream extends BaseSubscriber<Message> {
    /** Takes the messages of streams. Any thread. */
    interface Receiver {
        void add(Message message, MessageStream stream);

        /** The stream is over, with an error or without. */
        void ended(MessageStream stream, @Nullable Throwable error);
    }

    private final Tags tags;
    private final Receiver receiver;
    private final MessageDemand demand;
    private final PeerScope.Factory peers;
    private final AtomicBoolean over = new AtomicBoolean();
    private volatile boolean draining;
    /** Who publishes the messages that come now. */
    private volatile PeerScope peer = PeerScope.of(null);
    /** Where they come. */
    private volatile Scheduler loop = Schedulers.immediate();

    MessageStream(Tags tags, Receiver receiver, MessageDemand demand, PeerScope.Factory peers) {
        this.tags = tags;
        this.receiver = receiver;
        this.demand = demand;
        this.peers = peers;
    }

    void start(Flux<Message> messages) {
        messages.subscribe(this);
    }

    Tags tags() {
        return tags;
    }

    /** The messages that follow come on this connection. */
    void connected(NetioConnection connection) {
        peer = peers.of(connection.principal());
        loop = connection.scheduler();
    }

    /** Runs {@code task} when the loop has told what it has of messages, or at once if the loop has ended. */
    void afterTurn(Runnable task) {
        try {
            loop.schedule(task);
        } catch (RejectedExecutionException ended) {
            task.run();
        }
    }

    PeerScope peer() {
        return peer;
    }

    @Override
    protected void hookOnSubscribe(Subscription subscription) {
        request(demand.first());
    }

    @Override
    protected void hookOnNext(Message message) {
        demand.arrived(message.bytes());
        receiver.add(message, this);
        if (draining && demand.isHere() && stop()) {
            receiver.ended(this, null);
        }
    }

    @Override
    protected void hookOnComplete() {
        if (end()) {
            receiver.ended(this, null);
        }
    }

    @Override
    protected void hookOnError(Throwable error) {
        if (end()) {
            receiver.ended(this, error);
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

    /** A message of this stream is done: there is room for another one. Any thread. */
    void done() {
        if (!draining) {
            long more = demand.done();
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
