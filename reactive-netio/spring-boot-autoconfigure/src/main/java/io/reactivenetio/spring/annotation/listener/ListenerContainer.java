// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.annotation.listener;

import io.reactivenetio.spring.annotation.NetioListener;
import io.reactivenetio.spring.annotation.NetioListenerContainer;
import io.reactivenetio.spring.annotation.NetioListenerState;
import io.reactivenetio.spring.annotation.NetioListenerStatistics;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;

/** A listener, and its run if it has one. */
public final class ListenerContainer implements NetioListenerContainer {
    private static final Logger LOG = LoggerFactory.getLogger(NetioListener.class);

    private final ListenerSettings settings;
    private final BiFunction<ListenerSettings, ListenerCounters, ListenerRun> runs;
    private final ListenerCounters counters = new ListenerCounters();
    private NetioListenerState state = NetioListenerState.STOPPED;
    private @Nullable ListenerRun run;

    ListenerContainer(ListenerSettings settings, BiFunction<ListenerSettings, ListenerCounters, ListenerRun> runs) {
        this.settings = settings;
        this.runs = runs;
    }

    static ListenerContainer of(ListenerMethod method, ListenerSettings settings) {
        Failures failures = new Failures(settings.id(), settings.errors());
        return new ListenerContainer(settings, (own, counters) -> method.takesFlux()
                ? new FluxRun(method, own, counters, failures) : new MessageListenerRun(method, own, counters, failures));
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
