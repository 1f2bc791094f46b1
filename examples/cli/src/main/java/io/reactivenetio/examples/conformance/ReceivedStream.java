// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.conformance;

import io.reactivenetio.transport.exceptions.NetioStreamException;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Operators;

/** One stream that is received: asks, counts, cancels, and tells its end once. Messages are added on the loop. */
final class ReceivedStream extends BaseSubscriber<Boolean> {
    private static final int CANCELLED = 1;

    private final String number;
    private final long batch;
    private final long cancelAfter;
    private final Consumer<Line> events;
    private final Digest digest = new Digest();
    private final AtomicLong dropped = new AtomicLong();
    private final AtomicBoolean over = new AtomicBoolean();
    private long early;
    private boolean begun;

    ReceivedStream(Line command, Consumer<Line> events) {
        number = command.get("s");
        batch = EndSettings.demand(command.get("demand"));
        cancelAfter = command.number("cancel", Integer.MAX_VALUE);
        this.events = events;
    }

    /** A decoder: looks at the message where it lies. */
    Boolean add(long tag, int status, ByteBuffer payload) {
        digest.add(tag, status, payload);
        return true;
    }

    void dropped(long messages) {
        dropped.addAndGet(messages);
    }

    Line total() {
        return digest.in(Line.of("ok")).with("dropped", dropped);
    }

    /** Asks for more. The stream may not have begun, as that takes its loop. */
    synchronized void more(long messages) {
        if (begun) {
            request(messages);
        } else {
            early = Operators.addCap(early, messages);
        }
    }

    @Override
    protected void hookOnSubscribe(Subscription subscription) {
        synchronized (this) {
            begun = true;
            early = Operators.addCap(early, batch);
        }
        if (early > 0) {
            request(early);
        }
        if (cancelAfter == 0) {
            stop();
        }
    }

    @Override
    protected void hookOnNext(Boolean message) {
        long count = digest.count();
        if (count == cancelAfter) {
            stop();
        } else if (batch > 0 && count % batch == 0) {
            request(batch);
        }
    }

    /** Cancels, which is the end. */
    void stop() {
        cancel();
        end(CANCELLED);
    }

    @Override
    protected void hookOnComplete() {
        end(0);
    }

    @Override
    protected void hookOnError(Throwable failure) {
        end(failure instanceof NetioStreamException told ? told.code() : "lost");
    }

    private void end(Object code) {
        if (over.compareAndSet(false, true)) {
            events.accept(digest.in(Line.of("event end").with("s", number).with("code", code)).with("dropped", dropped));
        }
    }
}
