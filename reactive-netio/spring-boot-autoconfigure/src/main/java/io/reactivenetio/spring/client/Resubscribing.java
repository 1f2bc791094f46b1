// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.client;

import java.time.Duration;
import java.util.function.Function;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * When a subscription that is complete is made again: almost at once after one that has lasted, and after pauses that grow when
 * they are short. A publisher whose source is over completes each subscription until the next source is there, and one that has a
 * source for each subscription completes each of them.
 */
public final class Resubscribing implements Function<Flux<Long>, Flux<Long>> {
    private static final Object KEY = new Object();
    private static final Duration SHORTEST = Duration.ofMillis(10);
    private static final Duration LONGEST = Duration.ofSeconds(1);
    private static final int MOST_DOUBLINGS = 10;

    private static final long LASTING_NANOS = 1_000_000_000;

    /** How many were short in a row. One signal at a time reads and writes this. */
    private int shortOnes;
    private long begunNanos = System.nanoTime();

    private Resubscribing() {
    }

    /** For {@code NetioSubscriber.repeat}: only what was made by {@link #of} is subscribed to again. */
    static Publisher<?> whereWanted(Flux<Long> ends) {
        return Flux.deferContextual(context -> context.hasKey(KEY) ? new Resubscribing().apply(ends)
                : ends.take(1).ignoreElements().flux());
    }

    /**
     * {@code messages} again and again. A subscriber of the starter knows where it was, and tells what was missed; for those of
     * others the Flux is simply subscribed to again.
     */
    public static <T> Flux<T> of(Flux<T> messages) {
        return messages.contextWrite(context -> context.put(KEY, true)).repeatWhen(new Resubscribing());
    }

    @Override
    public Flux<Long> apply(Flux<Long> ends) {
        return ends.concatMap(messages -> {
            boolean lasted = System.nanoTime() - begunNanos >= LASTING_NANOS;
            shortOnes = lasted ? 0 : Math.min(shortOnes + 1, MOST_DOUBLINGS);
            Duration pause = SHORTEST.multipliedBy(1L << shortOnes);
            return Mono.delay(pause.compareTo(LONGEST) < 0 ? pause : LONGEST).doOnNext(over -> begunNanos = System.nanoTime());
        });
    }
}
