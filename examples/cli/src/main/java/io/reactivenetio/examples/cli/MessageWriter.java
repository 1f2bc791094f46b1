// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.cli;

import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.Disposable;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Mono;
import reactor.core.publisher.SignalType;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Scheduler;

/** Writes, counts and hashes messages on one thread, as fast as they come or at a given pace. */
final class MessageWriter extends BaseSubscriber<ByteBuffer> {
    private final MessageFile file;
    private final HandOver handOver;
    private final Tally tally;
    private final @Nullable Pace pace;
    private final Scheduler worker;
    private final Sinks.Empty<Void> done = Sinks.empty();
    private @Nullable Disposable ticks;
    private long requested;

    MessageWriter(MessageFile file, HandOver handOver, Tally tally, @Nullable Pace pace, Scheduler worker) {
        this.file = file;
        this.handOver = handOver;
        this.tally = tally;
        this.pace = pace;
        this.worker = worker;
    }

    /** Ends as the messages do. */
    Mono<Void> done() {
        return done.asMono();
    }

    @Override
    protected void hookOnSubscribe(Subscription subscription) {
        Pace limit = pace;
        if (limit == null) {
            requestUnbounded();
        } else {
            ticks = worker.schedulePeriodically(() -> requestAt(limit), 0, limit.intervalNanos(), TimeUnit.NANOSECONDS);
        }
    }

    /** On the worker, where messages are written too. */
    private void requestAt(Pace limit) {
        long due = limit.next(System.nanoTime(), requested - tally.messages());
        if (due > 0) {
            requested += due;
            request(due);
        }
    }

    @Override
    protected void hookOnNext(ByteBuffer message) {
        int length = message.remaining();
        tally.add(message);
        file.write(message);
        handOver.giveBack(message, length);
    }

    @Override
    protected void hookOnComplete() {
        done.tryEmitEmpty();
    }

    @Override
    protected void hookOnError(Throwable problem) {
        done.tryEmitError(problem);
    }

    @Override
    protected void hookFinally(SignalType type) {
        Disposable timer = ticks;
        if (timer != null) {
            timer.dispose();
        }
    }
}
