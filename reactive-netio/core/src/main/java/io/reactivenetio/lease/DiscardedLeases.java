// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.lease;

import io.reactivenetio.api.Lease;
import java.util.Collection;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Operators;
import reactor.core.publisher.Signal;
import reactor.core.publisher.Timed;
import reactor.util.context.Context;
import reactor.util.function.Tuple2;

/** Makes operators give back the leases that they discard, which nobody else owns then, on whatever thread they do so. */
public final class DiscardedLeases {
    /**
     * The context key of Reactor's hook for elements that come after an operator has ended. Some operators still get an element
     * after they were cancelled.
     */
    private static final String ON_NEXT_DROPPED = "reactor.onNextDropped.local";
    /** The context key of Reactor's hook for elements that an operator discards, as {@code then()} does with each. */
    private static final String ON_DISCARD = "reactor.onDiscard.local";

    private DiscardedLeases() {
    }

    /**
     * Returns {@code chain} with hooks that close each lease that its operators discard or drop. Reactor finds the hooks in the
     * context, which comes from the subscriber. So they reach the operators upstream of here and not those downstream.
     */
    public static <T> Flux<T> closed(Flux<T> chain) {
        return chain.contextWrite(context -> {
            Consumer<Object> others = context.getOrDefault(ON_DISCARD, null);
            Consumer<Object> ours = new Discarded();
            // the first key of a context is found fastest, and this one is looked for with each element
            Context with = context.put(ON_DISCARD, others == null ? ours : ours.andThen(others));
            return with.hasKey(ON_NEXT_DROPPED) ? with : with.put(ON_NEXT_DROPPED, (Consumer<Object>) DiscardedLeases::dropped);
        });
    }

    /** Called for each element of a chain that ends in {@code then()}, most of which are of one class that is no lease. */
    private static final class Discarded implements Consumer<Object> {
        /** A class whose instances hold no leases. Any thread may change it to another one. */
        private @Nullable Class<?> harmless;

        @Override
        public void accept(Object element) {
            if (element.getClass() != harmless && !close(element)) {
                harmless = element.getClass();
            }
        }
    }

    private static void dropped(Object element) {
        Operators.onNextDropped(element, Context.empty()); // to the global hook, if any
        close(element);
    }

    /** Operators pass leases on in lists, signals, tuples, maps and, as {@code timed()} does, with the time, too. */
    private static boolean close(Object element) {
        switch (element) {
            case Lease lease -> lease.close();
            case Collection<?> several -> several.forEach(DiscardedLeases::closeIfPresent);
            case Map<?, ?> map -> map.values().forEach(DiscardedLeases::closeIfPresent);
            case Tuple2<?, ?> tuple -> tuple.forEach(DiscardedLeases::closeIfPresent);
            case Signal<?> signal -> closeIfPresent(signal.get());
            case Timed<?> timed -> closeIfPresent(timed.get());
            default -> {
                return false;
            }
        }
        return true;
    }

    private static void closeIfPresent(@Nullable Object element) {
        if (element != null) {
            close(element);
        }
    }
}
