// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import java.util.Collection;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Operators;
import reactor.core.publisher.Signal;
import reactor.util.context.Context;
import reactor.util.function.Tuple2;

/** Lets operators give back the leases that they let fall. */
final class DiscardedLeases {
    /** Where operators look for what to do with an element that comes after their end, as some let one come that cancel. */
    private static final String ON_NEXT_DROPPED = "reactor.onNextDropped.local";

    private DiscardedLeases() {
    }

    /**
     * The same Flux, whose operators close each lease they discard or drop. Reactor finds such hooks in the context, which comes
     * from the subscriber: so they reach what is upstream of here, and not what comes after.
     */
    static <T> Flux<T> closed(Flux<T> chain) {
        return chain.doOnDiscard(Object.class, DiscardedLeases::close)
                .contextWrite(context -> context.hasKey(ON_NEXT_DROPPED) ? context
                        : context.put(ON_NEXT_DROPPED, (Consumer<Object>) DiscardedLeases::dropped));
    }

    private static void dropped(Object element) {
        Operators.onNextDropped(element, Context.empty()); // to the global hook, if any
        close(element);
    }

    /** Leases go through operators in what these make of them, too: lists, signals, tuples, maps. */
    private static void close(Object element) {
        switch (element) {
            case Lease lease -> lease.close();
            case Collection<?> several -> several.forEach(DiscardedLeases::closeIfPresent);
            case Map<?, ?> map -> map.values().forEach(DiscardedLeases::closeIfPresent);
            case Tuple2<?, ?> tuple -> tuple.forEach(DiscardedLeases::closeIfPresent);
            case Signal<?> signal -> closeIfPresent(signal.get());
            default -> { } // no lease of ours
        }
    }

    private static void closeIfPresent(@Nullable Object element) {
        if (element != null) {
            close(element);
        }
    }
}
