// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.bridge;

import java.time.Duration;
import reactor.core.publisher.Flux;

/** Asks an upstream for so many elements per second, and so holds it back. */
final class Throttle {
    /** The highest rate that can be asked for, in elements per second. */
    static final double MOST = 1e9;

    private static final int TICKS = 50;
    private static final Duration TICK = Duration.ofMillis(1_000 / TICKS);

    private Throttle() {
    }

    static <T> Flux<T> to(Flux<T> upstream, double perSecond) {
        // slow rates: one element for each longer tick
        Duration tick = perSecond >= TICKS ? TICK : Duration.ofNanos((long) (1e9 / perSecond));
        int each = (int) Math.max(1, Math.round(perSecond * tick.toNanos() / 1e9));
        Flux<Long> ticks = Flux.interval(tick).onBackpressureDrop();
        return upstream.window(each).zipWith(ticks, 1).concatMap(pair -> pair.getT1(), 1);
    }
}
