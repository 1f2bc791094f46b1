// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.metrics;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.reactivenetio.spring.annotation.NetioListenerStatistics;
import io.reactivenetio.spring.annotation.listener.ListenerContainer;
import io.reactivenetio.spring.annotation.listener.ListenerRegistry;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;

/** Shows what annotated listeners do. docs/spring.md has a table of these meters. */
final class NetioListenerMeters implements MeterBinder {
    private final ListenerRegistry listeners;

    NetioListenerMeters(ListenerRegistry listeners) {
        this.listeners = listeners;
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        listeners.watch(listener -> bind(registry, listener)); // those that are there are not yet all
    }

    private static void bind(MeterRegistry registry, ListenerContainer listener) {
        Tags tags = NetioMeterBinder.tags("listener", listener.id());
        counter(registry, listener, tags, "netio.listener.received", "Messages that have come",
                NetioListenerStatistics::received);
        counter(registry, listener, tags, "netio.listener.handled", "Messages that the method has done",
                NetioListenerStatistics::handled);
        counter(registry, listener, tags, "netio.listener.failed", "Messages that have failed for good",
                NetioListenerStatistics::failed);
        counter(registry, listener, tags, "netio.listener.discarded", "Messages given up when the listener was stopped",
                NetioListenerStatistics::discarded);
        gauge(registry, listener, tags, "netio.listener.waiting", "messages", "Messages that wait to be worked on now",
                one -> one.statistics().waiting());
        gauge(registry, listener, tags, "netio.listener.in.flight", "messages", "Messages that are worked on now",
                one -> one.statistics().inFlight());
        gauge(registry, listener, tags, "netio.listener.concurrency", "messages", "How many may be worked on at a time",
                ListenerContainer::concurrency);
        gauge(registry, listener, tags, "netio.listener.behind", "seconds", "How long there have always been messages that wait",
                one -> one.behind().toNanos() / (double) TimeUnit.SECONDS.toNanos(1));
        if (listener.takesMessages()) {
            Timer timer = Timer.builder("netio.listener.time").tags(tags)
                    .description("Messages that are done or have failed, and their time").register(registry);
            listener.timed(nanos -> timer.record(nanos, TimeUnit.NANOSECONDS));
        }
    }

    private static void counter(MeterRegistry registry, ListenerContainer listener, Tags tags, String name, String what,
            ToDoubleFunction<NetioListenerStatistics> figure) {
        FunctionCounter.builder(name, listener, one -> figure.applyAsDouble(one.statistics())).baseUnit("messages")
                .description(what).tags(tags).register(registry);
    }

    private static void gauge(MeterRegistry registry, ListenerContainer listener, Tags tags, String name, String unit,
            String what, ToDoubleFunction<ListenerContainer> figure) {
        Gauge.builder(name, listener, figure).baseUnit(unit).description(what).tags(tags).register(registry);
    }
}
