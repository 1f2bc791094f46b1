// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import io.reactivenetio.stream.Notices;
import java.util.function.Consumer;

/** Where a subscription is in what is published, from one connection to the next: so it knows what it has missed. On the loop. */
final class Position implements Notices {
    private final Tags tags;
    private final Consumer<Missed> listener;
    private boolean numbered;
    private long next;

    Position(Tags tags, Consumer<Missed> listener) {
        this.tags = tags;
        this.listener = listener;
    }

    void received() {
        next++;
    }

    /** A number below the one expected is that of a publisher that has begun anew: nothing is known then. */
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
