// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.annotation.listener;

import io.reactivenetio.spring.annotation.NetioListener;
import io.reactivenetio.spring.annotation.NetioListenerContainer;
import io.reactivenetio.spring.annotation.NetioListenerState;
import io.reactivenetio.spring.annotation.NetioListenerStatistics;
import java.time.Duration;
import java.util.function.BiFunction;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;

/** A listener, and its run if it has one. */
public final class ListenerContainer implements NetioListenerContainer {
    private static final Logger LOG = LoggerFactory.getLogger(NetioListener.class);

    private final ListenerSettings settings;
    private final BiFunction<ListenerSettings, ListenerCounters, ListenerRun> runs;
    private final boolean takesMessages;
    private final ListenerCounters counters = new ListenerCounters();
    private NetioListenerState state = NetioListenerState.STOPPED;
    private @Nullable ListenerRun run;
    private boolean told;

    ListenerContainer(ListenerSettings settings, BiFunction<ListenerSettings, ListenerCounters, ListenerRun> runs,
            boolean takesMessages) {
        this.settings = settings;
        this.takesMessages = takesMessages;
        this.runs = runs;
    }

    static ListenerContainer of(ListenerMethod method, ListenerSettings settings) {
        Failures failures = new Failures(settings.id(), settings.errors());
        return new ListenerContainer(settings, (own, counters) -> method.takesFlux()
                ? new FluxRun(method, own, counters, failures) : new MessageListenerRun(method, own, counters, failures),
                !method.takesFlux());
    }

    @Override
    public String id() {
        return settings.id();
    }

    boolean startsByItself() {
        return settings.startsByItself();
    }

    @Override
    public synchronized NetioListenerState state() {
        return state;
    }

    @Override
    public synchronized @Nullable Throwable failure() {
        return state == NetioListenerState.FAILED && run != null ? run.failure() : null;
    }

    /** What one of its subscriptions has failed with for good, even if others go on; null if none has. */
    public synchronized @Nullable Throwable lastFailure() {
        return run == null ? null : run.failure();
    }

    @Override
    public NetioListenerStatistics statistics() {
        ListenerRun now;
        synchronized (this) {
            now = run;
        }
        return new NetioListenerStatistics(counters.received.sum(), counters.handled.sum(), counters.failed.sum(),
                counters.discarded.sum(), now == null ? 0 : now.inFlight(), now == null ? 0 : now.waiting());
    }

    /** How many messages are worked on at a time at most. */
    public int concurrency() {
        return settings.concurrency();
    }

    /** Whether it takes message by message, so that it is known which of them are worked on. */
    public boolean takesMessages() {
        return takesMessages;
    }

    /** Returns for how long there have always been messages that wait, as it is slower than they come; 0 if it keeps up. */
    public synchronized Duration behind() {
        return run == null || state != NetioListenerState.RUNNING ? Duration.ZERO : run.behind();
    }

    /** {@code timer} is told for how many nanoseconds each message was worked on, further attempts included. */
    public void timed(LongConsumer timer) {
        counters.timers.add(timer);
    }

    @Override
    public void start() {
        ListenerRun started;
        synchronized (this) {
            if (state == NetioListenerState.RUNNING) {
                return;
            }
            if (state == NetioListenerState.STOPPING) {
                throw new IllegalStateException("listener " + id() + " is still stopping: wait for the Mono of stop()");
            }
            started = runs.apply(settings, counters);
            run = started;
            told = false;
            state = NetioListenerState.RUNNING;
        }
        whenOver(started).subscribe();
        try {
            started.start();
        } catch (Throwable t) { // the bean could not be made
            abandon();
            throw t;
        }
    }

    /** Completes when the run is over and the state says so, whoever is told of it first. */
    private Mono<Void> whenOver(ListenerRun ended) {
        return ended.over().doOnSuccess(nothing -> over(ended));
    }

    private synchronized void over(ListenerRun ended) {
        if (run == ended && (state == NetioListenerState.RUNNING || state == NetioListenerState.STOPPING)) {
            tellGivenUp(ended);
            state = ended.failure() != null ? NetioListenerState.FAILED
                    : state == NetioListenerState.STOPPING ? NetioListenerState.STOPPED : NetioListenerState.COMPLETED;
            if (state == NetioListenerState.COMPLETED) {
                LOG.info("listener {} is complete, and receives nothing more: what it was subscribed to has ended. To subscribe"
                        + " again, start it with NetioListenerRegistry", id());
            }
        }
    }

    @Override
    public Mono<Void> stop() {
        ListenerRun stopped = stopping();
        if (stopped == null) {
            return Mono.empty();
        }
        stopped.stop();
        return whenOver(stopped);
    }

    @Override
    public void abort() {
        ListenerRun stopped = stopping();
        if (stopped != null) {
            stopped.abort();
            synchronized (this) {
                tellGivenUp(stopped);
            }
        }
    }

    /** Says once for a run what it has given up: messages that are here, and that nobody works on any more. */
    private void tellGivenUp(ListenerRun which) {
        ListenerRun.GivenUp numbers = which.givenUp();
        if (run == which && !told && numbers.waited() + numbers.worked() > 0) {
            told = true;
            LOG.warn("listener {} has given up {} messages that waited, and {} that it worked on, as it was stopped before they"
                    + " were done", id(), numbers.waited(), numbers.worked());
        }
    }

    /** Whether {@code owner} of a thread is the run that there is. */
    synchronized boolean isRun(@Nullable Object owner) {
        return owner != null && run == owner;
    }

    /** Aborts a run that has not come to its end, and does not wait for it any more. */
    void abandon() {
        abort();
        synchronized (this) {
            if (state == NetioListenerState.STOPPING) {
                state = NetioListenerState.STOPPED;
                run = null;
            }
        }
    }

    private synchronized @Nullable ListenerRun stopping() {
        if (state == NetioListenerState.RUNNING) {
            state = NetioListenerState.STOPPING;
        }
        return state == NetioListenerState.STOPPING ? run : null;
    }

    @Override
    public String toString() {
        return "listener " + id() + ", " + state();
    }
}
