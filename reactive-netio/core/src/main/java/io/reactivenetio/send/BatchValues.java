// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.send;

import org.reactivestreams.Publisher;
import reactor.core.Exceptions;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The values of batches one by one. */
public final class BatchValues {

    private BatchValues() {
    }

    /**
     * Returns all values of {@code batches}, of which it asks for {@code ahead} at first. A failure comes after the values of the
     * batches before it: it is a batch of its own until then, since a Flux that flattens lets a failure overtake what waits.
     */
    public static <T> Flux<T> of(Publisher<? extends Iterable<? extends T>> batches, int ahead) {
        return ForeignFlux.<Iterable<? extends T>>of(batches)
                .onErrorResume(error -> !Exceptions.isFatal(error), error -> Mono.just(failing(error)))
                .concatMapIterable(batch -> batch, ahead);
    }

    private static <T> Iterable<T> failing(Throwable error) {
        return () -> {
            throw Exceptions.propagate(error);
        };
    }
}
