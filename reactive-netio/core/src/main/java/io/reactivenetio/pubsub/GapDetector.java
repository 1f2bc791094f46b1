// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.pubsub;

import io.reactivenetio.framing.stream.SubscriptionListener;
import java.util.function.Consumer;

/**
 * Counts where a subscription is in the published messages, from one connection to the next. So it knows how many it has
 * missed. All calls are on the loop.
 */
final class GapDetector implements SubscriptionListener {
    private final Tags tags;
    private final Consumer<Missed> listener;
    private boolean numbered;
    private long next;

    GapDetector(Tags tags, Consumer<Missed> listener) {
        this.tags = tags;
        this.listener = listener;
    }

    void received() {
        next++;
    }

    /** If the number is below the expected one, the publisher has begun anew, and it is not known what was missed. */
    @Override
    public void subscribed(long number) {
        long missed = numbered ? number - next : 0;
        numbered = true;
        next = number;
        if (missed > 0) {
            listener.accept(new Missed(tags, missed, false));
        }
    }

    @Override
    public void dropped(long n) {
        next += n;
        listener.accept(new Missed(tags, n, true));
    }
}
