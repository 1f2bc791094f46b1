// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.detector;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Predicate;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Sinks;

/**
 * Puts fragments together, by the number of their event. Of each link they come in order. So when an event is complete, what is
 * still missing of those before it is lost: they are given up at once. Otherwise an event is given up when it has waited for
 * {@link #PATIENCE} ticks. One for each subscription; its counts may be read on any thread.
 */
final class EventBuilder {
    static final Duration TICK = Duration.ofMillis(100);
    static final int PATIENCE = 20;

    /** How many events are begun at a time at most: then the first is given up. */
    static final int MOST_OPEN = 1_024;

    /** What is there of an event that is not complete, by link. */
    private static final class Open {
        private final NavigableMap<Integer, Fragment> fragments = new TreeMap<>();
        private int age;
    }

    private final NavigableMap<Long, Open> open = new TreeMap<>();
    /** The numbers of those whose fragments may still come. */
    private final NavigableSet<Long> givenUp = new TreeSet<>();
    private volatile int begun;
    private final LongAdder strays = new LongAdder();

    /**
     * Gives the events of {@code fragments}, complete and incomplete, with those that are begun at the end. It builds one event
     * more than it is asked for. While that waits, neither fragments nor ticks are taken, but for one tick: the time in which a
     * subscriber asks for nothing is none in which a link is late.
     */
    Flux<Event> build(Flux<Fragment> fragments) {
        Sinks.Empty<Void> end = Sinks.empty();
        Flux<Optional<Fragment>> arrivals = fragments.map(Optional::of).doFinally(signal -> end.tryEmitEmpty());
        Flux<Optional<Fragment>> ticks = Flux.interval(TICK).onBackpressureDrop().takeUntilOther(end.asMono())
                .map(tick -> Optional.empty());
        return Flux.merge(1, arrivals, ticks)
                .concatMapIterable(this::next, 1)
                .concatWith(Flux.defer(() -> Flux.fromIterable(take(open, rest -> true))));
    }

    /** How many events are begun and not complete. */
    int open() {
        return begun;
    }

    /** How many fragments came when their event had been given up, or twice. */
    long strays() {
        return strays.sum();
    }

    private List<Event> next(Optional<Fragment> fragment) {
        List<Event> ended = fragment.map(this::add).orElseGet(this::tick);
        begun = open.size();
        return ended;
    }

    private List<Event> add(Fragment fragment) {
        long number = fragment.event();
        NavigableMap<Integer, Fragment> event = givenUp.contains(number) ? null
                : open.computeIfAbsent(number, first -> new Open()).fragments;
        if (event == null || event.putIfAbsent(fragment.link(), fragment) != null) {
            strays.increment();
            return List.of();
        }
        if (event.size() == Fragment.LINKS) {
            return take(open.headMap(number, true), begun -> true);
        }
        return open.size() > MOST_OPEN ? take(open.headMap(open.firstKey(), true), begun -> true) : List.of();
    }

    private List<Event> tick() {
        return take(open, event -> ++event.age >= PATIENCE);
    }

    /** Ends those of {@code events} that are {@code due}. */
    private List<Event> take(Map<Long, Open> events, Predicate<Open> due) {
        List<Event> taken = new ArrayList<>();
        for (Iterator<Map.Entry<Long, Open>> all = events.entrySet().iterator(); all.hasNext();) {
            Map.Entry<Long, Open> entry = all.next();
            if (due.test(entry.getValue())) {
                Event event = new Event(entry.getKey(), List.copyOf(entry.getValue().fragments.values()));
                all.remove();
                taken.add(event);
                if (!event.isComplete()) {
                    givenUp.add(event.number());
                }
            }
        }
        while (givenUp.size() > MOST_OPEN) {
            givenUp.removeFirst();
        }
        return taken;
    }
}
