// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.simulation;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;

/** A subscriber that holds its publisher to the rules of Reactive Streams, and asks as it is told. */
public final class Probe<T> implements CoreSubscriber<T> {
    /** How it asks. */
    public enum Demand {
        UNBOUNDED,
        /** A batch, and the next when the batch is there, within onNext. */
        BATCHES,
        /** A batch, and the next some time after the batch is there, from another thread. */
        BATCHES_LATER,
        /** One more with each, within onNext. */
        ONE_BY_ONE,
        /** A few at first, and then nothing until the end of the world. */
        STALLS,
        /** Nothing until the end of the world. */
        NOTHING
    }

    private static final long LATER_NANOS = 1_000_000;

    private final VirtualMachine machine;
    private final String who;
    private final Demand demand;
    private final int batch;
    private final Consumer<? super T> consumer;
    private long cancelAfter = Long.MAX_VALUE;
    private long pauseNanos;
    private @Nullable Subscription subscription;
    private @Nullable Throwable error;
    private long asked;
    private long received;
    private boolean all;
    private boolean inSignal;
    private boolean completed;
    private boolean cancelled;

    public Probe(VirtualMachine machine, String who, Demand demand, int batch, Consumer<? super T> consumer) {
        this.machine = machine;
        this.who = who;
        this.demand = demand;
        this.batch = Math.max(1, batch);
        this.consumer = consumer;
    }

    /** Cancels, within onNext, with that message. */
    public Probe<T> cancelAfter(int messages) {
        cancelAfter = messages;
        return this;
    }

    /** Where it asks one by one: so long after each message from now on, from another thread. */
    void slowDown(long nanos) {
        pauseNanos = nanos;
    }

    String who() {
        return who;
    }

    public boolean isOver() {
        return completed || error != null;
    }

    boolean isSubscribed() {
        return subscription != null;
    }

    boolean isCompleted() {
        return completed;
    }

    public boolean isCancelled() {
        return cancelled;
    }

    public @Nullable Throwable error() {
        return error;
    }

    public long received() {
        return received;
    }

    long asked() {
        return asked;
    }

    /** From another thread. */
    public void cancel() {
        Subscription from = subscription;
        cancelled = true;
        if (from != null) {
            from.cancel();
        }
    }

    /** It wants everything from now on. */
    public void askForAll() {
        all = true;
        ask(Long.MAX_VALUE);
    }

    void ask(long n) {
        Subscription from = subscription;
        if (from != null && !cancelled && !isOver()) {
            asked = asked + n < 0 ? Long.MAX_VALUE : asked + n;
            from.request(n);
        }
    }

    @Override
    public void onSubscribe(Subscription s) {
        if (subscription != null) {
            machine.violated(who + ": §2.12: a second onSubscribe");
        } else if (isOver()) {
            machine.violated(who + ": §1.9: onSubscribe after " + (completed ? "onComplete" : error));
        }
        subscription = s;
        if (cancelled) {
            s.cancel();
            return;
        }
        machine.yield();
        if (demand == Demand.NOTHING && !all) {
            return;
        }
        ask(all || demand == Demand.UNBOUNDED ? Long.MAX_VALUE : demand == Demand.ONE_BY_ONE ? 1 : batch);
    }

    @Override
    public void onNext(T element) {
        begin("onNext");
        received++;
        machine.countMessage();
        if (received > asked) {
            machine.violated(who + ": §1.1: " + received + " messages, " + asked + " were asked for");
        }
        try {
            consumer.accept(element);
            machine.yield();
            if (received >= cancelAfter) {
                cancel();
            } else if (demand == Demand.ONE_BY_ONE && pauseNanos > 0) {
                machine.after(pauseNanos, () -> ask(1));
            } else if (demand == Demand.ONE_BY_ONE) {
                ask(1);
            } else if (received == asked && demand == Demand.BATCHES) {
                ask(batch);
            } else if (received == asked && demand == Demand.BATCHES_LATER) {
                machine.after(machine.drawNanos(LATER_NANOS), () -> ask(batch));
            }
        } finally {
            inSignal = false;
        }
    }

    @Override
    public void onError(Throwable t) {
        begin("onError");
        error = t;
        inSignal = false;
    }

    @Override
    public void onComplete() {
        begin("onComplete");
        completed = true;
        inSignal = false;
    }

    private void begin(String signal) {
        if (subscription == null) {
            machine.violated(who + ": §1.9: " + signal + " before onSubscribe");
        } else if (isOver()) {
            machine.violated(who + ": §1.7: " + signal + " after " + (completed ? "onComplete" : error));
        } else if (inSignal) {
            machine.violated(who + ": §1.3: " + signal + " within another signal");
        }
        inSignal = true;
    }

    @Override
    public String toString() {
        return who + (completed ? " completed" : error != null ? " failed with " + error : cancelled ? " cancelled"
                : " waits, has " + received + " of " + (asked == Long.MAX_VALUE ? "all" : asked));
    }
}
