// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.demo.event;

import java.time.Duration;
import java.util.List;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Makes events of the links' fragments, with nothing but Reactor's own operators. */
public final class EventBuilder {
    /** Fragments of a link that may wait for those of the others. */
    private static final int PREFETCH = 64;
    private static final Duration PAUSE = Duration.ofMillis(10);

    private EventBuilder() {
    }

    /** The n-th event is the n-th fragment of each link. A link that is slow holds all of them back; none is dropped. */
    public static Flux<Event> build(List<Flux<Fragment>> links) {
        return Flux.zip(links, PREFETCH, Event::of);
    }

    /** Passes on at most {@code perSecond} of the events per second: for the stage before this is a slow consumer. */
    public static Flux<Event> slowedTo(long perSecond, Flux<Event> events) {
        int batch = (int) Math.max(1, perSecond * PAUSE.toMillis() / 1000);
        Duration pause = Duration.ofNanos(1_000_000_000L * batch / Math.max(1, perSecond));
        return events.buffer(batch)
                .concatMap(some -> Mono.just(some).delayElement(pause), 1)
                .concatMapIterable(some -> some, 1);
    }
}
