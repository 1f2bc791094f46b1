// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.annotation.listener;

import io.reactivenetio.pubsub.Tags;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
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

        /** The stream is over, with an error or without. */
        void ended(MessageStream stream, @Nullable Throwable error);
    }

    private final Tags tags;
    private final Receiver receiver;
    private final int window;
    private final int batch;
    private final AtomicInteger done = new AtomicInteger();
    private final AtomicBoolean over = new AtomicBoolean();

    /** {@code prefetch}: how many of the window may be asked for late, so that it is done less often. */
    MessageStream(Tags tags, Receiver receiver, int window, int prefetch) {
        this.tags = tags;
        this.receiver = receiver;
        this.window = window;
        this.batch = Math.max(1, Math.min(window, prefetch) / 2);
    }

    void start(Flux<Message> messages) {
        messages.subscribe(this);
    }

    Tags tags() {
        return tags;
    }

    @Override
    protected void hookOnSubscribe(Subscription subscription) {
        request(window);
    }

    @Override
    protected void hookOnNext(Message message) {
        receiver.add(message, this);
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
        if (done.incrementAndGet() >= batch) {
            int finished = done.getAndSet(0);
            if (finished > 0) { // or another thread has asked for it
                request(finished);
            }
        }
    }

    @Override
    public String toString() {
        return "the subscription to " + tags;
    }
}
