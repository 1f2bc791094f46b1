// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.send;

import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;

/** What an upstream has for a {@link PollingSubscriber}. The loop takes it from there. All is called on the loop. */
public interface PolledSubscription<T> extends Subscription {
    /**
     * Takes the next element, which is valid until the next call. Returns null if there is none now. What it throws is the
     * user's.
     */
    @Nullable T poll();

    /** Whether there is none now. */
    boolean isEmpty();

    /** Drops all that is there. */
    void clear();

    /** Who takes elements from a subscription in place of being given them. */
    interface PollingSubscriber<T> extends CoreSubscriber<T> {
        /** There may be an element that was not there before. On the upstream's threads. */
        void available();
    }
}
