// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.detector;

import java.util.SplittableRandom;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.atomic.LongAdder;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Sinks;

/** One link of the simulated detector: fragments that nobody has asked for yet wait in its FIFO. */
final class SimulatedLink {
    static final int FIFO = 64;

    private static final int LEAST_HITS = 4;
    private static final double MORE_HITS = 6;
    private static final double WIDTH = 7;

    private final int number;
    private final SplittableRandom random;
    private final ArrayBlockingQueue<Fragment> fifo = new ArrayBlockingQueue<>(FIFO);
    private final Sinks.Many<Fragment> sink = Sinks.many().unicast().onBackpressureBuffer(fifo);
    private final LongAdder asked = new LongAdder();
    private final LongAdder given = new LongAdder();

    SimulatedLink(int number) {
        this.number = number;
        this.random = new SplittableRandom(number);
    }

    /** What it has, for one subscriber. */
    Flux<Fragment> fragments() {
        return sink.asFlux().doOnRequest(asked::add).doOnNext(fragment -> given.increment());
    }

    boolean isFull() {
        return fifo.remainingCapacity() == 0;
    }

    /** Adds what it has of an event. By one thread at a time, and only if it {@linkplain #isFull is not full}. */
    void add(long event, long time) {
        sink.tryEmitNext(new Fragment(number, event, time, hits(event))).orThrow();
    }

    /** A spot that goes to and fro over the channels, each link's a little later than that of the link before. */
    private byte[] hits(long event) {
        double spot = Fragment.CHANNELS * (0.5 + 0.3 * Math.sin(event / 4_000.0 - number * 0.4));
        byte[] hits = new byte[LEAST_HITS + (int) (MORE_HITS * random.nextExponential())];
        for (int i = 0; i < hits.length; i++) {
            hits[i] = (byte) Math.floorMod(Math.round(random.nextGaussian(spot, WIDTH)), Fragment.CHANNELS);
        }
        return hits;
    }

    /** Forgets what is in the FIFO. */
    void clear() {
        fifo.clear();
    }

    /** How many fragments wait in the FIFO. */
    int waiting() {
        return fifo.size();
    }

    /** How many fragments it was asked for in all: the demand that has come up to here. */
    long asked() {
        return asked.sum();
    }

    /** How many fragments it is asked for now and does not have. */
    long demand() {
        long had = given.sum(); // first, or it could be more than was asked for
        return asked.sum() - had;
    }
}
