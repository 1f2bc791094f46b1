// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import java.util.function.Consumer;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

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
        return chain.doOnDiscard(Lease.class, Lease::close)
                .contextWrite(context -> context.hasKey(ON_NEXT_DROPPED) ? context
                        : context.put(ON_NEXT_DROPPED, (Consumer<Object>) DiscardedLeases::dropped));
    }

    private static void dropped(Object element) {
        Operators.onNextDropped(element, Context.empty()); // to the global hook, if any
        if (element instanceof Lease lease) {
            lease.close();
        }
    }
}
