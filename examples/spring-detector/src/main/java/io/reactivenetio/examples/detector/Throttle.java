// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.detector;

import java.time.Duration;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** Makes a consumer as slow as the page wishes. Any thread. */
final class Throttle {
    private static final Duration PAUSE = Duration.ofMillis(10);

    /** How fast a consumer goes on to the next element. */
    enum Pace {
        /** The consumer is as fast as it can be. */
        FAST,
        /** The consumer pauses before each element. */
        SLOW,
        /** The consumer takes nothing. */
        STALLED
    }

    private final Sinks.Many<Pace> paces = Sinks.many().replay().latestOrDefault(Pace.FAST);
    private volatile Pace pace = Pace.FAST;

    /** Has an element when it is the turn of the next one. A change of pace counts at once, also for those who wait. */
    Mono<Pace> turn() {
        return paces.asFlux().switchMap(now -> switch (now) {
            case FAST -> Mono.just(now);
            case SLOW -> Mono.delay(PAUSE).thenReturn(now);
            case STALLED -> Mono.<Pace>never();
        }).next();
    }

    /** False if it is so already. */
    synchronized boolean set(Pace wanted) {
        if (pace == wanted) {
            return false;
        }
        pace = wanted;
        paces.tryEmitNext(wanted).orThrow();
        return true;
    }

    Pace pace() {
        return pace;
    }
}
