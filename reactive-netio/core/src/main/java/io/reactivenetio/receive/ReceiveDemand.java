// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.receive;

import java.util.concurrent.atomic.AtomicLong;
import reactor.core.publisher.Operators;

/**
 * How many elements a subscriber has requested, and how many messages the peer has to be asked for because of that. A request on
 * the loop needs no atomic operation, since some operators request each element by itself. All methods without another word are
 * of the loop.
 */
final class ReceiveDemand {
    private final ElementMapper<?> mapper;
    private final boolean isPassedOn;
    /** What the loop has not seen. */
    private final AtomicLong unseen = new AtomicLong();
    private long open;
    private long untold;

    /** {@code isPassedOn}: whether the peer is asked at all. {@code mapper} says for how many messages. */
    ReceiveDemand(ElementMapper<?> mapper, boolean isPassedOn) {
        this.mapper = mapper;
        this.isPassedOn = isPassedOn;
    }

    /** Adds {@code n} elements, which the loop sees later. Any thread. */
    void addUnseen(long n) {
        unseen.accumulateAndGet(n, Operators::addCap);
    }

    /** How many elements the loop has not seen. Any thread. */
    long unseen() {
        return unseen.get();
    }

    void add(long n) {
        open = Operators.addCap(open, n);
        if (isPassedOn) {
            untold = Operators.addCap(untold, mapper.missing(n));
        }
    }

    /** Sees what was added elsewhere. Returns how many elements were requested and not taken. */
    long seeAll() {
        if (unseen.get() > 0) {
            add(unseen.getAndSet(0));
        }
        return open;
    }

    /** How many elements were requested and not taken. Any thread; elsewhere than on the loop roughly. */
    long open() {
        return Operators.addCap(open, unseen.get());
    }

    /** Takes {@code n} elements of those that were seen. */
    void take(long n) {
        if (open != Long.MAX_VALUE) {
            open -= n;
        }
    }

    /** How many messages the peer has to be asked for, since this was called last. */
    long takeUntold() {
        long n = untold;
        untold = 0;
        return n;
    }
}
