// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.send;

import io.reactivenetio.send.PolledSubscription.PollingSubscriber;
import java.util.function.Function;
import java.util.function.Supplier;
import org.reactivestreams.Publisher;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;

/** The messages of all values of batches, one after the other. A subscriber that polls takes them on the loop. */
final class BatchFlux<T, M> extends Flux<M> {
    private final Publisher<? extends Iterable<? extends T>> batches;
    private final Supplier<Function<T, M>> toMessages;

    /** {@code toMessages} gives what makes messages of values, for each subscriber. */
    BatchFlux(Publisher<? extends Iterable<? extends T>> batches, Supplier<Function<T, M>> toMessages) {
        this.batches = batches;
        this.toMessages = toMessages;
    }

    @Override
    public void subscribe(CoreSubscriber<? super M> actual) {
        Function<T, M> toMessage = toMessages.get();
        if (actual instanceof PollingSubscriber<? super M> polling) {
            batches.subscribe(new BatchSubscription<T, M>(polling, toMessage));
        } else {
            BatchValues.<T>of(batches, 1).map(toMessage).subscribe(actual);
        }
    }
}
