// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.simulation;

import io.reactivenetio.api.SlowPolicy;
import java.time.Duration;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Nobody who has asked waits for ever for a subscriber of the same source that asks for nothing. */
final class Patience {
    /** A shared source waits no longer for a subscriber that takes nothing. */
    static final Duration LIMIT = Duration.ofSeconds(1);

    /** In which all are ended that take nothing. */
    private static final long ENDED_NANOS = 2 * LIMIT.toNanos();
    /** In which everybody gets something who has asked, however slow are others that go on taking some. */
    private static final long TURN_NANOS = TimeUnit.SECONDS.toNanos(4);

    private final World world;

    Patience(World world) {
        this.world = world;
    }

    /** Whether a subscriber may have taken nothing for too long through no fault of its own. */
    static boolean mayBeLost(Scenario scenario) {
        return scenario.steps().stream().anyMatch(step -> step instanceof Step.Stall stall
                && TimeUnit.MICROSECONDS.toNanos(stall.micros()) > LIMIT.toNanos() / 4);
    }

    /** Lets some time go by, in worlds where it matters. {@code waiting}: those who have asked for more than they have. */
    void check(Supplier<List<Probe<?>>> waiting) {
        if (!isContended()) {
            return;
        }
        world.run(ENDED_NANOS);
        Map<Probe<?>, Long> before = new IdentityHashMap<>();
        waiting.get().forEach(probe -> before.put(probe, probe.received()));
        if (before.isEmpty()) {
            return;
        }
        world.run(TURN_NANOS);
        for (Probe<?> probe : waiting.get()) {
            if (before.getOrDefault(probe, -1L) == probe.received()) {
                world.machine().violated("it waits for another subscriber: " + probe);
            }
        }
    }

    private boolean isContended() {
        boolean troubled = world.excuses().isSilent() || world.excuses().isCorrupt();
        return !troubled && world.scenario().setup().policy() == SlowPolicy.BACKPRESSURE
                && world.scenario().steps().stream().filter(step -> step instanceof Step.Intrude
                || step instanceof Step.Subscribe subscribe && subscribe.first() < Published.COLD).count() > 1;
    }
}
