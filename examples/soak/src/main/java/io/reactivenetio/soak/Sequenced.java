// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.soak;

import io.reactivenetio.pubsub.SequencedEvent;
import io.reactivenetio.pubsub.SequencedMessage;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;

/** A subscription that goes on for ever, and accounts for every message. Any thread. */
final class Sequenced implements Disposable {
    private static final long SILENCE_NANOS = TimeUnit.SECONDS.toNanos(20);

    private final Flux<? extends SequencedEvent> events;
    private final Faults faults;
    private final LongSupplier nanoTime;
    private RunCheck check = new RunCheck();
    private Disposable subscription;
    private long heard;
    private long arrived;
    private long missing;
    private boolean wantsAll;

    /** Subscribes to {@code events}, which have the pattern of their tags. */
    Sequenced(Flux<? extends SequencedEvent> events, Faults faults) {
        this(events, faults, System::nanoTime);
    }

    /** Makes one with a clock of its own. */
    Sequenced(Flux<? extends SequencedEvent> events, Faults faults, LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        this.events = events;
        this.faults = faults;
        subscription = subscribe();
    }

    /** Takes it for a fault that a message is missing. */
    synchronized Sequenced wanting() {
        wantsAll = true;
        return this;
    }

    private Disposable subscribe() {
        heard = nanoTime.getAsLong();
        RunCheck own = new RunCheck();
        check = own;
        return events.subscribe(event -> take(own, event), failure -> faults.add("a subscription failed: " + failure),
                () -> faults.add("a subscription ended"));
    }

    private synchronized void take(RunCheck own, SequencedEvent event) {
        heard = nanoTime.getAsLong();
        own.take(event);
        if (event instanceof SequencedMessage message) {
            ByteBuffer payload = message.message().payload();
            Pattern pattern = Objects.requireNonNull(TrafficServer.PATTERNS.get(message.tags()));
            String fault = payload.getLong() == message.sequence() ? pattern.fault(message.sequence(), payload)
                    : "the number of a message is not that of its content";
            if (fault != null) {
                faults.add(fault);
            }
        }
    }

    /** Tells of a subscription that has heard nothing for long, and makes another one in its place. */
    synchronized void look() {
        if (nanoTime.getAsLong() - heard > SILENCE_NANOS) {
            faults.add("a subscription was silent for " + TimeUnit.NANOSECONDS.toSeconds(SILENCE_NANOS) + " s");
            subscription.dispose();
            sum();
            subscription = subscribe();
        }
    }

    private void sum() {
        arrived += check.arrived();
        missing += check.missing();
        check.faults().forEach(faults::add);
        if (wantsAll && check.missing() > 0) {
            faults.add(check.missing() + " are missing of a source that waits for its subscribers");
        }
        check = new RunCheck();
    }

    synchronized long arrived() {
        return arrived + check.arrived();
    }

    synchronized long missing() {
        return missing + check.missing();
    }

    @Override
    public synchronized void dispose() {
        subscription.dispose();
        sum();
    }
}
