// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.peers;

import io.reactivenetio.benchmarks.Outcome;
import io.reactivenetio.benchmarks.Work;
import java.util.concurrent.CompletableFuture;
import java.util.function.ObjLongConsumer;

/** Asks in every lane, and anew whenever a lane is answered, until the time is up. From any thread. */
final class Caller {
    private final CompletableFuture<Outcome> outcome = new CompletableFuture<>();
    private final Work work;
    private final Trips trips;
    private final ObjLongConsumer<Caller> ask;

    /** {@code ask} sends the request of a number and sees that this caller hears of the answer. */
    Caller(Work work, ObjLongConsumer<Caller> ask) {
        this.work = work;
        this.trips = new Trips(work);
        this.ask = ask;
    }

    synchronized Caller begin() {
        for (int lane = 0; lane < trips.lanes(); lane++) {
            ask.accept(this, trips.first(lane));
        }
        return this;
    }

    synchronized void answered(long number) {
        long next = trips.answered(number);
        if (next != Numbers.LAST) {
            ask.accept(this, next);
        } else if (trips.isOver()) {
            outcome.complete(trips.end());
        }
    }

    void failed(Throwable error) {
        outcome.completeExceptionally(error);
    }

    /** Waits until every lane is answered after the time was up. */
    Outcome await() throws Exception {
        return Loopback.await(work, outcome);
    }
}
