// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.annotation.listener;

import java.time.Duration;
import java.util.function.Function;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * When a subscription that is complete is made again: almost at once after one that had messages, and after pauses that grow when
 * there were none, as a publisher whose source is over completes each subscription until the next source is there.
 */
final class Resubscribing implements Function<Flux<Long>, Publisher<?>> {
    private static final Duration SHORTEST = Duration.ofMillis(10);
    private static final Duration LONGEST = Duration.ofSeconds(1);
    private static final int MOST_DOUBLINGS = 10;

    /** How often in a row there was no message. One signal at a time reads and writes it. */
    private int inVain;

    @Override
    public Publisher<?> apply(Flux<Long> ends) {
        return ends.concatMap(messages -> {
            inVain = messages > 0 ? 0 : Math.min(inVain + 1, MOST_DOUBLINGS);
            Duration pause = SHORTEST.multipliedBy(1L << inVain);
            return Mono.delay(pause.compareTo(LONGEST) < 0 ? pause : LONGEST);
        });
    }
}
